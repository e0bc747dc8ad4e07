/* Sizes of bearings by designation. */
#ifndef NUTATE_MODEL_BEARING_SIZES_H
#define NUTATE_MODEL_BEARING_SIZES_H

#include <stdbool.h>
#include <stddef.h>

/* Outside: ISO 15. Inside: see sizes.c. */
typedef struct nt_bearing_size {
    const char *designation;
    double bore, outside, width; /* mm */
    int balls;
    double ball, pitch;   /* mm */
    double contact_angle; /* degrees; 0: deep groove                                           */
    bool assumed; /* balls are those whose load rating is the catalogue's, not measured ones */
    const char *source; /* of the inside, in words */
    double groove;      /* radius over the ball's diameter, as published; 0: not, 0.52 is assumed */
} nt_bearing_size;

/* The size of a designation such as "6206" or "6206 C3"; clearance: m, diametral, the mean of its
 * class (ISO 5753), normal without one. NULL where there is none, and then why[size] says in words
 * what was expected. */
const nt_bearing_size *nt_bearing_size_find(const char *text, double *clearance, char *why,
                                            size_t size);

#endif
