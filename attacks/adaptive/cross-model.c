/* What links items of two releases under different keys. */
#include "attacks/adaptive/cross-model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vectors.h"
#include "core/data/kinds/item-numbers.h"
#include "core/games/guesses/score-roc.h"
#include "core/math/linalg.h"
#include "core/math/principal.h"
#include "core/plugin/pairs.h"

#define AXES 32   /* at most */
#define LEVELS 14 /* of the sorted numbers */
#define JUDGED 200 /* items of a run that are paired with each other to choose by */
#define MOST_CORRELATED 0.9999
#define RIDGE 1e-3 /* of the mean variance, and as much as items are few */
#define SIGNIFICANT 3.0
#define STEPS 8 /* 1, 2, 4, ... directions */

ASSAY_CLEAR_FUNC (CrossModel, cross_model_clear, assay_drop (self->directions, assay_matrix_free))

/* ---- Views ---- */

const char *const cross_view_names[] = { "numbers", "axes", "shape", "best", NULL };

static gboolean
centre (AssayMatrix *rows, GError **error)
{
  g_autofree double *mean = assay_alloc (rows->cols, sizeof (double), "means", error);

  if (mean == NULL || !assay_principal_mean (assay_matrix_view (rows), mean, error))
    return FALSE;
  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      assay_matrix_row (rows, i)[j] = (float) ((double) assay_matrix_row (rows, i)[j] - mean[j]);
  return TRUE;
}

static AssayMatrix *
along_axes (const AssayMatrix *items, GError **error)
{
  const gsize count = MIN (AXES, items->cols);
  g_autoptr (AssayPrincipal) principal
      = assay_principal_new (assay_matrix_view (items), count, error);
  AssayMatrix *sizes
      = principal != NULL ? assay_principal_project (principal, assay_matrix_view (items), error)
                          : NULL;

  for (gsize i = 0; sizes != NULL && i < sizes->rows * sizes->cols; i++)
    sizes->data[i] = fabsf (sizes->data[i]);
  return sizes;
}

static AssayMatrix *
shapes_of (const AssayMatrix *items, GError **error)
{
  const gsize p = items->cols;
  AssayMatrix *shapes = assay_matrix_new (items->rows, 2 + LEVELS, error);
  g_autofree float *sorted = assay_alloc (p, sizeof (float), "sorted numbers", error);

  if (sorted == NULL)
    g_clear_pointer (&shapes, assay_matrix_free);
  for (gsize i = 0; shapes != NULL && i < items->rows; i++) {
    float *shape = assay_matrix_row (shapes, i);
    double square = 0, sum = 0;

    memcpy (sorted, items->data + i * p, p * sizeof (float));
    qsort (sorted, p, sizeof *sorted, assay_compare_floats);
    for (gsize j = 0; j < p; j++) {
      square += (double) sorted[j] * (double) sorted[j];
      sum += (double) sorted[j];
    }
    shape[0] = (float) sqrt (square);
    shape[1] = (float) (sum / (double) p);
    for (gsize l = 0; l < LEVELS; l++)
      shape[2 + l] = sorted[l * (p - 1) / (LEVELS - 1)];
  }
  return shapes;
}

/* @release in this view, items x numbers: centred, as what all items share is the key's. Of
 * releases of equally many numbers an item as many. */
static AssayMatrix *
view_of (CrossView view, const AssayRelease *release, GError **error)
{
  g_autoptr (AssayMatrix) items = assay_item_numbers (release, (AssayView){ 0 }, error);
  AssayMatrix *seen;

  if (items == NULL || (view != CROSS_SHAPE && !centre (items, error)))
    return NULL;
  if (view == CROSS_NUMBERS)
    return g_steal_pointer (&items);
  seen = view == CROSS_AXES ? along_axes (items, error) : shapes_of (items, error);
  if (seen != NULL && !centre (seen, error))
    g_clear_pointer (&seen, assay_matrix_free);
  return seen;
}

/* ---- Twins ---- */

/* Two releases of the same rows under keys of their own, in one view. */
typedef struct {
  AssayMatrix *first, *second;
} Twin;

ASSAY_LOCAL_FREE (Twin, twin_free, assay_matrix_free (self->first),
                  assay_matrix_free (self->second))

static GPtrArray *
twins_of (const GPtrArray *releases, CrossView view, GError **error)
{
  g_autoptr (GPtrArray) twins = g_ptr_array_new_with_free_func ((GDestroyNotify) twin_free);

  for (guint r = 0; r + 1 < releases->len; r += 2) {
    Twin *twin = g_new0 (Twin, 1);

    g_ptr_array_add (twins, twin);
    twin->first = view_of (view, ((AssayOwnRelease *) releases->pdata[r])->release, error);
    twin->second
        = twin->first != NULL
              ? view_of (view, ((AssayOwnRelease *) releases->pdata[r + 1])->release, error)
              : NULL;
    if (twin->second == NULL)
      return NULL;
  }
  return g_steal_pointer (&twins);
}

