/* How the columns of an output compare: which is largest and smallest, two of them, the order of
 * all of a few, how many neighbours are equal or descend. */
#include "attacks/mechanisms/table-feature.h"

#include <string.h>

#define MOST_PAIRED 16  /* columns of which all pairs are compared; of more, neighbours */
#define MOST_PERMUTED 5 /* columns whose whole order is a cell */

/* By keys, so that NaN is the largest of all. */
static guint
cell_extreme (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const gsize most = MIN (outputs.cols, TABLE_MOST_CELLS);
  gsize best = 0;

  for (gsize j = 1; j < most; j++) {
    const guint64 key = event_key_at (outputs, run, j), other = event_key_at (outputs, run, best);

    if (feature->which != 0 ? key > other : key < other)
      best = j;
  }
  return (guint) best;
}

static char *
describe_extreme (const TableFeature *feature, guint cell)
{
  return g_strdup_printf ("where y%u is the %s", cell + 1,
                          feature->which != 0 ? "largest" : "smallest");
}

static guint
cell_compared (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const guint64 first = event_key_at (outputs, run, feature->column);
  const guint64 second = event_key_at (outputs, run, feature->other);

  return first < second ? 0 : first == second ? 1 : 2;
}

static char *
describe_compared (const TableFeature *feature, guint cell)
{
  static const char *const signs[] = { "<", "=", ">" };

  return g_strdup_printf ("where y%zu %s y%zu", feature->column + 1, signs[cell],
                          feature->other + 1);
}

/* Number of the permutation that sorts the first columns (Lehmer code). */
static guint
cell_permutation (G_GNUC_UNUSED const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  const gsize n = MIN (outputs.cols, MOST_PERMUTED);
  guint code = 0;

  for (gsize i = 0; i < n; i++) {
    guint smaller = 0;

    for (gsize j = i + 1; j < n; j++)
      smaller += event_key_at (outputs, run, j) < event_key_at (outputs, run, i);
    code = code * (guint) (n - i) + smaller;
  }
  return code;
}

/* "where y2 < y1 <= y3". */
static char *
describe_permutation (const TableFeature *feature, guint cell)
{
  const gsize n = feature->other;
  GString *text = g_string_new ("where ");
  gsize order[MOST_PERMUTED];

  /* From the last digit on, each column goes to its place among those after it. */
  for (gsize i = n; i-- > 0; cell /= (guint) (n - i)) {
    const gsize place = cell % (n - i);

    memmove (order + place + 1, order + place, (n - 1 - i - place) * sizeof *order);
    order[place] = i;
  }
  for (gsize k = 0; k < n; k++)
    g_string_append_printf (text, "%sy%zu",
                            k == 0                    ? ""
                            : order[k - 1] < order[k] ? " <= "
                                                      : " < ",
                            order[k] + 1);
  return g_string_free (text, FALSE);
}

/* Neighbours that are equal, or descend. */
static guint
cell_neighbours (const TableFeature *feature, AssayOutputs outputs, gsize run)
{
  guint count = 0;

  for (gsize j = 0; j + 1 < outputs.cols; j++) {
    const guint64 key = event_key_at (outputs, run, j), next = event_key_at (outputs, run, j + 1);

    count += feature->which != 0 ? key > next : key == next;
  }
  return MIN (count, TABLE_MOST_CELLS - 1);
}

static char *
describe_neighbours (const TableFeature *feature, guint cell)
{
  return g_strdup_printf ("where %u columns %s", cell,
                          feature->which != 0 ? "are larger than the next" : "equal the next");
}

static gsize
count_compared (gsize cols)
{
  return cols <= MOST_PAIRED ? cols * (cols - 1) / 2 : cols - 1;
}

gsize
order_feature_count (gsize cols)
{
  return count_compared (cols) + 5;
}

void
order_feature_make (gsize index, gsize cols, TableFeature *ret_feature)
{
  const gsize compared = count_compared (cols);
  TableFeature *feature = ret_feature;

  *feature = (TableFeature){ .column = index, .n_cells = TABLE_MOST_CELLS };
  if (index < compared) {
    feature->cell = cell_compared;
    feature->describe = describe_compared;
    feature->python = "compared column other";
    feature->n_cells = 3;
    feature->column = index;
    feature->other = index + 1;
    /* Pairs in the order (1, 0), (2, 0), (2, 1), ... */
    for (gsize j = 1, left = index; cols <= MOST_PAIRED && j < cols; left -= j++)
      if (left < j) {
        feature->column = left;
        feature->other = j;
        break;
      }
    return;
  }
  index -= compared;
  feature->which = index % 2;
  feature->cell = index < 2 ? cell_extreme : index < 4 ? cell_neighbours : cell_permutation;
  feature->describe = index < 2   ? describe_extreme
                      : index < 4 ? describe_neighbours
                                  : describe_permutation;
  feature->python = index < 2   ? "extreme which"
                    : index < 4 ? "neighbours which"
                                : "permutation other";
  feature->other = MIN (cols, MOST_PERMUTED);
}
