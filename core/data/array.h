/* Typed arrays of one to four dimensions: what stands in one .npy file, in memory or mapped. */
#pragma once

#include <glib.h>

#include "core/data/matrix.h"

G_BEGIN_DECLS

typedef enum {
  ASSAY_FLOAT32,
  ASSAY_FLOAT64,
  ASSAY_UINT8,
  ASSAY_INT32,
  ASSAY_INT64,
} AssayType;

#define ASSAY_MAX_DIMENSIONS 4 /* images as files hold them, n x h x w x c */

/* Row-major without gaps; @data points into @bytes, which may be a mapped file. */
typedef struct {
  AssayType type;
  guint n_dimensions;
  gsize shape[ASSAY_MAX_DIMENSIONS];
  const guint8 *data;
  GBytes *bytes;
} AssayArray;

gsize assay_type_size (AssayType type);
const char *assay_type_name (AssayType type); /* "float32", as NumPy says it */

/* Takes its own reference of @bytes; @offset is where the numbers begin in it. The caller has
 * checked that they fit. */
AssayArray *assay_array_new (AssayType type, guint n_dimensions, const gsize *shape, GBytes *bytes,
                             gsize offset);
/* Take ownership of @data (from assay_alloc or g_malloc) or of the matrix. */
AssayArray *assay_array_take (AssayType type, guint n_dimensions, const gsize *shape,
                              gpointer data);
AssayArray *assay_array_take_matrix (AssayMatrix *matrix);
AssayArray *assay_array_copy (const AssayArray *array); /* shares the immutable bytes */
ASSAY_DECLARE_FREE (AssayArray, assay_array_free)

gsize assay_array_count (const AssayArray *array);    /* the product of the shape */
char *assay_array_describe (const AssayArray *array); /* "float32 200 x 128" */

/* A float32 array as rows x (product of the other dimensions). The type is the caller's to know. */
AssayView assay_array_view (const AssayArray *array);
const gint64 *assay_array_int64 (const AssayArray *array);

G_END_DECLS
