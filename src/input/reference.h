/* The reference page of the model file, written from the key tables. */
#ifndef NUTATE_INPUT_REFERENCE_H
#define NUTATE_INPUT_REFERENCE_H

/* Writes Markdown to text[size], always terminated where size > 0; returns the length needed. */
int nt_model_reference(char *text, int size);

#endif
