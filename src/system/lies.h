/* How an entry of v lies in a static state that nothing holds it in (nt_system.rests). */
#ifndef NUTATE_SYSTEM_LIES_H
#define NUTATE_SYSTEM_LIES_H

enum {
    NT_LIES = 1, /* as a point of a slack line: it stays, wherever it has no stiffness */
    NT_CREEPS,   /* as a ball along its groove, where regularised friction alone resists: it is held
                    where what moves freely is, whatever stiffness it has */
};

#endif
