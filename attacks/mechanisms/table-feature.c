/* Features of outputs.
 *
 * Tails: cells at the ends of a column that hold half as many runs each, the further out they are,
 * and are as wide as it takes: no deviation is too large to be told from another one, and values
 * beyond all that training saw are in the last cell.
 *
 * Digits: the last decimal digit of the value rounded to so many places, residues of whole numbers,
 * the part behind the point, the lowest bits of the float32, and the largest power of two that
 * divides the value: what remains of a secret where noise was rounded, or added in steps.
 *
 * Finite: which of NaN, infinity and -infinity are in the output, or in one of its columns. */
#include "attacks/mechanisms/table-feature.h"

#include <math.h>
#include <string.h>

#include "core/base/each.h"

/* ---- Tails ---- */

#define LEAST_TAIL 8 /* runs in the outermost cell */

static guint
cell_tail (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const guint64 key = event_key_at (outputs, run, feature->column);
  guint low = 0, high = feature->n_edges;

  ASSAY_BISECT (guint, edge, low, high, feature->edges[edge] < key)
  return low;
}

static char *
describe_tail (const TableFeature *feature, guint cell)
{
  const gsize column = feature->column + 1;
  g_autofree char *low
      = cell > 0 ? event_number (assay_output_value (feature->edges[cell - 1])) : NULL;
  g_autofree char *high
      = cell < feature->n_edges ? event_number (assay_output_value (feature->edges[cell])) : NULL;

  if (low == NULL && high == NULL)
    return g_strdup ("everywhere");
  if (low == NULL)
    return g_strdup_printf ("where y%zu <= %s", column, high);
  if (high == NULL)
    return g_strdup_printf ("where y%zu > %s", column, low);
  return g_strdup_printf ("where %s < y%zu <= %s", low, column, high);
}

static void
make_tail (const EventSample *sample, TableFeature *feature)
{
  const gsize n = 2 * sample->count;
  g_autofree guint64 *keys = g_new (guint64, n);
  gsize ranks[TABLE_MOST_CELLS], n_ranks = 0, size;

  for (gsize i = 0; i < n; i++)
    keys[i] = event_key_at (sample->outputs[i % 2], i / 2, feature->column);
  event_sort_keys (keys, n);
  for (size = LEAST_TAIL; size <= n / 4; size *= 2)
    ranks[n_ranks++] = size - 1;
  for (ranks[n_ranks++] = n / 2; size > LEAST_TAIL; size /= 2)
    ranks[n_ranks++] = n - size / 2 - 1;
  for (gsize r = 0; r < n_ranks; r++) {
    const guint64 key = keys[ranks[r]];

    /* What stands between two values is told apart from both, where one is taken often. */
    if (key < keys[n - 1] && (feature->n_edges == 0 || key > feature->edges[feature->n_edges - 1]))
      feature->edges[feature->n_edges++] = key;
  }
  feature->n_cells = feature->n_edges + 1;
}

/* ---- Digits ---- */

#define MOST_PLACES 6
#define MOST_WHOLE 9007199254740992.0 /* a double holds whole numbers up to this */

/* The last cell of all of these: a value of which this cannot be said. */

static guint
residue (double value, guint modulus)
{
  gint64 rest;

  if (!(fabs (value) <= MOST_WHOLE))
    return modulus;
  rest = llrint (value) % modulus;
  return (guint) (rest < 0 ? rest + modulus : rest);
}

static guint
cell_digit (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  static const double powers[MOST_PLACES + 1] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };

  return residue (assay_output_at (outputs, run, feature->column) * powers[feature->which], 10);
}

static char *
describe_digit (const TableFeature *feature, guint cell)
{
  return cell == 10 ? g_strdup_printf ("where y%zu has no digit at 10^-%u", feature->column + 1,
                                       feature->which)
                    : g_strdup_printf ("where y%zu 10^%u, rounded, is %u modulo 10",
                                       feature->column + 1, feature->which, cell);
}

static guint
cell_modulus (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const double value = assay_output_at (outputs, run, feature->column);

  return value == trunc (value) ? residue (value, feature->which) : feature->which;
}

static char *
describe_modulus (const TableFeature *feature, guint cell)
{
  return cell == feature->which
             ? g_strdup_printf ("where y%zu is no whole number", feature->column + 1)
             : g_strdup_printf ("where y%zu is %u modulo %u", feature->column + 1, cell,
                                feature->which);
}

#define FRACTIONS 64

static guint
cell_fraction (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const double value = assay_output_at (outputs, run, feature->column);

  return isfinite (value) ? MIN ((guint) ((value - floor (value)) * FRACTIONS), FRACTIONS - 1)
                          : FRACTIONS;
}

static char *
describe_fraction (const TableFeature *feature, guint cell)
{
  return cell == FRACTIONS
             ? g_strdup_printf ("where y%zu is not finite", feature->column + 1)
             : g_strdup_printf ("where y%zu - floor (y%zu) is from %g to below %g",
                                feature->column + 1, feature->column + 1, (double) cell / FRACTIONS,
                                (double) (cell + 1) / FRACTIONS);
}

#define LOW_BITS 4

static guint
cell_low_bits (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const double value = assay_output_at (outputs, run, feature->column);
  const float narrow = (float) value;
  guint32 bits;

  if (!isfinite (value))
    return 1u << LOW_BITS;
  memcpy (&bits, &narrow, sizeof bits);
  return bits & ((1u << LOW_BITS) - 1);
}

