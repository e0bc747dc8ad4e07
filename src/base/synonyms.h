/* What other programs call what has another name here. */
#ifndef NUTATE_BASE_SYNONYMS_H
#define NUTATE_BASE_SYNONYMS_H

extern const char *const nt_synonyms[][2]; /* {their word, the name here}, [nt_synonym_count] */
extern const int nt_synonym_count;

#endif
