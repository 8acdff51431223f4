/* The obvious forms of what scan.c and knn.c compute, in double precision. */
#pragma once

#include "core/search/scan.h"

G_BEGIN_DECLS

/* ||(I - B'B) (w - t)||, the distance of a row from subspace number @index. */
double naive_scan_distance (const AssaySubspaces *subspaces, gsize index, const float *row);

/* The same for each of @count rows, as a new array in the order of the rows. */
double *naive_scan_distances (const AssaySubspaces *subspaces, gsize index, const float *rows,
                              gsize count);

G_END_DECLS
