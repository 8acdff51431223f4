/* Named arrays, and the rules for them: which there are, of which type and shape. */
#pragma once

#include <glib.h>

#include "core/data/array.h"

G_BEGIN_DECLS

/* Named arrays in the order in which they were added. */
typedef struct {
  GPtrArray *names;
  GPtrArray *arrays;
} AssayArrays;

/* What one array must be. Each letter of @dimensions stands for a size: "nmd" is n x m x d. Equal
 * letters of a list mean equal sizes, and n, N and d mean the same in all lists of a record. What
 * stands behind a '-' may be left out: "n-w" is n, or n x w. */
typedef struct {
  const char *name; /* NULL ends a list */
  const char *dimensions;
  AssayType type;
  gboolean is_optional;
  guint grant; /* AssayGrant without which an attack does not see it, in releases; 0: none */
} AssayArraySpec;

/* A list of names, for what a component reads. */
#define ASSAY_ARRAY_NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

void assay_arrays_init (AssayArrays *arrays);
void assay_arrays_clear (AssayArrays *arrays);

/* Adds @array (taken over) under @name; one of that name is replaced. */
void assay_arrays_take (AssayArrays *arrays, const char *name, AssayArray *array);
/* The same of a matrix, which is taken out of *@matrix (NULL: nothing is added); and of @rows x
 * @cols numbers of @type. */
void assay_arrays_take_matrix (AssayArrays *arrays, const char *name, AssayMatrix **matrix);
void assay_arrays_take_rows (AssayArrays *arrays, const char *name, AssayType type, gsize rows,
                             gsize cols, gpointer values);
const AssayArray *assay_arrays_get (const AssayArrays *arrays, const char *name);
/* Adds all of @from, whose numbers are shared. */
void assay_arrays_copy (AssayArrays *arrays, const AssayArrays *from);

gsize assay_arrays_bytes (const AssayArrays *arrays); /* of their numbers */

/* ASSAY_ERROR_MISMATCH unless the arrays are those of @lists (NULL ends), with types and sizes as
 * they say; ASSAY_ERROR_NUMERIC for numbers that are not finite. @what is what they are of. */
gboolean assay_arrays_check (const AssayArrays *arrays, const AssayArraySpec *const *lists,
                             const char *what, GError **error);

G_END_DECLS
