/* The sample behind a gradient. */
#include "attacks/updates/samples/update-sample.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Factors of the logistic loss are looked for from the largest |t_k|, which is below them, up to so
 * many times it; then the best is made exact. */
#define MOST_FACTOR 1e6
#define GRID 600
#define GOLDEN_STEPS 80

gboolean
update_sample_init (gsize cols, UpdateSample *ret_sample, GError **error)
{
  *ret_sample = (UpdateSample){ .cols = cols,
                                .values
                                = assay_alloc (3 * cols, sizeof (double), "a sample", error),
                                .is_exact = g_new0 (guint8, cols) };
  if (ret_sample->values == NULL)
    return FALSE;
  ret_sample->low = ret_sample->values + cols;
  ret_sample->high = ret_sample->low + cols;
  return TRUE;
}

ASSAY_CLEAR_FUNC (UpdateSample, update_sample_clear, assay_drop (self->values, g_free),
                  assay_drop (self->is_exact, g_free))

/* ---- The direction of x ---- */

/* Rows of a gradient as multiples of one direction. */
typedef struct {
  const AssayLinearTraining *training;
  const UpdateGradient *gradient;
  double *shares; /* classes: G_k = share_k v; 0: not along it */
  double *scores; /* classes: w_k . v without bias */
  double *biases; /* classes: the model's */
  double *room;   /* 2 x classes, to work in */
} Direction;

static gsize
count_exact (const Direction *direction, gsize row)
{
  const UpdateGradient *gradient = direction->gradient;
  gsize exact = 0;

  for (gsize j = 0; j < direction->training->cols; j++)
    exact += gradient->half[row * gradient->width + j] == 0;
  return exact;
}

/* The row that tells most: of most exact columns, then the longest. */
static gsize
choose_row (const Direction *direction)
{
  const UpdateGradient *gradient = direction->gradient;
  gsize best = G_MAXSIZE, best_exact = 0;
  double best_length = 0;

  for (gsize k = 0; k < gradient->classes; k++) {
    const gsize exact = count_exact (direction, k);
    double length = 0;

    for (gsize j = 0; gradient->is_moved[k] && j < direction->training->cols; j++) {
      const gsize i = k * gradient->width + j;

      length += gradient->half[i] == 0 ? gradient->middle[i] * gradient->middle[i] : 0;
    }
    if (!gradient->is_moved[k]
        || (best != G_MAXSIZE
            && (exact < best_exact || (exact == best_exact && length <= best_length))))
      continue;
    best = k;
    best_exact = exact;
    best_length = length;
  }
  return best;
}

/* G_k . G_r / G_r . G_r over the columns that both tell. */
static double
share_of (const Direction *direction, gsize row, gsize reference)
{
  const UpdateGradient *gradient = direction->gradient;
  double product = 0, square = 0;

  for (gsize j = 0; j < direction->training->cols; j++) {
    const gsize i = row * gradient->width + j, r = reference * gradient->width + j;

    if (gradient->half[i] > 0 || gradient->half[r] > 0)
      continue;
    product += gradient->middle[i] * gradient->middle[r];
    square += gradient->middle[r] * gradient->middle[r];
  }
  return square > 0 ? product / square : 0;
}

/* What the loss leaves of a share: under the hinge loss all are as long as each other. */
static double
round_share (const Direction *direction, double share)
{
  if (direction->training->loss != ASSAY_LOSS_HINGE)
    return share;
  return share > 0.5 ? 1 : share < -0.5 ? -1 : 0;
}

/* Of very sparse updates a row may have no column that the reference tells, too: it is compared
 * with rows that have, and those that are known then with others. */
static void
link_rows (Direction *direction)
{
  const UpdateGradient *gradient = direction->gradient;
  gboolean is_linked = TRUE;

  while (is_linked) {
    is_linked = FALSE;
    for (gsize k = 0; k < gradient->classes; k++)
      for (gsize r = 0; gradient->is_moved[k] && direction->shares[k] == 0
                        && r < gradient->classes;
           r++) {
        if (direction->shares[r] == 0)
          continue;
        direction->shares[k] = round_share (direction, share_of (direction, k, r))
                               * direction->shares[r];
        is_linked = is_linked || direction->shares[k] != 0;
      }
  }
}

