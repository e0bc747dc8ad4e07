/* One finite element of a beam: its nodes, the points of its rules, its terms. */
#ifndef NUTATE_MODEL_BEAM_ELEMENT_H
#define NUTATE_MODEL_BEAM_ELEMENT_H

#include "model/beams/beam_strain.h"

/* The nodes of an element and what acts on them: the work of one evaluation. */
typedef struct nt_beam_nodes {
    int n; /* nodes */
    int first_body, first_port;
    const nt_motion *motion;    /* [n] */
    lanes x[NT_MOST_ORDER + 1]; /* places */
    lanes r[NT_MOST_ORDER + 1]; /* quaternions, neighbours in one half space */
    /* with rates: x' and r', whatever parts are asked for: of damping */
    lanes v[NT_MOST_ORDER + 1], rate[NT_MOST_ORDER + 1];
    lanes P[NT_MOST_ORDER + 1][4]; /* dr = P dtheta: four rows of three */
    lanes f[NT_MOST_ORDER + 1];    /* forces on places and on quaternions */
    lanes G[NT_MOST_ORDER + 1];
    lanes apart[NT_MOST_ORDER + 1]; /* what independent stresses would add to G */
} nt_beam_nodes;

static inline bool nt_beam_is_damped(const nt_beam *b) { return b->given >> NT_BEAM_DAMPING & 1; }

/* Strains, their rates where there is damping, and stresses at one point. */
typedef struct nt_beam_state {
    nt_beam_lanes f, rate;
    nt_beam_strain strain;
    double et[6], s[6];
} nt_beam_state;

void nt_beam_load_nodes(nt_beam_nodes *p, const nt_view *view, const nt_beam *b, int element,
                        bool rates);

/* Point q of the elastic rule: s = s0 + C e + D e'. */
void nt_beam_look(const nt_beam_nodes *p, const nt_beam *b, int element, int q, nt_beam_state *st);

/* Forces and tangent as `view` asks for them; of lumped inertia see nt_beam_add_lumped. */
void nt_beam_add_element(const nt_view *view, const nt_beam *b, int element, bool is_elastic);

/* Elastic forces of all elements, without their tangent, or where `view` asks for energies these
 * and the power of damping. False where neighbouring nodes have turned too far against each other
 * for forces. */
bool nt_beam_add_forces(const nt_view *view, const nt_beam *b);

/* Looks at how far the mesh is off where the energy of strains (J) is larger than at any such look
 * before, and notes the worst for nt_run_warning (beam_accuracy.c). */
void nt_beam_note_accuracy(const nt_element *element, const nt_view *view, double energy);
void nt_beam_warning(const nt_run *run, const nt_element *element, char *text, int size);

/* Doubles of view->scratch that it needs. */
size_t nt_beam_forces_scratch(const nt_beam *b);

/* Lumped inertia of nodes from `from` to `to` - 1, each a rigid body: forces and tangent, or
 * energies. */
void nt_beam_add_lumped(const nt_view *view, const nt_beam *b, int from, int to);

/* Blocks of nodes alone come first, four of each node that is lumped. */
static inline int nt_beam_node_couples(const nt_beam *b) { return b->inertia ? 4 * b->n_nodes : 0; }

/* Doubles of view->scratch that elements of these sizes need. */
size_t nt_beam_scratch(const nt_beam *b);

/* The forces of a beam's ports, to add to: those of a port begin at its `start`. */
static inline double *nt_beam_residual(const nt_view *view)
{
    nt_local *local = view->local;
    if (!local->has_pushed)
        memset(local->residual, 0, (size_t)local->element->size * sizeof *local->residual);
    local->has_pushed = true;
    return local->residual;
}

/* Gravity, as far as a path of static states has put it on. */
static inline v3 nt_beam_gravity(const nt_run *run)
{
    return v3_scale(run->share[NT_SHARE_GRAVITY], v3_load(run->gravity));
}

#endif
