/* What a bearing says where its contacts are no longer what they are taken for: a ball out of its
 * groove, one that is pressed deep into a ring or a pocket, an ellipse over the shoulder. */
#include "base/number.h"
#include "model/bearings/bearing.h"

#include "model/elements.h"

#include <math.h>
#include <stdio.h>

static double most_force_on(const nt_bearing *b, int which)
{
    return which == NT_POCKET ? b->most_pocket_force : b->races[which].most_force;
}

static void tell_depth(const nt_element *element, const nt_view *view, char *text, int size)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    static const char *const into[] = {"the outer ring", "the inner ring", "its pocket"};
    for (int i = 0; i < b->n_balls; i++)
        for (int which = 0; which < (b->has_cage ? NT_BALL_CONTACTS : NT_POCKET); which++) {
            nt_ball_touch t = nt_bearing_touch(element, view, i, which);
            if (!(t.touch.N > most_force_on(b, which)))
                continue;
            snprintf(text, (size_t)size,
                     "ball %d is pressed %.4g mm into %s, with %.3g N, further than contacts of "
                     "smooth bodies go",
                     i + 1, 1e3 * t.touch.delta, into[which], t.touch.N);
            return;
        }
}

void nt_bearing_failure(const nt_element *element, const nt_view *view, char *text, int size)
{
    const nt_bearing *b = nt_bearing_of(view->run, element);
    text[0] = '\0';
    for (int i = 0; i < b->n_balls; i++)
        for (int which = NT_OUTER; which <= NT_INNER; which++) {
            nt_ball_touch t = nt_bearing_touch(element, view, i, which);
            double angle =
                nt_touch_number(NT_TOUCH_ANGLE, &t.touch, t.law, t.kind.law, t.pose.axis);
            double beyond = angle - b->races[which].last_angle;
            if (!(t.touch.N > 0 && beyond > 0))
                continue;
            snprintf(text, (size_t)size,
                     "ball %d has left the groove of the %s ring: it touches at %.4g deg, %.3g deg "
                     "over the shoulder",
                     i + 1, nt_bearing_rings[which], angle * 180 / NT_PI, beyond * 180 / NT_PI);
            return;
        }
    tell_depth(element, view, text, size);
}

void nt_bearing_warning(const nt_run *run, const nt_element *element, char *text, int size)
{
    const nt_run_note *note = &run->notes[element - run->model->elements];
    snprintf(
        text, (size_t)size,
        "the ellipse of contact of ball %d goes over the shoulder of the %s ring, by %.3g deg "
        "at t = %.6g s; this began at t = %.6g s. Its load and pressure are no longer those of "
        "a whole ellipse",
        note->part / NT_BALL_CONTACTS + 1, nt_bearing_rings[note->part % NT_BALL_CONTACTS],
        note->by * 180 / NT_PI, note->at, note->since);
}
