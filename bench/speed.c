/* How fast nutate is: every figure a ratio to a yardstick measured in the same run, in turns.
 *
 *   speed FOLDER     everything; scratch files go to FOLDER
 *   speed --check    only that nutate and its yardsticks agree, and that a step does not allocate
 *
 * Times are processor time of one thread but where it says otherwise; ratios are medians, with
 * half the distance of their quartiles. The exit status is 1 when something failed or disagreed,
 * never because of a time. */
#include "speed.h"
#include "measure.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: speed FOLDER | --check\n", stderr);
        return 2;
    }
    bool brief = strcmp(argv[1], "--check") == 0;
    if (!brief)
        measure_command(argv[1]); /* first: a child's peak memory counts its parent's before exec */
    compare_motions(brief);
    count_allocations();
    if (!brief) {
        measure_rows(argv[1]);
        compare_peers();
        compare_at_accuracy();
    }
    if (failures() > 0)
        fprintf(stderr, "%d failures\n", failures());
    return failures() > 0;
}