/* What each row is a multiple by; FALSE: none moved. */
static gboolean
find_shares (Direction *direction)
{
  const AssayLinearTraining *training = direction->training;
  const UpdateGradient *gradient = direction->gradient;
  const gsize reference = choose_row (direction);

  if (reference == G_MAXSIZE)
    return FALSE;
  for (gsize k = 0; k < training->classes; k++) {
    double share = gradient->is_moved[k] ? share_of (direction, k, reference) : 0;

    if (training->has_bias)
      share = gradient->middle[k * gradient->width + training->cols];
    else
      share = round_share (direction, share);
    direction->shares[k] = k == reference && !training->has_bias ? 1 : share;
  }
  if (!training->has_bias)
    link_rows (direction);
  return TRUE;
}

/* What rows tell of a column of v. */
typedef struct {
  double value, low, high;
  gboolean is_exact;
} Column;

/* Column @j: where rows tell it their mean, by how exactly they do; else the likeliest of what all
 * of them allow, that is the one nearest to the mean of samples, 0. */
static Column
solve_column (const Direction *direction, gsize j)
{
  const UpdateGradient *gradient = direction->gradient;
  double sum = 0, weight = 0, low = -INFINITY, high = INFINITY, value;

  for (gsize k = 0; k < gradient->classes; k++) {
    const gsize i = k * gradient->width + j;
    const double share = direction->shares[k];

    if (share == 0)
      continue;
    if (gradient->half[i] == 0) {
      const double noise = (gradient->noise[i] + DBL_MIN) / fabs (share);

      sum += gradient->middle[i] / share / (noise * noise);
      weight += 1 / (noise * noise);
    } else {
      low = MAX (low, gradient->middle[i] / share - gradient->half[i] / fabs (share));
      high = MIN (high, gradient->middle[i] / share + gradient->half[i] / fabs (share));
    }
  }
  if (weight > 0)
    return (Column){ sum / weight, sum / weight, sum / weight, TRUE };
  value = low <= high ? CLAMP (0, low, high) : 0;
  /* Rows that contradict each other, by rounding, leave what is between them. */
  return (Column){ value, MIN (low, high), MAX (low, high), FALSE };
}

/* ---- Its sign and length ---- */

/* A way to read the direction: x = factor v, of class @label. */
typedef struct {
  double factor;
  gint64 label;
  double cost; /* how badly the rows agree with it */
} Reading;

/* The class that the signs leave for x = @sign v, where a_k < 0 for the sample's own alone; FALSE:
 * several do. -1: none of the rows that moved. */
static gboolean
label_of (const Direction *direction, double sign, gint64 *ret_label)
{
  gsize negative = 0;

  *ret_label = -1;
  for (gsize k = 0; k < direction->training->classes; k++)
    if (sign * direction->shares[k] < 0) {
      negative++;
      *ret_label = (gint64) k;
    }
  return negative <= 1;
}

/* How far what x = @factor v would make of the rows, share_k = factor a_k, is from what they are,
 * as a share of these: where all margins are met every a_k is near 0. */
static double
misfit (const Direction *direction, double factor, gint64 label)
{
  const AssayLinearTraining *training = direction->training;
  double *scores = direction->room, *slopes = direction->room + training->classes;
  double off = 0, size = 0;

  for (gsize k = 0; k < training->classes; k++)
    scores[k] = factor * direction->scores[k] + direction->biases[k];
  assay_linear_slopes (training, scores, label, slopes);
  for (gsize k = 0; k < training->classes; k++) {
    const double share = direction->shares[k], difference = factor * slopes[k] - share;

    off += difference * difference;
    size += share * share;
  }
  return off / size;
}

/* Of rows that did not move, the one that the sample's class can be: its margin is met. */
static gint64
silent_label (const Direction *direction, double factor)
{
  gint64 best = -1;
  double most = 1;

  for (gsize k = 0; k < direction->training->classes; k++) {
    const double score = factor * direction->scores[k] + direction->biases[k];

    if (direction->shares[k] == 0 && score > most) {
      best = (gint64) k;
      most = score;
    }
  }
  return best;
}

static Reading
read_hinge (const Direction *direction, double sign, gint64 label)
{
  const gint64 own = label >= 0 ? label : silent_label (direction, sign);

  return (Reading){ sign, own, misfit (direction, sign, own) + (own < 0 ? 0.05 : 0) };
}

/* The least misfit of factors @sign @least exp (e), low <= e <= high, by golden sections. */
static Reading
search_factor (const Direction *direction, double start, double low, double high, gint64 label)
{
  const double golden = (sqrt (5) - 1) / 2;
  double factor;

  for (guint i = 0; i < GOLDEN_STEPS; i++) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);

    if (misfit (direction, start * exp (a), label) < misfit (direction, start * exp (b), label))
      high = b;
    else
      low = a;
  }
  factor = start * exp ((low + high) / 2);
  return (Reading){ factor, label, misfit (direction, factor, label) };
}