static char *
describe_low_bits (const TableFeature *feature, guint cell)
{
  return cell == 1u << LOW_BITS
             ? g_strdup_printf ("where y%zu is not finite", feature->column + 1)
             : g_strdup_printf ("where the lowest %d bits of y%zu as a float32 are %u", LOW_BITS,
                                feature->column + 1, cell);
}

/* 2^-LOWEST .. 2^(POWERS - LOWEST - 1), then zero, then what is not finite. */
#define POWERS 126
#define LOWEST 90

guint
table_power_of (double value)
{
  int exponent;
  guint64 mantissa;

  if (value == 0)
    return POWERS;
  if (!isfinite (value))
    return POWERS + 1;
  mantissa = (guint64) ldexp (fabs (frexp (value, &exponent)), 53);
  exponent += __builtin_ctzll (mantissa) - 53;
  return (guint) CLAMP (exponent + LOWEST, 0, POWERS - 1);
}

char *
table_describe_power (const char *what, guint cell)
{
  if (cell >= POWERS)
    return g_strdup_printf ("where %s is %s", what, cell == POWERS ? "0" : "not finite");
  return g_strdup_printf ("where %s is an odd multiple of 2^%d", what, (int) cell - LOWEST);
}

static guint
cell_power (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  return table_power_of (assay_output_at (outputs, run, feature->column));
}

static char *
describe_power (const TableFeature *feature, guint cell)
{
  g_autofree char *what = g_strdup_printf ("y%zu", feature->column + 1);

  return table_describe_power (what, cell);
}

static const guint moduli[] = { 3, 7, 11, 13, 16 };

#define DIGIT_FEATURES (MOST_PLACES + 1 + G_N_ELEMENTS (moduli) + 3)

static void
make_digits (gsize index, TableFeature *feature)
{
  const guint kind = (guint) (index % DIGIT_FEATURES);

  feature->column = index / DIGIT_FEATURES;
  if (kind <= MOST_PLACES) {
    feature->which = kind;
    feature->n_cells = 11;
    feature->cell = cell_digit;
    feature->describe = describe_digit;
    feature->python = "digit column which";
  } else if (kind <= MOST_PLACES + G_N_ELEMENTS (moduli)) {
    feature->which = moduli[kind - MOST_PLACES - 1];
    feature->n_cells = feature->which + 1;
    feature->cell = cell_modulus;
    feature->describe = describe_modulus;
    feature->python = "modulus column which";
  } else if (kind == DIGIT_FEATURES - 3) {
    feature->n_cells = FRACTIONS + 1;
    feature->cell = cell_fraction;
    feature->describe = describe_fraction;
    feature->python = "fraction column";
  } else if (kind == DIGIT_FEATURES - 2) {
    feature->n_cells = (1u << LOW_BITS) + 1;
    feature->cell = cell_low_bits;
    feature->describe = describe_low_bits;
    feature->python = "low_bits_of_float column";
  } else {
    feature->n_cells = TABLE_POWERS;
    feature->cell = cell_power;
    feature->describe = describe_power;
    feature->python = "power column place";
  }
}

/* ---- Finite ---- */

static guint
class_of (double value)
{
  if (isnan (value))
    return assay_output_is_failed (value) ? 8 : 1;
  return isinf (value) ? (value > 0 ? 2 : 4) : 0;
}

static guint
cell_row_finite (G_GNUC_UNUSED const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  guint all = 0;

  for (gsize j = 0; j < outputs.cols; j++)
    all |= class_of (assay_output_at (outputs, run, j));
  return all;
}

static guint
cell_finite (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  return class_of (assay_output_at (outputs, run, feature->column));
}

static const char *
say_class (guint cell)
{
  static const char *const classes[] = { "finite",
                                         "NaN",
                                         "infinity",
                                         "NaN and infinity",
                                         "-infinity",
                                         "NaN and -infinity",
                                         "infinity and -infinity",
                                         "NaN, infinity and -infinity" };

  return cell < 8 ? classes[cell] : "failed";
}

static char *
describe_row_finite (G_GNUC_UNUSED const TableFeature *feature, guint cell)
{
  if (cell >= 8)
    return g_strdup ("where the program failed");
  return cell == 0 ? g_strdup ("where the output is finite")
                   : g_strdup_printf ("where the output is not finite (%s)", say_class (cell));
}

static char *
describe_finite (const TableFeature *feature, guint cell)
{
  return g_strdup_printf ("where y%zu is %s", feature->column + 1, say_class (cell));
}

/* ---- All of them ---- */

gsize
table_feature_count (EventKind kind, gsize cols)
{
  switch (kind) {
  case EVENT_TAILS:
    return cols;
  case EVENT_DIGITS:
    return cols * DIGIT_FEATURES;
  case EVENT_FINITE:
    return cols + 1;
  default:
    g_return_val_if_reached (0);
  }
}

void
table_feature_make (EventKind kind, gsize index, const EventSample *sample,
                    TableFeature *ret_feature)
{
  *ret_feature = (TableFeature){ .column = index };
  switch (kind) {
  case EVENT_TAILS:
    ret_feature->cell = cell_tail;
    ret_feature->describe = describe_tail;
    ret_feature->python = "tail column edges";
    make_tail (sample, ret_feature);
    break;
  case EVENT_DIGITS:
    make_digits (index, ret_feature);
    break;
  default:
    ret_feature->n_cells = 16;
    ret_feature->column = index > 0 ? index - 1 : 0;
    ret_feature->cell = index > 0 ? cell_finite : cell_row_finite;
    ret_feature->describe = index > 0 ? describe_finite : describe_row_finite;
    ret_feature->python = index > 0 ? "column_finite column" : "row_finite";
  }
}
