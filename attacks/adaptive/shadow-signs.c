/* Shadow releases, and what they show of records. */
#include "attacks/adaptive/shadow-signs.h"

#include <math.h>

#include "attacks/adaptive/member-runs.h"
#include "core/base/parallel.h"
#include "core/data/kinds/item-numbers.h"
#include "core/search/knn.h"

#define TINY 1e-12

void
shadow_signs_clear (ShadowSigns *shadows)
{
  assay_matrix_free (shadows->records);
  assay_matrix_free (shadows->alike);
  g_free (shadows->mean_record);
  g_free (shadows->is_in);
  g_clear_pointer (&shadows->means, g_ptr_array_unref);
  for (guint s = 0; s < SHADOW_N_SIGNS; s++)
    g_free (shadows->signs[s]);
}

/* ---- What a release says at once ---- */

static AssayMatrix *
mean_item (const AssayMatrix *items, GError **error)
{
  AssayMatrix *mean = assay_matrix_new (1, items->cols, error);
  g_autofree double *sum = g_new0 (double, items->cols);

  if (mean == NULL)
    return NULL;
  for (gsize i = 0; i < items->rows; i++)
    for (gsize j = 0; j < items->cols; j++)
      sum[j] += (double) items->data[i * items->cols + j];
  for (gsize j = 0; j < items->cols; j++)
    mean->data[j] = (float) (sum[j] / (double) items->rows);
  return mean;
}

/* -ln of the squared distances of @points, one for each record, to the items nearest to them. */
static gboolean
look_near (ShadowSigns *shadows, ShadowSign sign, gsize run, const AssayMatrix *points,
           const AssayMatrix *items, GError **error)
{
  const gsize n = points->rows;
  g_autoptr (AssayNearest) nearest = NULL;

  if (shadows->signs[sign] == NULL)
    shadows->signs[sign]
        = assay_alloc (n * (shadows->n_runs + 1), sizeof (double), "distances", error);
  nearest = shadows->signs[sign] != NULL
                ? assay_knn_search (assay_matrix_view (items), assay_matrix_view (points), 1, error)
                : NULL;
  if (nearest == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const float *item = items->data + (gsize) nearest->rows[i] * items->cols;
    const float *point = points->data + i * items->cols;
    double square = TINY;

    for (gsize j = 0; j < items->cols; j++)
      square += ((double) item[j] - (double) point[j]) * ((double) item[j] - (double) point[j]);
    shadows->signs[sign][run * n + i] = -log (square);
  }
  return TRUE;
}

/* Adds what was released of the records in run @run of the first half to their means. */
static gboolean
remember_items (ShadowSigns *shadows, gsize run, const AssayMatrix *items, GError **error)
{
  const gsize n = shadows->records->rows, half = shadows->n_runs / 2;
  gsize item = 0;

  if (shadows->alike == NULL)
    shadows->alike = assay_matrix_new (n, items->cols, error);
  if (shadows->alike == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    gsize count = 0;

    if (!shadows->is_in[run * n + i])
      continue;
    for (gsize r = 0; r < half; r++)
      count += shadows->is_in[r * n + i];
    for (gsize j = 0; j < items->cols; j++)
      assay_matrix_row (shadows->alike, i)[j]
          += items->data[item * items->cols + j] / (float) count;
    item++;
  }
  return TRUE;
}

/* Looks at release number @run. */
static gboolean
look_at (ShadowSigns *shadows, gsize run, const AssayRelease *release, GError **error)
{
  g_autoptr (AssayMatrix) items = assay_item_numbers (release, (AssayView){ 0 }, error);
  AssayMatrix *mean = items != NULL ? mean_item (items, error) : NULL;

  if (mean == NULL)
    return FALSE;
  g_ptr_array_add (shadows->means, mean);
  if (items->cols == shadows->records->cols)
    return look_near (shadows, SHADOW_NEAREST, run, shadows->records, items, error);
  if (assay_kind (release->kind)->items != ASSAY_ITEM_OF_EACH_SECRET)
    return TRUE;
  return run < shadows->n_runs / 2
             ? remember_items (shadows, run, items, error)
             : look_near (shadows, SHADOW_ALIKE, run, shadows->alike, items, error);
}

/* ---- Running the defense ---- */

static gboolean
run_shadows (ShadowSigns *shadows, const AssayObservation *seen, GError **error)
{
  g_auto (MemberRuns) runs = { 0 };

  if (!member_runs_init (&runs, seen, shadows->n_runs, error))
    return FALSE;
  shadows->is_in = g_steal_pointer (&runs.is_in);
  for (gsize r = 0; r < shadows->n_runs; r++) {
    g_autoptr (AssayOwnRelease) release = member_runs_play (&runs, shadows->is_in, r, error);

    if (release == NULL || !look_at (shadows, r, release->release, error))
      return FALSE;
  }
  return look_at (shadows, shadows->n_runs, seen->release, error);
}

