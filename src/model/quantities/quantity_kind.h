/* The kinds of recorded quantities, one row of a table for each. */
#ifndef NUTATE_MODEL_QUANTITY_KIND_H
#define NUTATE_MODEL_QUANTITY_KIND_H

#include "model/quantities/quantity.h"

typedef enum nt_quantity_owner {
    NT_OF_BODY,
    NT_OF_TURNING, /* a body that is no point */
    NT_OF_MARKER,
    NT_OF_STATION,  /* a marker at a station of a beam */
    NT_OF_FIGURE,   /* one of a beam whose sections have figures and materials */
    NT_OF_MATERIAL, /* one of those in the material of a figure */
    NT_OF_END,      /* a body that is a node where an element of a beam ends */
    NT_OF_LOADED,   /* a joint that knows its force and torque    */
    NT_OF_CONTACT,
    NT_OF_TOUCH,  /* a contact of a sphere and a surface */
    NT_OF_GROOVE, /* one with a torus */
    NT_OF_BALL,   /* a contact of a ball of a bearing */
    NT_OF_CAGE,
    NT_OF_BEARING,
    NT_OF_ROTATING, /* a joint with an angle                      */
    NT_OF_SLIDING,  /* a joint with a displacement                */
    NT_OF_SLIDING_ONLY,
    NT_OF_JOINED,  /* a joint of frames: a point and a triad on each body        */
    NT_OF_TURNED,  /* one whose bodies both turn                                 */
    NT_OF_ROLLING, /* a joint that rolls or glides on a plane                   */
    NT_OF_WHEEL,   /* a rolling disk                                            */
    NT_OF_BLADE,
    NT_OF_JOINT,  /* any joint */
    NT_OF_FORCE,  /* any force */
    NT_OF_ACTING, /* a force that knows its force and torque on B               */
    NT_OF_LINE,   /* a force between two points                                 */
    NT_OF_WAY,    /* a rope                                                     */
    NT_OF_CABLE,
    NT_OF_ELASTIC,     /* a beam or a cable */
    NT_OF_DISTRIBUTED, /* a load per length of a beam */
    NT_OF_WING,        /* an aerodynamic force                                       */
    NT_OF_ABOUT,       /* a force about the axis of a joint                          */
    NT_OF_ALONG,       /* a force along the axis of a joint                          */
    NT_OF_STATE,       /* a state of the file */
    NT_OF_HELD,        /* a sampled value of the file */
    NT_OF_DELAY,       /* a delay, by its number */
    NT_OF_SWITCH,      /* an operation that jumps in a load, by its number (switches.h) */
    NT_OF_NAMED,       /* an expression of the file */
    NT_OF_WHOLE,       /* the model */
} nt_quantity_owner;
_Static_assert(NT_OF_WHOLE < 64, "families of quantities are bits of nt_element_type.shows");
#define NT_SHOWS(owner) (UINT64_C(1) << (owner))

enum {
    NT_NEEDS_REACTIONS = 1,
    NT_NEEDS_ENERGY = 2,
    NT_NEEDS_DRIFT = 4,
    /* What an element does to its second body, so that a load may follow it: its force, its torque
     * about the joint's point, its pull or its moment or force along an axis. */
    NT_IS_FORCE = 8,
    NT_IS_TORQUE = 16,
    NT_IS_ALONG = 32,
    NT_NEEDS_ACCELERATIONS = 256,
    /* What all that it does amounts to: its power, its potential energy (signal_power.c). */
    NT_IS_POWER = 64,
    NT_IS_ENERGY = 128,
    NT_IS_ROTATION = 512, /* four numbers of a quaternion, whose derivative is a rotation, too */
    NT_IS_STEP = 1024,    /* the method's choice */
    NT_IS_ANGULAR = 2048, /* a momentum about the origin */
    NT_IS_LOAD = NT_IS_FORCE | NT_IS_TORQUE | NT_IS_ALONG | NT_IS_POWER | NT_IS_ENERGY
};
enum { NT_QUANTITY_COLUMNS = 16 }; /* at most */

typedef struct nt_quantity_kind {
    nt_quantity_owner of;
    const char *name;
    int columns;
    const char *const *components; /* [columns]; NULL for a quantity of one column        */
    const char *unit, *later_unit; /* of the first column; of the others where it differs */
    const char *meaning, *axes;    /* axes may be NULL                                    */
    int needs;
    /* out[columns] for body, marker or element `object` */
    void (*values)(const nt_sampler *sampler, int object, double *out);
    /* Derivatives of one column in the motion of the object's bodies, added; NULL where it depends
     * on accelerations or forces, so that no load can depend on it. Of a power: of what is counted
     * besides the power of all that the element does. */
    void (*differentiate)(const nt_view *view, int object, int column,
                          nt_signal_gradient *gradient);
    bool is_rate; /* it depends on velocities */
} nt_quantity_kind;

extern const nt_quantity_kind nt_quantity_kinds[];
extern const int nt_quantity_kind_count;

/* Whether the object of this name has such a quantity. */
bool nt_quantity_is_of(const nt_model *model, const char *name, const nt_quantity_kind *kind);

#endif
