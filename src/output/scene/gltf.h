/* glTF 2.0 in one binary file (GLB). Inside of the output layer.
 *
 * Specification: Khronos, glTF 2.0. The file is
 *
 *   head      "glTF", 2, bytes of the file
 *   chunk     bytes, "JSON", the description, filled up with blanks to a multiple of four
 *   chunk     bytes, "BIN\0", the numbers
 *
 * Its y points up: all stands under one node that turns the ground's z there. */
#ifndef NUTATE_OUTPUT_GLTF_H
#define NUTATE_OUTPUT_GLTF_H

#include "output/json.h"
#include "output/scene/stage.h"

#include <stdio.h>

enum { /* types of numbers */
       NT_GLTF_USHORT = 5123,
       NT_GLTF_UINT = 5125,
       NT_GLTF_FLOAT = 5126
};

/* Numbers of the binary chunk, each with a view and an accessor of the same number. */
typedef struct nt_gltf_block {
    uint64_t at, size;
    const void *bytes; /* NULL: written row by row of the result */
    long count;
    int type;         /* of its numbers */
    const char *kind; /* "SCALAR", "VEC3", "VEC4", "MAT4" */
    int target;       /* 34962 of vertices, 34963 of corners, 0 of others */
    bool bounded;     /* low and high are given */
    double low[3], high[3];
} nt_gltf_block;

/* What moves a node: three blocks of rows, -1: none. */
typedef struct nt_gltf_track {
    int node, translation, rotation, scale;
    nt_link *link; /* or a body */
    int body;
    float before[4]; /* rotation of the row before */
} nt_gltf_track;

typedef struct nt_gltf {
    nt_stage *stage;
    nt_arena arena;
    nt_bytes text; /* of the JSON chunk */
    nt_json json;
    nt_gltf_block *blocks;
    int n_blocks, block_room;
    nt_gltf_track *tracks; /* [n_tracks] bodies, then links */
    int n_tracks;
    int times; /* block */
    uint64_t bytes;
    int n_nodes, n_meshes, n_materials;
    const char **materials; /* [n_materials] colours */
    bool failed;            /* memory was out */
} nt_gltf;

/* Nodes, meshes, skins and the animation into g->text; then materials and accessors, when the
 * bounds of all blocks are known. */
void nt_gltf_describe(nt_gltf *g, const char *title);
void nt_gltf_finish(nt_gltf *g);

#endif
