/* Examples for a learner, of an attacker's own rows. */
#include "attacks/adaptive/own-examples.h"

#include <math.h>
#include <string.h>

#include "core/data/kinds/item-numbers.h"
#include "core/math/linalg.h"
#include "core/math/principal.h"

/* Items that are sets of points are looked through the mean of the attacker's rows and so many of
 * their principal directions. */
#define DIRECTIONS 3
#define PROBE_ROWS 5000 /* that these are taken from */

ASSAY_CLEAR_FUNC (OwnExamples, own_examples_clear, assay_drop (self->inputs, assay_matrix_free),
                  assay_drop (self->outputs, assay_matrix_free), assay_drop (self->parts, g_free),
                  assay_drop (self->probes, assay_matrix_free))

static AssayView
probes_of (const OwnExamples *examples)
{
  return examples->probes != NULL ? assay_matrix_view (examples->probes) : (AssayView){ 0 };
}

static gsize
count_items (const AssayPairs *pairs)
{
  gsize items = 0;

  for (guint r = 0; r < pairs->releases->len; r++)
    items += assay_release_count (assay_pairs_get (pairs, r)->release);
  return items;
}

/* ---- Probes ---- */

static AssayMatrix *
make_probes (AssayView rows, GError **error)
{
  const AssayView used = assay_view_rows (rows, 0, MIN (rows.rows, PROBE_ROWS));
  const gsize count = MIN (DIRECTIONS, rows.cols);
  g_autoptr (AssayPrincipal) principal = assay_principal_new (used, count, error);
  AssayMatrix *probes = principal != NULL ? assay_matrix_new (1 + count, rows.cols, error) : NULL;

  for (gsize j = 0; probes != NULL && j < rows.cols; j++) {
    probes->data[j] = (float) principal->mean[j];
    for (gsize k = 0; k < count; k++)
      probes->data[(1 + k) * rows.cols + j]
          = (float) (sqrt (MAX (principal->values[k], 0)) * principal->vectors[k * rows.cols + j]);
  }
  return probes;
}

/* ---- Outputs ---- */

/* The row that item @item is of. */
static gsize
row_of (const AssayOwnRelease *own, gsize item)
{
  const AssayArray *owners = assay_arrays_get (&own->known, "owners");
  const AssayArray *sources = assay_arrays_get (&own->known, "sources");
  const gint64 row = owners != NULL    ? assay_array_int64 (owners)[item]
                     : sources != NULL ? assay_array_int64 (sources)[item * sources->shape[1]]
                                       : (gint64) item;

  return row >= 0 && (gsize) row < assay_own_rows (own).rows ? (gsize) row : 0;
}

static gboolean
fill_outputs (const AssayOwnRelease *own, float *ret_outputs, GError **error)
{
  const AssayView rows = assay_own_rows (own);
  const gsize items = assay_release_count (own->release);
  g_autofree double *mean = NULL;

  if (assay_kind (own->release->kind)->items != ASSAY_ITEM_OF_ALL_SECRETS) {
    for (gsize i = 0; i < items; i++)
      memcpy (ret_outputs + i * rows.cols, assay_view_row (rows, row_of (own, i)),
              rows.cols * sizeof (float));
    return TRUE;
  }
  mean = g_new (double, rows.cols);
  if (!assay_principal_mean (rows, mean, error))
    return FALSE;
  for (gsize j = 0; j < rows.cols; j++)
    ret_outputs[j] = (float) mean[j];
  return TRUE;
}

/* ---- Examples ---- */

static gboolean
needs_probes (const AssayRelease *release)
{
  return assay_item_numbers_count (release, 1) != assay_item_numbers_count (release, 0);
}

static gboolean
add_release (OwnExamples *examples, const AssayOwnRelease *own, guint index, gsize first,
             GError **error)
{
  const gsize items = assay_release_count (own->release);
  g_autoptr (AssayMatrix) seen = own_examples_see (examples, own->release, error);

  if (seen == NULL)
    return FALSE;
  memcpy (assay_matrix_row (examples->inputs, first), seen->data,
          items * seen->cols * sizeof (float));
  for (gsize i = 0; examples->parts != NULL && i < items; i++)
    examples->parts[first + i] = index;
  return fill_outputs (own, assay_matrix_row (examples->outputs, first), error);
}