/* The least misfit over all factors of a sign: of a grid of their logarithms every dip is searched,
 * as there may be a false one for each row with two roots. */
static Reading
read_logistic (const Direction *direction, double sign, gint64 label)
{
  const double step = log (MOST_FACTOR) / GRID;
  double costs[GRID + 1], least = 0;
  Reading best = { sign, label, DBL_MAX };

  for (gsize k = 0; k < direction->training->classes; k++)
    least = MAX (least, fabs (direction->shares[k]));
  for (gsize g = 0; g <= GRID; g++)
    costs[g] = misfit (direction, sign * least * exp (step * (double) g), label);
  for (gsize g = 0; g <= GRID; g++) {
    Reading reading;

    if ((g > 0 && costs[g - 1] < costs[g]) || (g < GRID && costs[g + 1] < costs[g]))
      continue;
    reading = search_factor (direction, sign * least, step * ((double) g - 1),
                             step * ((double) g + 1), label);
    if (reading.cost < best.cost)
      best = reading;
  }
  return best;
}

static Reading
read_direction (const Direction *direction)
{
  const AssayLinearTraining *training = direction->training;
  Reading best = { 1, -1, DBL_MAX };

  if (training->has_bias) {
    (void) label_of (direction, 1, &best.label);
    if (best.label < 0)
      best.label = silent_label (direction, 1);
    return best;
  }
  for (int sign = 1; sign >= -1; sign -= 2) {
    Reading reading;
    gint64 label;

    if (!label_of (direction, sign, &label) || (label < 0 && training->loss == ASSAY_LOSS_LOGISTIC))
      continue;
    reading = training->loss == ASSAY_LOSS_HINGE ? read_hinge (direction, sign, label)
                                                 : read_logistic (direction, sign, label);
    if (reading.cost < best.cost)
      best = reading;
  }
  return best;
}

gboolean
update_sample_solve (const AssayLinearTraining *training, const float *model,
                     const UpdateGradient *gradient, UpdateSample *inout_sample)
{
  const gsize classes = training->classes;
  g_autofree double *numbers = g_new0 (double, 5 * classes);
  Direction direction = {
    training, gradient, numbers, numbers + classes, numbers + 2 * classes, numbers + 3 * classes
  };
  Reading reading;

  memset (inout_sample->values, 0, 3 * inout_sample->cols * sizeof (double));
  memset (inout_sample->is_exact, 0, inout_sample->cols);
  inout_sample->label = -1;
  if (!find_shares (&direction))
    return FALSE;
  for (gsize j = 0; j < training->cols; j++) {
    const Column column = solve_column (&direction, j);

    inout_sample->values[j] = column.value;
    inout_sample->low[j] = column.low;
    inout_sample->high[j] = column.high;
    inout_sample->is_exact[j] = column.is_exact ? 1 : 0;
  }
  for (gsize k = 0; k < training->classes; k++) {
    const float *row = model + k * gradient->width;

    for (gsize j = 0; j < training->cols; j++)
      direction.scores[k] += (double) row[j] * inout_sample->values[j];
    direction.biases[k] = training->has_bias ? (double) row[training->cols] : 0;
  }
  reading = read_direction (&direction);
  for (gsize j = 0; j < training->cols; j++) {
    const double a = inout_sample->low[j] * reading.factor;
    const double b = inout_sample->high[j] * reading.factor;

    inout_sample->values[j] *= reading.factor;
    inout_sample->low[j] = MIN (a, b);
    inout_sample->high[j] = MAX (a, b);
  }
  inout_sample->label = reading.label;
  return TRUE;
}

double
update_sample_misfit (const UpdateGradient *gradient, const UpdateSample *sample)
{
  double left = 0, all = 0;

  for (gsize k = 0; k < gradient->classes; k++) {
    double product = 0, square = 0, length = 0;

    for (gsize j = 0; gradient->is_moved[k] && j < sample->cols; j++) {
      const gsize i = k * gradient->width + j;

      if (gradient->half[i] > 0 || !sample->is_exact[j])
        continue;
      product += gradient->middle[i] * sample->values[j];
      square += sample->values[j] * sample->values[j];
      length += gradient->middle[i] * gradient->middle[i];
    }
    left += square > 0 ? MAX (length - product * product / square, 0) : length;
    all += length;
  }
  return all > 0 ? left / all : 0;
}
