/* What a mechanism declares of its inputs, and what pairs of others are in it. */
#include "core/plugin/domain.h"

#include <math.h>

const char *const assay_adjacency_names[]
    = { "none", "any", "value", "record", "replace", "l1", "l2", "linf", NULL };

/* A distance that was rounded to float32 twice may be beyond its bound by so much of it. */
#define ROUNDING 1e-6

/* Numbers of both inputs that are written out; and records or numbers in which they differ. */
#define MAX_WHOLE 16
#define MAX_DIFFERENT 4

AssayDomain *
assay_domain_new (AssayAdjacency adjacency, gsize rows, gsize cols)
{
  AssayDomain *domain = g_new0 (AssayDomain, 1);

  *domain = (AssayDomain){ .adjacency = adjacency,
                           .distance = 1,
                           .rows = rows,
                           .cols = cols,
                           .lower = g_new (double, cols),
                           .upper = g_new (double, cols) };
  for (gsize j = 0; j < cols; j++) {
    domain->lower[j] = -INFINITY;
    domain->upper[j] = INFINITY;
  }
  return domain;
}

ASSAY_FREE_FUNC (AssayDomain, assay_domain_free, g_free (self->lower), g_free (self->upper))

/* ---- Pairs of others ---- */

static gboolean
is_absent (const float *record, gsize cols)
{
  for (gsize j = 0; j < cols; j++)
    if (!isnan (record[j]))
      return FALSE;
  return TRUE;
}

gboolean
assay_domain_find_outside (const AssayDomain *domain, const float *input, gsize *ret_row,
                           gsize *ret_col)
{
  for (gsize r = 0; r < domain->rows; r++) {
    const float *record = input + r * domain->cols;

    for (gsize j = 0; j < domain->cols && !is_absent (record, domain->cols); j++) {
      const double value = record[j];

      if (value >= (float) domain->lower[j] && value <= (float) domain->upper[j]
          && !(domain->is_whole && value != rint (value)))
        continue;
      *ret_row = r;
      *ret_col = j;
      return TRUE;
    }
  }
  return FALSE;
}

/* In what two inputs differ. */
typedef struct {
  gsize more, less, records, numbers; /* records in one alone; those, and numbers, that differ */
  double l1, l2, linf;
  double width; /* the largest difference of a number, as a share of its bounds' distance */
} Difference;

static void
add_record (const AssayDomain *domain, const float *a, const float *b, Difference *difference)
{
  gboolean differs = FALSE;

  for (gsize j = 0; j < domain->cols; j++) {
    const double apart = fabs ((double) a[j] - (double) b[j]);

    differs |= apart > 0;
    difference->numbers += apart > 0;
    difference->l1 += apart;
    difference->l2 += apart * apart;
    difference->linf = MAX (difference->linf, apart);
    difference->width = MAX (difference->width, apart / (domain->upper[j] - domain->lower[j]));
  }
  difference->records += differs;
}

static Difference
compare (const AssayDomain *domain, const float *first, const float *second)
{
  Difference difference = { 0 };

  for (gsize r = 0; r < domain->rows; r++) {
    const float *a = first + r * domain->cols, *b = second + r * domain->cols;
    const gboolean has_a = !is_absent (a, domain->cols), has_b = !is_absent (b, domain->cols);

    difference.more += has_a && !has_b;
    difference.less += has_b && !has_a;
    if (has_a && has_b)
      add_record (domain, a, b, &difference);
  }
  difference.l2 = sqrt (difference.l2);
  return difference;
}

static double
distance_of (const AssayDomain *domain, const Difference *difference)
{
  return domain->adjacency == ASSAY_ADJACENCY_L1   ? difference->l1
         : domain->adjacency == ASSAY_ADJACENCY_L2 ? difference->l2
                                                   : difference->linf;
}

