/* Ridge regression of the rows that go together. */
#include "core/learn/trimmed-ridge.h"

#include <math.h>
#include <string.h>

#include "core/base/vectors.h"
#include "core/math/principal.h"

#define STEPS 4             /* of concentration */
#define EACH 4              /* rows for each input, for errors to tell of other rows */
#define MOST_FOR_MEDIAN 999 /* rows, of which medians of columns are taken: the first */
#define NEARLY_ALL 0.99
#define APART 2.5 /* lengths */

ASSAY_FREE_FUNC (AssayTrimmedRidge, assay_trimmed_ridge_free, assay_ridge_free (self->ridge),
                 g_free (self->mean))

/* ---- Which rows ---- */

/* Rows by how far out they are, or how far they are missed. */
typedef struct {
  AssayRanked *ranked; /* n, ascending */
  gsize n;
} Order;

/* Those within @times the median. */
static gsize
count_near (const Order *order, double times)
{
  const double most = times * order->ranked[order->n / 2].value;
  gsize count = order->n / 2;

  while (count < order->n && order->ranked[count].value <= most)
    count++;
  return count;
}

/* The median of a column, and its mean absolute deviation from it. */
static void
describe_column (AssayView rows, gsize column, double *room, double *ret_median, double *ret_scale)
{
  const gsize n = MIN (rows.rows, MOST_FOR_MEDIAN);
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    room[i] = (double) assay_view_row (rows, i)[column];
  qsort (room, n, sizeof *room, assay_compare_doubles);
  *ret_median = room[n / 2];
  for (gsize i = 0; i < n; i++)
    sum += fabs (room[i] - *ret_median);
  *ret_scale = sum / (double) n;
}

static void
order_by_distance (AssayView inputs, Order *order)
{
  double room[MOST_FOR_MEDIAN];

  for (gsize i = 0; i < order->n; i++)
    order->ranked[i] = (AssayRanked){ 0, i };
  for (gsize j = 0; j < inputs.cols; j++) {
    double median, scale;

    describe_column (inputs, j, room, &median, &scale);
    for (gsize i = 0; scale > 0 && i < order->n; i++) {
      const double far = ((double) assay_view_row (inputs, i)[j] - median) / scale;

      order->ranked[i].value += far * far;
    }
  }
  for (gsize i = 0; i < order->n; i++)
    order->ranked[i].value = sqrt (order->ranked[i].value);
  assay_rank (order->ranked, order->n);
}

/* The first @count rows of the order, as they come in @rows. */
static AssayMatrix *
choose (AssayView rows, const Order *order, gsize count, GError **error)
{
  AssayMatrix *chosen = assay_matrix_new (count, rows.cols, error);

  for (gsize i = 0; chosen != NULL && i < count; i++)
    memcpy (assay_matrix_row (chosen, i), assay_view_row (rows, order->ranked[i].place),
            rows.cols * sizeof (float));
  return chosen;
}

/* ---- Learning ---- */

typedef struct {
  AssayView inputs, outputs;
  AssayStreamKey key;
} Rows;

/* From the first @count rows of the order. */
static gboolean
learn (AssayTrimmedRidge *trimmed, const Rows *rows, const Order *order, gsize count,
       GError **error)
{
  g_autoptr (AssayMatrix) inputs = choose (rows->inputs, order, count, error);
  g_autoptr (AssayMatrix) outputs
      = inputs != NULL ? choose (rows->outputs, order, count, error) : NULL;

  if (outputs == NULL)
    return FALSE;
  g_clear_pointer (&trimmed->ridge, assay_ridge_free);
  trimmed->ridge
      = assay_ridge_new (assay_matrix_view (inputs), assay_matrix_view (outputs), rows->key, error);
  trimmed->kept = count;
  return trimmed->ridge != NULL;
}

static gboolean
order_by_error (const AssayTrimmedRidge *trimmed, const Rows *rows, Order *order, GError **error)
{
  g_autoptr (AssayMatrix) predicted = assay_ridge_predict (trimmed->ridge, rows->inputs, error);

  if (predicted == NULL)
    return FALSE;
  for (gsize i = 0; i < order->n; i++) {
    const double missed = sqrt (assay_squared_distance (
        assay_matrix_row (predicted, i), assay_view_row (rows->outputs, i), predicted->cols));

    order->ranked[i] = (AssayRanked){ isfinite (missed) ? missed : G_MAXDOUBLE, i };
  }
  assay_rank (order->ranked, order->n);
  return TRUE;
}

/* Half of the rows, then the half that is missed least, and at last those that are not missed by
 * far. */
static gboolean
concentrate (AssayTrimmedRidge *trimmed, const Rows *rows, Order *order, GError **error)
{
  for (guint step = 0; step < STEPS; step++)
    if (!learn (trimmed, rows, order, order->n / 2, error)
        || !order_by_error (trimmed, rows, order, error))
      return FALSE;
  return learn (trimmed, rows, order, count_near (order, ASSAY_TRIMMED_FAR), error);
}

