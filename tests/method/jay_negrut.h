/* The test problem of Jay & Negrut 2009: the one that `nutate papers jay-negrut` runs. */
#include "papers/jay-negrut/problem.h"
