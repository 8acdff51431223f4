/* What the lowest bits of doubles give away (Mironov 2012, "On Significance of the Least
 * Significant Bits for Differential Privacy").
 *
 * Noise that a formula makes of a random number U, which is a multiple of 2^-g, takes no more
 * values than U does; and x + noise is rounded to the grid of doubles at its own size. So the
 * outputs that x can give are a sparse set of doubles, and another one than those of x'. A column y
 * is looked at as it is and less each place m where the noise may be centred: the inputs, and per
 * column their sums, means and counts.
 *   - y - m: the largest power of two that divides it, and its six lowest bits.
 *   - Laplace and exponential noise by inversion: y = m +- b ln (k 2^-g) means that
 *     t = 2^g exp (-|y - m| / b) is a whole number. Half a unit in the last place of y and the
 *     rounding of the formula leave so much of t unsure; the cell says how much, and whether a
 *     whole number is as near. g is 53, 52, 32 or 24, b the distance of the inputs over epsilon,
 *     1 over epsilon, or the mean of |y - m| rounded to one or two digits.
 *   - y itself: zeros at the end of its significand, residues of its lowest 32 bits, and its class:
 *     -0, subnormal, normal by sign, infinite, NaN.
 *
 * Not seen: sets of other formulas (Box-Muller, ziggurat), and noise that was rounded afterwards.
 * The values that inversion gives are 2^-53 b / u apart where U is u, and float32 numbers about
 * 2^-24 |y|: a float32 that one input cannot give needs u below 2^-29 b / |y|, and so has that
 * chance in a run at most. A billion runs might show two. */
#include "attacks/mechanisms/table-feature.h"

#include <math.h>
#include <string.h>

#define MOST_COLUMNS 64

typedef enum { NOTHING, INPUT, SUM, MEAN, COUNT, N_PLACES } Place;

static const int grids[] = { 53, 52, 32, 24 };
#define N_GRIDS ((guint) G_N_ELEMENTS (grids))
#define N_SCALES 4
static const guint moduli[] = { 3, 5, 7, 11 };

/* Of every place of either side; then those of the column as it is. */
#define PLACED (2 + N_GRIDS * N_SCALES)
#define ALONE (2 + (guint) G_N_ELEMENTS (moduli))
#define PER_COLUMN (2 * N_PLACES * PLACED + ALONE)

/* ---- Where and how wide ---- */

/* NAN: there is no such place. */
static double
place_of (const EventSample *sample, gsize column, Place place, guint side)
{
  const float *input = sample->inputs + side * sample->n_inputs;
  const gsize rows = sample->n_inputs / sample->cols;
  double sum = 0, count = 0;

  if (place == NOTHING)
    return 0;
  if (place == INPUT)
    return sample->n_inputs == sample->cols ? (double) input[column] : NAN;
  if (sample->n_inputs % sample->cols != 0)
    return NAN;
  for (gsize r = 0; r < rows; r++) {
    const double value = (double) input[r * sample->cols + column];

    sum += isnan (value) ? 0 : value;
    count += !isnan (value);
  }
  return place == SUM ? sum : place == MEAN ? sum / count : count;
}

/* Whether an earlier place is the same number. */
static gboolean
is_new_place (const EventSample *sample, gsize column, Place place, guint side)
{
  const double value = place_of (sample, column, place, side);

  if (!isfinite (value))
    return FALSE;
  for (guint p = 0; p <= (guint) place; p++)
    for (guint s = 0; s < (p < (guint) place ? 2 : side); s++)
      if (place_of (sample, column, (Place) p, s) == value)
        return FALSE;
  return TRUE;
}

static double
round_digits (double value, int digits)
{
  const double step = pow (10, floor (log10 (value)) - (digits - 1));

  return rint (value / step) * step;
}

/* Mean distance from the place, of the side's runs. */
static double
mean_distance (const EventSample *sample, gsize column, double place, guint side)
{
  double sum = 0, count = 0;

  for (gsize i = 0; i < sample->count; i++) {
    const double distance = fabs (assay_output_at (sample->outputs[side], i, column) - place);

    sum += isfinite (distance) ? distance : 0;
    count += isfinite (distance);
  }
  return sum / count;
}

/* Not above 0: there is none. */
static double
scale_of (const EventSample *sample, const TableFeature *feature, Place place, guint side,
          guint which)
{
  const double other = place_of (sample, feature->column, place, 1 - side);

  if (which == 0)
    return fabs (feature->place - other) / sample->epsilon;
  if (which == 1)
    return 1 / sample->epsilon;
  return round_digits (mean_distance (sample, feature->column, feature->place, side),
                       (int) which - 1);
}

/* ---- Cells ---- */

static double
value_at (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  return assay_output_at (outputs, run, feature->column) - feature->place;
}

