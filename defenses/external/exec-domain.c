/* What settings say of the inputs of a program. */
#include "defenses/external/exec-domain.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"

const char *const exec_domain_numbers[] = { "real", "whole", NULL };
const char *const exec_domain_bounds[] = { "clamped", "trusted", NULL };

enum { NUMBERS_REAL, NUMBERS_WHOLE };
enum { BOUNDS_CLAMPED, BOUNDS_TRUSTED };

/* Of what neighbours may be apart: pairs that are nearer to each other show nothing. */
#define LEAST_SHARE 1e-3

/* ---- Bounds ---- */

/* The numbers of "0, 0, 1"; of an empty text none. */
static GArray *
parse_bounds (const char *name, const char *text, GError **error)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  for (guint i = 0; *text != '\0' && words[i] != NULL; i++) {
    double number;

    if (!assay_text_to_double (g_strstrip (words[i]), &number) || !isfinite (number)) {
      assay_error_set (error, ASSAY_ERROR_PARAMETER,
                       "%s = %s: '%s' is not a number; expected one for all columns, or one for "
                       "each with commas",
                       name, text, words[i]);
      return NULL;
    }
    g_array_append_val (numbers, number);
  }
  return g_steal_pointer (&numbers);
}

typedef struct {
  GArray *lower, *upper;
} Bounds;

ASSAY_LOCAL_CLEAR (Bounds, clear_bounds, assay_drop (self->lower, g_array_unref),
                   assay_drop (self->upper, g_array_unref))

/* Number @col of those that are there; NAN: there is none. */
static double
bound_at (const GArray *numbers, gsize col)
{
  if (numbers->len == 0)
    return NAN;
  return g_array_index (numbers, double, numbers->len == 1 ? 0 : col);
}

static gboolean
read_bounds (const ExecMechanism *settings, Bounds *ret_bounds, GError **error)
{
  ret_bounds->lower = parse_bounds ("lower", settings->lower, error);
  ret_bounds->upper
      = ret_bounds->lower != NULL ? parse_bounds ("upper", settings->upper, error) : NULL;
  return ret_bounds->upper != NULL;
}

static gboolean
check_bounds (const ExecMechanism *settings, const Bounds *bounds, GError **error)
{
  const guint n_lower = bounds->lower->len, n_upper = bounds->upper->len;

  if (n_lower > 1 && n_upper > 1 && n_lower != n_upper)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "lower has %u numbers and upper %u; expected as many", n_lower, n_upper);
  if (settings->columns > 0 && MAX (n_lower, n_upper) > 1
      && settings->columns != MAX (n_lower, n_upper))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "columns = %" G_GINT64_FORMAT ", and the bounds have %u numbers; expected "
                       "as many, or one for all columns",
                       settings->columns, MAX (n_lower, n_upper));
  for (guint j = 0; n_lower > 0 && n_upper > 0 && j < MAX (n_lower, n_upper); j++)
    if (!(bound_at (bounds->lower, j) < bound_at (bounds->upper, j)))
      return assay_fail (error, ASSAY_ERROR_PARAMETER,
                         "column %u has lower = %g and upper = %g; expected lower below upper", j,
                         bound_at (bounds->lower, j), bound_at (bounds->upper, j));
  return TRUE;
}

gboolean
exec_domain_has_bounds (const ExecMechanism *settings)
{
  return *settings->lower != '\0' && *settings->upper != '\0';
}

gboolean
exec_domain_is_declared (const ExecMechanism *settings)
{
  return settings->adjacency != ASSAY_ADJACENCY_NONE;
}

gboolean
exec_domain_check (const ExecMechanism *settings, GError **error)
{
  const gboolean is_distance = settings->adjacency >= ASSAY_ADJACENCY_L1;
  g_auto (Bounds) bounds = { 0 };

  if (exec_domain_is_declared (settings) && !is_distance && !exec_domain_has_bounds (settings))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "adjacency = %s without bounds; expected lower and upper, between which "
                       "values may change",
                       assay_adjacency_names[settings->adjacency]);
  if (is_distance && settings->numbers == NUMBERS_WHOLE && settings->distance < 1)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "distance = %g of whole numbers; expected at least 1", settings->distance);
  if (settings->adjacency == ASSAY_ADJACENCY_RECORD && settings->records == 1)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "adjacency = record with records = 1; expected two at least, as a program "
                       "is not given an input of no record");
  return read_bounds (settings, &bounds, error) && check_bounds (settings, &bounds, error);
}

/* ---- The domain ---- */

void
exec_domain_shape (const ExecMechanism *settings, gsize *ret_rows, gsize *ret_cols)
{
  const gsize least = settings->adjacency == ASSAY_ADJACENCY_RECORD ? 2 : 1;
  g_auto (Bounds) bounds = { 0 };
  gsize named = 1;

  if (read_bounds (settings, &bounds, NULL))
    named = MAX (1, MAX (bounds.lower->len, bounds.upper->len));
  *ret_rows = settings->records > 0 ? (gsize) settings->records : least;
  *ret_cols = settings->columns > 0 ? (gsize) settings->columns : named;
}