/* ---- What a release says beside others ---- */

typedef struct {
  gsize p;
  double *centre;
  double *weight; /* 1 / s_j^2; 0 where a number never changes */
} Scale;

ASSAY_LOCAL_CLEAR (Scale, scale_clear, g_free (self->centre), g_free (self->weight))

static Scale
scale_of (const ShadowSigns *shadows)
{
  const gsize runs = shadows->n_runs;
  const gsize p = ((const AssayMatrix *) shadows->means->pdata[0])->cols;
  Scale scale = { p, g_new0 (double, p), g_new0 (double, p) };

  for (gsize r = 0; r < runs; r++)
    for (gsize j = 0; j < p; j++)
      scale.centre[j]
          += (double) ((const AssayMatrix *) shadows->means->pdata[r])->data[j] / (double) runs;
  for (gsize j = 0; j < p; j++) {
    for (gsize r = 0; r < runs; r++)
      scale.weight[j] += pow ((double) ((const AssayMatrix *) shadows->means->pdata[r])->data[j]
                                  - scale.centre[j],
                              2)
                         / (double) (runs - 1);
    scale.weight[j] = scale.weight[j] > TINY * TINY ? 1 / scale.weight[j] : 0;
  }
  return scale;
}

/* sum_j direction_j (v_j - v^_j) / s_j^2 of every release, for record @record. */
static void
look_along (const ShadowSigns *shadows, const Scale *scale, const double *direction, gsize record,
            double *signs)
{
  for (gsize r = 0; r <= shadows->n_runs; r++) {
    const float *v = ((const AssayMatrix *) shadows->means->pdata[r])->data;
    double sum = 0;

    for (gsize j = 0; j < scale->p; j++)
      sum += direction[j] * ((double) v[j] - scale->centre[j]) * scale->weight[j];
    signs[r * shadows->records->rows + record] = sum;
  }
}

typedef struct {
  ShadowSigns *shadows;
  const Scale *scale;
  gboolean has_inner;
} Looking;

static void
look_for_record (gsize record, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Looking *looking = data;
  const ShadowSigns *shadows = looking->shadows;
  const gsize p = looking->scale->p, n = shadows->records->rows, half = shadows->n_runs / 2;
  g_autofree double *direction = g_new0 (double, p);

  for (gsize r = 0; r < half; r++)
    for (gsize j = 0; j < p; j++)
      direction[j] += (shadows->is_in[r * n + record] ? 1 : -1)
                      * (double) ((const AssayMatrix *) shadows->means->pdata[r])->data[j];
  look_along (shadows, looking->scale, direction, record, shadows->signs[SHADOW_PROFILE]);
  for (gsize j = 0; looking->has_inner && j < p; j++)
    direction[j]
        = (double) assay_matrix_row (shadows->records, record)[j] - shadows->mean_record[j];
  if (looking->has_inner)
    look_along (shadows, looking->scale, direction, record, shadows->signs[SHADOW_INNER]);
}

static gboolean
look_beside (ShadowSigns *shadows, GError **error)
{
  const gsize n = shadows->records->rows, cols = shadows->records->cols;
  g_auto (Scale) scale = scale_of (shadows);
  Looking looking = { shadows, &scale, scale.p == cols };

  shadows->mean_record = g_new0 (double, cols);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < cols; j++)
      shadows->mean_record[j] += (double) assay_matrix_row (shadows->records, i)[j] / (double) n;
  for (guint s = looking.has_inner ? SHADOW_INNER : SHADOW_PROFILE; s < SHADOW_N_SIGNS; s++) {
    shadows->signs[s]
        = assay_alloc (n * (shadows->n_runs + 1), sizeof (double), "signs of records", error);
    if (shadows->signs[s] == NULL)
      return FALSE;
  }
  assay_parallel_for (n, look_for_record, &looking);
  return TRUE;
}

gboolean
shadow_signs_take (ShadowSigns *shadows, gsize n_runs, const AssayObservation *seen, GError **error)
{
  shadows->n_runs = n_runs;
  shadows->records = assay_rows_matrix (seen->records, assay_release_scale (seen->release), error);
  if (shadows->records == NULL)
    return FALSE;
  shadows->means = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_matrix_free);
  return run_shadows (shadows, seen, error) && look_beside (shadows, error);
}
