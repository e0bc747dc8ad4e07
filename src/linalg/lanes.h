/* Vectors of four doubles, in the language extension that gcc and clang share. Without AVX the
 * compiler makes two SSE2 halves of each: the same numbers, bit for bit. */
#ifndef NUTATE_LINALG_LANES_H
#define NUTATE_LINALG_LANES_H

typedef double lanes __attribute__((vector_size(32), may_alias));
typedef double lanes_anywhere __attribute__((vector_size(32), may_alias, aligned(8)));
typedef long long lanes_mask __attribute__((vector_size(32), may_alias));

#endif