static gboolean
check_shape (const ExecMechanism *settings, const Bounds *bounds, gsize rows, gsize cols,
             GError **error)
{
  const gsize named = MAX (bounds->lower->len, bounds->upper->len);

  if ((settings->records > 0 && (gsize) settings->records != rows)
      || (settings->columns > 0 && (gsize) settings->columns != cols)
      || (named > 1 && named != cols))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "inputs are of %zu x %zu numbers; expected those that records, columns, "
                       "lower and upper say",
                       rows, cols);
  return TRUE;
}

AssayDomain *
exec_domain_new (const ExecMechanism *settings, gsize rows, gsize cols, GError **error)
{
  g_auto (Bounds) bounds = { 0 };
  AssayDomain *domain;

  if (!read_bounds (settings, &bounds, error)
      || !check_shape (settings, &bounds, rows, cols, error))
    return NULL;
  domain = assay_domain_new ((AssayAdjacency) settings->adjacency, rows, cols);
  domain->distance = settings->distance;
  domain->is_whole = settings->numbers == NUMBERS_WHOLE;
  domain->is_trusted = settings->bounds == BOUNDS_TRUSTED;
  for (gsize j = 0; j < cols; j++) {
    const double lower = bound_at (bounds.lower, j), upper = bound_at (bounds.upper, j);

    domain->lower[j] = isnan (lower) ? domain->lower[j] : lower;
    domain->upper[j] = isnan (upper) ? domain->upper[j] : upper;
  }
  return domain;
}

gboolean
exec_domain_check_input (const AssayDomain *domain, const float *input, GError **error)
{
  gsize row, col;
  double value;

  if (!assay_domain_find_outside (domain, input, &row, &col))
    return TRUE;
  value = input[row * domain->cols + col];
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "row %zu, column %zu is %.9g, which contradicts the declared domain; expected "
                     "%s from %g to %g",
                     row, col, value, domain->is_whole ? "a whole number" : "a number",
                     domain->lower[col], domain->upper[col]);
}

gboolean
exec_domain_check_secrets (const ExecMechanism *settings, AssayView secrets, GError **error)
{
  g_autoptr (AssayDomain) domain = NULL;
  gsize rows, cols;

  exec_domain_shape (settings, &rows, &cols);
  if (!exec_domain_has_bounds (settings) || (cols != secrets.cols && cols > 1))
    return TRUE;
  domain = exec_domain_new (settings, rows, secrets.cols, error);
  if (domain == NULL)
    return FALSE;
  domain->rows = 1;
  for (gsize i = 0; i < secrets.rows; i++)
    if (!exec_domain_check_input (domain, assay_view_row (secrets, i), error)) {
      g_prefix_error (error, "secret %zu: ", i);
      return FALSE;
    }
  return TRUE;
}

/* ---- Pairs of a file ---- */

/* Input number @index, of pairs that are checked. */
static gboolean
check_input (const AssayDomain *domain, const float *input, gsize index, GError **error)
{
  if (exec_domain_check_input (domain, input, error))
    return TRUE;
  g_prefix_error (error, "input %zu, ", index);
  return FALSE;
}

gboolean
exec_domain_check_pair (const AssayDomain *domain, gsize index, const float *inputs,
                        double *inout_share, GError **error)
{
  const gsize size = domain->rows * domain->cols;
  const float *second = inputs + size;
  g_autofree char *why_not = NULL;

  if (memcmp (inputs, second, size * sizeof (float)) == 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "inputs %zu and %zu are the same; expected neighbours that differ",
                       2 * index, 2 * index + 1);
  if (domain->adjacency == ASSAY_ADJACENCY_NONE)
    return TRUE;
  if (!check_input (domain, inputs, 2 * index, error)
      || !check_input (domain, second, 2 * index + 1, error))
    return FALSE;
  why_not = assay_domain_why_not (domain, inputs, second);
  *inout_share = MAX (*inout_share, assay_domain_share (domain, inputs, second));
  return why_not == NULL
         || assay_fail (error, ASSAY_ERROR_DATA, "inputs %zu and %zu %s (adjacency = %s)",
                        2 * index, 2 * index + 1, why_not,
                        assay_adjacency_names[domain->adjacency]);
}

gboolean
exec_domain_check_share (const ExecMechanism *settings, const AssayDomain *domain, double share,
                         GError **error)
{
  const gboolean is_distance = domain->adjacency >= ASSAY_ADJACENCY_L1;
  g_autofree char *apart = NULL;

  if (domain->adjacency == ASSAY_ADJACENCY_NONE || share >= LEAST_SHARE)
    return TRUE;
  if (is_distance)
    apart = g_strdup_printf ("%.3g apart, and the claim speaks of neighbours up to %.3g",
                             share * domain->distance, domain->distance);
  else
    apart = g_strdup_printf ("%.3g of the domain's width apart, and the claim speaks of all of it",
                             share);
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "neighbours: %s: no pair is further than %s; expected one that is",
                     settings->neighbours, apart);
}