/* ---- Learning ---- */

/* Adds A'A + B'B to S, and A'B + B'A to C. */
static gboolean
add_twin (const Twin *twin, double *s, double *c, GError **error)
{
  const gsize p = twin->first->cols;
  const AssayView a = assay_matrix_view (twin->first), b = assay_matrix_view (twin->second);
  g_autofree float *product = assay_alloc (p, p * sizeof (float), "covariances", error);

  if (product == NULL)
    return FALSE;
  assay_linalg_product (ASSAY_TN, a, a, product, p);
  for (gsize i = 0; i < p * p; i++)
    s[i] += (double) product[i];
  assay_linalg_product (ASSAY_TN, b, b, product, p);
  for (gsize i = 0; i < p * p; i++)
    s[i] += (double) product[i];
  assay_linalg_product (ASSAY_TN, a, b, product, p);
  for (gsize i = 0; i < p; i++)
    for (gsize j = 0; j < p; j++)
      c[i * p + j] += (double) product[i * p + j] + (double) product[j * p + i];
  return TRUE;
}

/* The directions of the first @count twins. */
static gboolean
learn (const GPtrArray *twins, guint count, CrossModel *model, GError **error)
{
  const AssayMatrix *first = ((const Twin *) twins->pdata[0])->first;
  const gsize p = first->cols, most = MIN (p, CROSS_MOST_DIRECTIONS);
  const double n = 2.0 * count * (double) first->rows;
  g_autofree double *s = assay_alloc (p, p * sizeof (double), "covariances", error);
  g_autofree double *c = assay_alloc (p, p * sizeof (double), "covariances", error);
  g_autofree double *vectors = assay_alloc (most, p * sizeof (double), "directions", error);
  double trace = 0, ridge;

  if (s == NULL || c == NULL || vectors == NULL)
    return FALSE;
  for (guint t = 0; t < count; t++)
    if (!add_twin (twins->pdata[t], s, c, error))
      return FALSE;
  for (gsize j = 0; j < p; j++)
    trace += s[j * p + j];
  ridge = (RIDGE + (double) p / ((double) p + n)) * trace / (double) p;
  for (gsize j = 0; j < p; j++)
    s[j * p + j] += trace > 0 ? ridge : 1;
  model->directions = assay_matrix_new (most, p, error);
  if (model->directions == NULL
      || !assay_linalg_definite_eigen (&(AssayPencil){ p, c, s }, most, model->correlations,
                                       vectors, error))
    return FALSE;
  /* Of variance 1: x' S x = 1 where S is a sum over n items. */
  for (gsize i = 0; i < most * p; i++)
    model->directions->data[i] = (float) (vectors[i] * sqrt (n));
  for (gsize j = 0; j < most; j++)
    model->correlations[j] = CLAMP (model->correlations[j], 0, MOST_CORRELATED);
  return TRUE;
}

/* ---- Scores ---- */

static AssayMatrix *
turn (const CrossModel *model, const AssayMatrix *items, gsize most, GError **error)
{
  const AssayView seen = assay_view_rows (assay_matrix_view (items), 0, MIN (items->rows, most));
  AssayMatrix *turned = assay_matrix_new (seen.rows, model->directions->rows, error);

  if (turned != NULL)
    assay_linalg_product_in_parallel (ASSAY_NT, seen, assay_matrix_view (model->directions),
                                      turned->data);
  return turned;
}

static const float *
row_of (const AssayMatrix *matrix, gsize row)
{
  return matrix->data + row * matrix->cols;
}

/* Adds what direction @j says of each pair. */
static void
add_direction (const CrossModel *model, gsize j, const AssayMatrix *u, const AssayMatrix *v,
               float *scores)
{
  const double rho = model->correlations[j], left = 1 - rho * rho;

  for (gsize a = 0; a < u->rows; a++) {
    const double of_u = (double) row_of (u, a)[j];

    for (gsize b = 0; b < v->rows; b++) {
      const double of_v = (double) row_of (v, b)[j];

      scores[a * v->rows + b]
          += (float) (-(rho * rho * (of_u * of_u + of_v * of_v) - 2 * rho * of_u * of_v)
                      / (2 * left));
    }
  }
}