static guint64
bits_of (double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* "y1", "y1 - 3". */
static char *
describe_value (const TableFeature *feature)
{
  g_autofree char *place = event_number (fabs (feature->place));

  if (feature->place == 0)
    return g_strdup_printf ("y%zu", feature->column + 1);
  return g_strdup_printf ("y%zu %c %s", feature->column + 1, feature->place > 0 ? '-' : '+', place);
}

static guint
cell_power (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  return table_power_of (value_at (feature, outputs, run));
}

static char *
describe_power (const TableFeature *feature, guint cell)
{
  g_autofree char *what = describe_value (feature);

  return table_describe_power (what, cell);
}

#define LOW_BITS 6

/* Of NaN too. */
static guint
cell_low_bits (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  return bits_of (value_at (feature, outputs, run)) & ((1u << LOW_BITS) - 1);
}

static char *
describe_low_bits (const TableFeature *feature, guint cell)
{
  g_autofree char *what = describe_value (feature);

  return g_strdup_printf ("where the lowest %d bits of %s as a double are %u", LOW_BITS, what,
                          cell);
}

#define UNSURE 12
static const double levels[] = { 0x1p-10, 0x1p-6, 0x1p-4, 0x1p-2 };

static guint
cell_reached (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const double y = assay_output_at (outputs, run, feature->column);
  const double distance = fabs (y - feature->place);
  const double t = ldexp (exp (-distance / feature->scale), (int) feature->which);
  const double error = (fabs (y) + 2 * distance) / feature->scale * 0x1p-53 + 0x1p-52;
  const double unsure = t * error, off = fabs (t - rint (t));
  guint level = 0;

  if (!(unsure < levels[G_N_ELEMENTS (levels) - 1]))
    return UNSURE;
  while (unsure >= levels[level])
    level++;
  return 3 * level + (off <= unsure ? 0 : off <= 2 * unsure ? 1 : 2);
}

static char *
describe_reached (const TableFeature *feature, guint cell)
{
  static const char *const how[] = { "a whole number", "nearly a whole number", "no whole number" };
  g_autofree char *what = describe_value (feature);

  if (cell == UNSURE)
    return g_strdup_printf ("where 2^%u exp (-|%s| / %.9g) cannot be told from a whole number",
                            feature->which, what, feature->scale);
  return g_strdup_printf ("where 2^%u exp (-|%s| / %.9g), unsure by less than %g, is %s",
                          feature->which, what, feature->scale, levels[cell / 3], how[cell % 3]);
}

static guint
cell_zeros (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const guint64 bits = bits_of (value_at (feature, outputs, run)) | 1ull << 52;

  return (guint) __builtin_ctzll (bits);
}

static char *
describe_zeros (const TableFeature *feature, guint cell)
{
  return g_strdup_printf ("where the significand of y%zu as a double ends in %u zeros",
                          feature->column + 1, cell);
}

static guint
cell_class (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const double value = value_at (feature, outputs, run);
  const int class = fpclassify (value);

  if (class == FP_NAN)
    return 8;
  return 2
             * (class == FP_ZERO        ? 0
                : class == FP_SUBNORMAL ? 1
                : class == FP_NORMAL    ? 2
                                        : 3)
         + (signbit (value) != 0);
}

static char *
describe_class (const TableFeature *feature, guint cell)
{
  static const char *const classes[]
      = { "0",        "-0",        "subnormal", "subnormal and negative", "above 0", "below 0",
          "infinity", "-infinity", "NaN" };

  return g_strdup_printf ("where y%zu is %s", feature->column + 1, classes[cell]);
}

static guint
cell_residue (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  return (guint) ((bits_of (value_at (feature, outputs, run)) & G_MAXUINT32) % feature->which);
}

static char *
describe_residue (const TableFeature *feature, guint cell)
{
  return g_strdup_printf ("where the lowest 32 bits of y%zu as a double are %u modulo %u",
                          feature->column + 1, cell, feature->which);
}

/* ---- All of them ---- */

gsize
bit_feature_count (gsize cols)
{
  return MIN (cols, MOST_COLUMNS) * PER_COLUMN;
}

static void
make_alone (guint which, TableFeature *feature)
{
  if (which == 0) {
    feature->n_cells = 53;
    feature->cell = cell_zeros;
    feature->describe = describe_zeros;
    feature->python = "zeros column";
  } else if (which == 1) {
    feature->n_cells = 9;
    feature->cell = cell_class;
    feature->describe = describe_class;
    feature->python = "number_class column";
  } else {
    feature->which = feature->n_cells = moduli[which - 2];
    feature->cell = cell_residue;
    feature->describe = describe_residue;
    feature->python = "bit_residue column which";
  }
}

static void
make_reached (const EventSample *sample, Place place, guint side, guint which,
              TableFeature *feature)
{
  const guint scale = which / N_GRIDS;

  feature->which = (guint) grids[which % N_GRIDS];
  feature->scale = scale_of (sample, feature, place, side, scale);
  feature->cell = cell_reached;
  feature->describe = describe_reached;
  feature->python = "reached column which place scale";
  if (feature->scale > 0 && isfinite (feature->scale))
    feature->n_cells = UNSURE + 1;
  for (guint s = 0; s < scale; s++)
    if (scale_of (sample, feature, place, side, s) == feature->scale)
      feature->n_cells = 0;
}

void
bit_feature_make (gsize index, const EventSample *sample, TableFeature *ret_feature)
{
  const guint which = (guint) (index % PER_COLUMN), placed = which % PLACED;
  const Place place = (Place) (which / PLACED / 2);
  const guint side = which / PLACED % 2;

  *ret_feature = (TableFeature){ .column = index / PER_COLUMN };
  if (which >= 2 * N_PLACES * PLACED) {
    make_alone (which - 2 * N_PLACES * PLACED, ret_feature);
    return;
  }
  if (!is_new_place (sample, ret_feature->column, place, side))
    return;
  ret_feature->place = place_of (sample, ret_feature->column, place, side);
  if (placed == 0) {
    ret_feature->n_cells = TABLE_POWERS;
    ret_feature->cell = cell_power;
    ret_feature->describe = describe_power;
    ret_feature->python = "power column place";
  } else if (placed == 1) {
    ret_feature->n_cells = 1u << LOW_BITS;
    ret_feature->cell = cell_low_bits;
    ret_feature->describe = describe_low_bits;
    ret_feature->python = "low_bits column place";
  } else {
    make_reached (sample, place, side, placed - 2, ret_feature);
  }
}