/* Where the outputs are that were kept. */
static gboolean
find_range (AssayTrimmedRidge *trimmed, const Rows *rows, const Order *order, GError **error)
{
  const gsize n = trimmed->kept, cols = rows->outputs.cols;
  g_autoptr (AssayMatrix) outputs = choose (rows->outputs, order, n, error);
  g_autofree double *distances = assay_alloc (n, sizeof *distances, "distances", error);

  trimmed->mean = assay_alloc (cols, sizeof *trimmed->mean, "a mean", error);
  if (outputs == NULL || distances == NULL || trimmed->mean == NULL
      || !assay_principal_mean (assay_matrix_view (outputs), trimmed->mean, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    distances[i]
        = sqrt (assay_lanes_squared_distance (assay_matrix_row (outputs, i), trimmed->mean, cols));
  qsort (distances, n, sizeof *distances, assay_compare_doubles);
  trimmed->radius = distances[(gsize) (NEARLY_ALL * (double) (n - 1))];
  return TRUE;
}

static gboolean
learn_rows (AssayTrimmedRidge *trimmed, const Rows *rows, Order *order, GError **error)
{
  order_by_distance (rows->inputs, order);
  if (rows->inputs.rows / EACH >= rows->inputs.cols
          ? !concentrate (trimmed, rows, order, error)
          : !learn (trimmed, rows, order, count_near (order, ASSAY_TRIMMED_FAR), error))
    return FALSE;
  return find_range (trimmed, rows, order, error);
}

/* A prediction that is farther out than outputs are; of an infinite one nothing else is known. */
static void
draw_back (const AssayTrimmedRidge *trimmed, gsize cols, float *inout_row)
{
  const double distance = sqrt (assay_lanes_squared_distance (inout_row, trimmed->mean, cols));
  const double share = isfinite (distance) ? trimmed->radius / distance : 0;

  for (gsize j = 0; !(distance <= trimmed->radius) && j < cols; j++)
    inout_row[j] = (float) (trimmed->mean[j]
                            + (share > 0 ? ((double) inout_row[j] - trimmed->mean[j]) * share : 0));
}

/* ---- Directions ---- */

static AssayMatrix *
directions_of (AssayView rows, GError **error)
{
  AssayMatrix *directions = assay_matrix_copy (rows, error);

  for (gsize i = 0; directions != NULL && i < rows.rows; i++) {
    float *row = assay_matrix_row (directions, i);
    const double length = sqrt (assay_squared_norm (row, rows.cols));

    for (gsize j = 0; length > 0 && j < rows.cols; j++)
      row[j] = (float) ((double) row[j] / length);
  }
  return directions;
}

gboolean
assay_trimmed_ridge_has_lengths (AssayView inputs)
{
  const gsize n = MIN (inputs.rows, MOST_FOR_MEDIAN);
  double lengths[MOST_FOR_MEDIAN];

  for (gsize i = 0; i < n; i++)
    lengths[i] = sqrt (assay_squared_norm (assay_view_row (inputs, i), inputs.cols));
  qsort (lengths, n, sizeof *lengths, assay_compare_doubles);
  return n > 0 && lengths[n - 1 - n / 10] > APART * lengths[n / 10];
}

AssayTrimmedRidge *
assay_trimmed_ridge_new (AssayView inputs, AssayView outputs, gboolean is_of_directions,
                         AssayStreamKey key, GError **error)
{
  g_autofree AssayRanked *ranked
      = assay_alloc (inputs.rows, sizeof *ranked, "an order of rows", error);
  g_autoptr (AssayMatrix) directions = NULL;
  g_autoptr (AssayTrimmedRidge) trimmed = g_new0 (AssayTrimmedRidge, 1);
  Order order = { ranked, inputs.rows };

  trimmed->is_of_directions = is_of_directions;
  if (ranked == NULL || (is_of_directions && (directions = directions_of (inputs, error)) == NULL))
    return NULL;
  return learn_rows (
             trimmed,
             &(Rows){ directions != NULL ? assay_matrix_view (directions) : inputs, outputs, key },
             &order, error)
             ? g_steal_pointer (&trimmed)
             : NULL;
}

AssayMatrix *
assay_trimmed_ridge_predict (const AssayTrimmedRidge *trimmed, AssayView inputs, GError **error)
{
  g_autoptr (AssayMatrix) directions = NULL;
  AssayMatrix *predicted;

  if (trimmed->is_of_directions && (directions = directions_of (inputs, error)) == NULL)
    return NULL;
  predicted = assay_ridge_predict (
      trimmed->ridge, directions != NULL ? assay_matrix_view (directions) : inputs, error);
  for (gsize i = 0; predicted != NULL && i < predicted->rows; i++)
    draw_back (trimmed, predicted->cols, assay_matrix_row (predicted, i));
  return predicted;
}