/* The area under the ROC curve of the pairs of a twin, and the standard error of that. */
static gboolean
area_of (const float *scores, gsize n, double *ret_area, double *ret_variance, GError **error)
{
  g_autofree guint8 *is_mate = assay_alloc (n, n, "pairs of items", error);
  g_autofree double *influence = assay_alloc (n, n * sizeof (double), "pairs of items", error);
  const AssayRoc roc = { scores, 1, is_mate, n * n };

  if (is_mate == NULL || influence == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    is_mate[i * n + i] = 1;
  if (!assay_roc_area (&roc, ret_area, influence, error))
    return FALSE;
  /* Of each row of the attacker's own: as a mate, and in the pairs of both of its items. */
  *ret_variance = 0;
  for (gsize i = 0; i < n; i++) {
    double sum = 0;

    for (gsize j = 0; j < n; j++)
      sum += i == j ? influence[i * n + i] : influence[i * n + j] + influence[j * n + i];
    *ret_variance += pow (sum / (double) (n * n), 2);
  }
  return TRUE;
}

/* Areas of twins with 1, 2, 4, ... directions. */
typedef struct {
  double means[STEPS];
  double variances[STEPS]; /* of the mean */
  double least[STEPS];     /* of any twin: keys differ */
} Areas;

static gboolean
try_directions (const CrossModel *model, const GPtrArray *twins, guint first, guint end,
                Areas *ret_areas, GError **error)
{
  const gsize most = model->directions->rows;

  for (guint t = first; t < end; t++) {
    const Twin *twin = twins->pdata[t];
    g_autoptr (AssayMatrix) u = turn (model, twin->first, JUDGED, error);
    g_autoptr (AssayMatrix) v = u != NULL ? turn (model, twin->second, JUDGED, error) : NULL;
    g_autofree float *scores
        = v != NULL ? assay_alloc (u->rows, u->rows * sizeof (float), "scores", error) : NULL;
    gsize step = 0;

    if (scores == NULL)
      return FALSE;
    for (gsize j = 0; j < most; j++) {
      double area, variance;

      add_direction (model, j, u, v, scores);
      if ((j & (j + 1)) != 0 && j + 1 < most)
        continue;
      if (!area_of (scores, u->rows, &area, &variance, error))
        return FALSE;
      ret_areas->least[step] = t == first ? area : MIN (ret_areas->least[step], area);
      ret_areas->means[step] += area / (end - first);
      ret_areas->variances[step++] += variance / pow (end - first, 2);
    }
  }
  return TRUE;
}

/* How many directions stand at a place of the areas. */
static gsize
directions_at (const CrossModel *model, guint step)
{
  return MIN ((gsize) 1 << step, model->directions->rows);
}

/* Learns in one view; @model keeps the better one of this and what it was. */
static gboolean
learn_view (const GPtrArray *releases, CrossView view, CrossModel *model, GError **error)
{
  g_autoptr (GPtrArray) twins = twins_of (releases, view, error);
  const guint n = releases->len / 2, held = MAX (n / 5, 1), learned = n - 2 * held;
  Areas areas = { 0 };
  g_auto (CrossModel) found = { .view = view };
  guint best = 0;

  if (twins == NULL)
    return FALSE;
  if (((const Twin *) twins->pdata[0])->first->cols > CROSS_MOST_NUMBERS)
    return TRUE;
  if (!learn (twins, learned, &found, error)
      || !try_directions (&found, twins, learned, learned + held, &areas, error))
    return FALSE;
  for (guint step = 1; step < STEPS; step++)
    if (areas.means[step] > areas.means[best])
      best = step;
  found.used = directions_at (&found, best);
  found.area = areas.means[best];
  if (model->directions != NULL && model->area >= found.area)
    return TRUE;
  cross_model_clear (model);
  *model = found;
  found.directions = NULL;
  return TRUE;
}

/* Whether further twins have an area above one half. */
static gboolean
test_model (const GPtrArray *releases, CrossModel *model, GError **error)
{
  g_autoptr (GPtrArray) twins = twins_of (releases, model->view, error);
  const guint n = releases->len / 2, held = MAX (n / 5, 1);
  Areas areas = { 0 };

  if (twins == NULL
      || !try_directions (model, twins, n - held, n, &areas, error))
    return FALSE;
  for (guint step = 0; step < STEPS; step++)
    if (directions_at (model, step) == model->used) {
      model->area = areas.means[step];
      model->links = areas.least[step] > 0.5
                     && areas.means[step] > 0.5 + SIGNIFICANT * sqrt (areas.variances[step]);
      return TRUE;
    }
  return TRUE;
}

gboolean
cross_model_learn (const GPtrArray *releases, guint wanted, CrossModel *ret_model, GError **error)
{
  for (guint view = 0; view < CROSS_N_VIEWS; view++)
    if ((wanted == CROSS_N_VIEWS || wanted == view)
        && !learn_view (releases, view, ret_model, error))
      return FALSE;
  return ret_model->directions == NULL || test_model (releases, ret_model, error);
}

gboolean
cross_model_score (const CrossModel *model, const AssayRelease *release,
                   const AssayRelease *crossed, float *ret_scores, GError **error)
{
  g_autoptr (AssayMatrix) first = view_of (model->view, release, error);
  g_autoptr (AssayMatrix) second
      = first != NULL ? view_of (model->view, crossed, error) : NULL;
  g_autoptr (AssayMatrix) u = second != NULL ? turn (model, first, G_MAXSIZE, error) : NULL;
  g_autoptr (AssayMatrix) v = u != NULL ? turn (model, second, G_MAXSIZE, error) : NULL;

  if (v == NULL)
    return FALSE;
  for (gsize j = 0; j < model->used; j++)
    add_direction (model, j, u, v, ret_scores);
  return TRUE;
}