gboolean
own_examples_new (const AssayPairs *pairs, OwnExamples *ret_examples, GError **error)
{
  const AssayOwnRelease *first = assay_pairs_get (pairs, 0);
  const gsize items = count_items (pairs);
  g_auto (OwnExamples) examples = { 0 };
  gsize done = 0;

  if (needs_probes (first->release)
      && (examples.probes = make_probes (assay_own_rows (first), error)) == NULL)
    return FALSE;
  examples.inputs = assay_matrix_new (
      items, assay_item_numbers_count (first->release, probes_of (&examples).rows), error);
  examples.outputs = assay_matrix_new (items, assay_own_rows (first).cols, error);
  examples.parts = pairs->has_key ? NULL : g_new (guint, items);
  if (examples.inputs == NULL || examples.outputs == NULL)
    return FALSE;
  for (guint r = 0; r < pairs->releases->len; r++) {
    const AssayOwnRelease *own = assay_pairs_get (pairs, r);

    if (!add_release (&examples, own, r, done, error))
      return FALSE;
    done += assay_release_count (own->release);
  }
  *ret_examples = examples;
  examples = (OwnExamples){ 0 };
  return TRUE;
}

AssayMatrix *
own_examples_see (const OwnExamples *examples, const AssayRelease *release, GError **error)
{
  return assay_item_numbers (release, probes_of (examples), error);
}

AssayLearner *
own_examples_learn (const OwnExamples *examples, AssayLearnerKind kind, AssayStreamKey key,
                    GError **error)
{
  const AssayExamples all = { .inputs = assay_matrix_view (examples->inputs),
                              .outputs = assay_matrix_view (examples->outputs),
                              .parts = examples->parts };

  return assay_learner_new (kind, &all, key, error);
}

guint64
own_examples_memory (const AssayShape *shape, gsize outputs)
{
  const guint64 inputs = (guint64) shape->cols * (shape->dimension > 0 ? 4 : 1);
  const guint64 numbers = inputs + shape->cols;
  const guint64 rows = MIN (shape->n_public, 20000), least = MIN (numbers, rows);

  return rows * (6 * numbers + 4 * outputs) * sizeof (float) + 5 * least * least * sizeof (double)
         + 2 * inputs * outputs * sizeof (float);
}

/* ---- Cases of known outcome ---- */

/* @rows x Q', as a release of kind vectors. */
static AssayRelease *
turned (AssayView rows, const AssayMatrix *rotation, GError **error)
{
  g_autoptr (AssayMatrix) vectors = assay_matrix_new (rows.rows, rows.cols, error);

  if (vectors == NULL)
    return NULL;
  assay_linalg_product (ASSAY_NT, rows, assay_matrix_view (rotation), vectors->data, rows.cols);
  return assay_control_vectors (assay_matrix_view (vectors), error);
}

static AssayMatrix *
draw_rotation (gsize cols, AssayStream *stream, GError **error)
{
  g_autofree double *rows = g_new (double, cols *cols);
  g_autoptr (AssayMatrix) rotation = assay_matrix_new (cols, cols, error);

  if (rotation == NULL)
    return NULL;
  for (gsize i = 0; i < cols * cols; i++)
    rows[i] = assay_stream_normal (stream);
  if (!assay_linalg_orthonormalize (rows, cols, cols, error))
    return NULL;
  for (gsize i = 0; i < cols * cols; i++)
    rotation->data[i] = (float) rows[i];
  return g_steal_pointer (&rotation);
}

gboolean
own_control_make (const OwnControl *control, AssayStreamKey key, AssayControlCase *ret_case,
                  GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) rotation = draw_rotation (control->cols, &stream, error);
  g_autoptr (AssayMatrix) rows = NULL;
  g_autoptr (AssayMatrix) secrets = NULL;
  AssayRelease *own;
  AssayTruth *truth;

  rows = assay_control_normals (control->n_pairs, control->cols, &stream, error);
  secrets = assay_control_normals (control->n_secrets, control->cols, &stream, error);
  if (rotation == NULL || rows == NULL || secrets == NULL)
    return FALSE;
  own = turned (assay_matrix_view (rows), rotation, error);
  if (own == NULL)
    return FALSE;
  truth = assay_truth_new ();
  assay_arrays_take (&truth->arrays, "secrets", assay_array_take_matrix (g_steal_pointer (&rows)));
  ret_case->pairs = assay_pairs_new (TRUE);
  g_ptr_array_add (ret_case->pairs->releases, assay_own_release_new (own, truth, NULL));
  ret_case->release = turned (assay_matrix_view (secrets), rotation, error);
  ret_case->truth = assay_truth_new ();
  if (ret_case->release == NULL)
    return FALSE;
  assay_arrays_take (&ret_case->truth->arrays, "secrets",
                     assay_array_take_matrix (g_steal_pointer (&secrets)));
  return TRUE;
}
