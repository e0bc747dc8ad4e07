/* What to write for a type that other programs have and that is none here. */
#ifndef NUTATE_INPUT_FOREIGN_TYPES_H
#define NUTATE_INPUT_FOREIGN_TYPES_H

/* A sentence without a full stop, or NULL; section: "joints" or "forces". word[length] */
const char *nt_foreign_type(const char *section, const char *word, int length);

#endif