char *
assay_domain_why_not (const AssayDomain *domain, const float *first, const float *second)
{
  const Difference found = compare (domain, first, second);
  const gsize uneven = found.more + found.less;

  switch (domain->adjacency) {
  case ASSAY_ADJACENCY_NONE:
  case ASSAY_ADJACENCY_ANY:
    return NULL;
  case ASSAY_ADJACENCY_RECORD:
    return uneven == 1 && found.records == 0
               ? NULL
               : g_strdup_printf ("have %zu records that the other has not, and %zu that differ; "
                                  "expected one record more in one of them",
                                  uneven, found.records);
  case ASSAY_ADJACENCY_VALUE:
  case ASSAY_ADJACENCY_REPLACE:
  case ASSAY_ADJACENCY_L1:
  case ASSAY_ADJACENCY_L2:
  case ASSAY_ADJACENCY_LINF:
    break;
  }
  if (uneven > 0)
    return g_strdup ("have another number of records; expected as many");
  if (domain->adjacency == ASSAY_ADJACENCY_VALUE)
    return found.numbers <= 1 ? NULL
                              : g_strdup_printf ("differ in %zu numbers; expected one",
                                                 found.numbers);
  if (domain->adjacency == ASSAY_ADJACENCY_REPLACE)
    return found.records <= 1 ? NULL
                              : g_strdup_printf ("differ in %zu records; expected one",
                                                 found.records);
  return distance_of (domain, &found) <= domain->distance * (1 + ROUNDING)
             ? NULL
             : g_strdup_printf ("are %.9g apart; expected at most %.9g",
                                distance_of (domain, &found), domain->distance);
}

double
assay_domain_share (const AssayDomain *domain, const float *first, const float *second)
{
  const Difference found = compare (domain, first, second);

  if (found.more + found.less > 0)
    return 1;
  return domain->adjacency >= ASSAY_ADJACENCY_L1 ? distance_of (domain, &found) / domain->distance
                                                 : found.width;
}

/* ---- In words ---- */

static void
append_record (GString *text, const float *record, gsize cols)
{
  const gsize shown = MIN (cols, MAX_WHOLE);

  if (is_absent (record, cols)) {
    g_string_append (text, "none");
    return;
  }
  for (gsize j = 0; j < shown; j++)
    g_string_append_printf (text, "%s%.9g", j > 0 ? " " : "", (double) record[j]);
  if (shown < cols)
    g_string_append_printf (text, " ... %zu numbers", cols);
}

static void
append_input (GString *text, const float *input, gsize rows, gsize cols)
{
  g_string_append_c (text, '(');
  for (gsize r = 0; r < rows; r++) {
    g_string_append (text, r > 0 ? ", " : "");
    append_record (text, input + r * cols, cols);
  }
  g_string_append_c (text, ')');
}

/* A record in which two inputs differ: the numbers, or that one of them has it alone. */
static void
append_difference (GString *text, const float *a, const float *b, gsize cols, gsize row,
                   guint *inout_left)
{
  if (is_absent (a, cols) || is_absent (b, cols)) {
    g_string_append_printf (text, "; record %zu is (", row);
    append_record (text, is_absent (a, cols) ? b : a, cols);
    g_string_append_printf (text, ") in the %s alone", is_absent (a, cols) ? "second" : "first");
    --*inout_left;
    return;
  }
  for (gsize j = 0; j < cols && *inout_left > 0; j++)
    if (a[j] != b[j]) {
      g_string_append_printf (text, "; record %zu, number %zu is %.9g and %.9g", row, j,
                              (double) a[j], (double) b[j]);
      --*inout_left;
    }
}

static gsize
count_differences (const float *a, const float *b, gsize cols)
{
  gsize count = 0;

  if (is_absent (a, cols) || is_absent (b, cols))
    return is_absent (a, cols) != is_absent (b, cols);
  for (gsize j = 0; j < cols; j++)
    count += a[j] != b[j];
  return count;
}

char *
assay_pair_describe (const float *first, const float *second, gsize rows, gsize cols)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint left = MAX_DIFFERENT;
  gsize different = 0;

  if (rows * cols <= MAX_WHOLE) {
    append_input (text, first, rows, cols);
    g_string_append (text, " and ");
    append_input (text, second, rows, cols);
    return g_string_free (g_steal_pointer (&text), FALSE);
  }
  for (gsize r = 0; r < rows; r++)
    different += count_differences (first + r * cols, second + r * cols, cols);
  g_string_append_printf (text, "inputs of %zu x %zu numbers that differ in %zu", rows, cols,
                          different);
  for (gsize r = 0; r < rows && left > 0; r++)
    if (count_differences (first + r * cols, second + r * cols, cols) > 0)
      append_difference (text, first + r * cols, second + r * cols, cols, r, &left);
  if (different > MAX_DIFFERENT)
    g_string_append (text, "; ...");
  return g_string_free (g_steal_pointer (&text), FALSE);
}
