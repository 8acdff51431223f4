/* Rules for the encrypted messages of a release of kind updates. */
#include "core/data/kinds/update-messages.h"

#include "core/base/error.h"

static const AssayArray *
get (const AssayRelease *release, const char *name)
{
  return assay_arrays_get (&release->arrays, name);
}

/* ---- Who sent what, when ---- */

/* Numbers from @least to @end - 1. */
static gboolean
check_numbers (const AssayRelease *release, const char *name, gint64 least, gint64 end,
               GError **error)
{
  const AssayArray *array = get (release, name);
  const gsize cols = array != NULL && array->n_dimensions > 1 ? array->shape[1] : 1;
  const gsize n = array != NULL ? array->shape[0] * cols : 0;

  for (gsize i = 0; i < n; i++)
    if (assay_array_int64 (array)[i] < least || assay_array_int64 (array)[i] >= end)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: message %zu has %" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT
                         " to %" G_GINT64_FORMAT,
                         name, i / cols, assay_array_int64 (array)[i], least, end - 1);
  return TRUE;
}

static gboolean
check_messages (const AssayRelease *release, const UpdateSizes *sizes, GError **error)
{
  const gint64 users = sizes->users > 0 ? (gint64) sizes->users : G_MAXINT64;

  if (get (release, "slots") != NULL
      && (get (release, "senders") == NULL || get (release, "sent-steps") == NULL))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "slots without senders or sent-steps; expected of each message who sent it, "
                       "and in which step");
  return check_numbers (release, "slots", -1, (gint64) sizes->weights, error)
         && check_numbers (release, "senders", 0, users, error)
         && check_numbers (release, "sent-steps", 0, (gint64) sizes->steps, error);
}

/* ---- Permutations ---- */

/* Of rows[0] or rows[1] permutations of @p weights. */
static gboolean
check_permutations (const AssayArray *array, const char *name, gsize p, const gsize rows[2],
                    GError **error)
{
  const gsize few = rows[0], many = rows[1];
  g_autofree guint8 *is_there = NULL;

  if (array == NULL)
    return TRUE;
  if (array->shape[1] != p || (array->shape[0] != few && array->shape[0] != many))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%s are %zu x %zu; expected %zu, or %zu, of %zu weights", name,
                       array->shape[0], array->shape[1], few, many, p);
  for (gsize r = 0; r < array->shape[0]; r++) {
    g_free (is_there);
    is_there = assay_alloc (p, 1, "a permutation", error);
    if (is_there == NULL)
      return FALSE;
    for (gsize i = 0; i < p; i++) {
      const gint64 row = assay_array_int64 (array)[r * p + i];

      if (row < 0 || (guint64) row >= p || is_there[row])
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "%s: number %zu of row %zu is %" G_GINT64_FORMAT
                           "; expected each of 0 to %zu once",
                           name, i, r, row, p - 1);
      is_there[row] = 1;
    }
  }
  return TRUE;
}

/* ---- Ciphertexts ---- */

static gboolean
check_key (const AssayRelease *release, GError **error)
{
  const AssayArray *ciphertexts = get (release, "ciphertexts"), *modulus = get (release, "modulus");
  const AssayArray *factors = get (release, "factors");

  if (ciphertexts != NULL && modulus != NULL && ciphertexts->shape[1] != 2 * modulus->shape[0])
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "ciphertexts have %zu bytes and the modulus %zu; expected twice as many of "
                       "a ciphertext",
                       ciphertexts->shape[1], modulus->shape[0]);
  if (factors != NULL && modulus != NULL
      && (factors->shape[0] != 2 || 2 * factors->shape[1] != modulus->shape[0]))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "factors are %zu x %zu; expected 2 of half the %zu bytes of the modulus",
                       factors->shape[0], factors->shape[1], modulus->shape[0]);
  return TRUE;
}

/* A ciphertext, and an exponent where there are some, of each column. */
static gboolean
check_columns (const AssayRelease *release, GError **error)
{
  const AssayArray *slots = get (release, "slots"), *ciphertexts = get (release, "ciphertexts");
  const AssayArray *exponents = get (release, "exponents");
  gsize columns = 0;

  for (gsize i = 0; slots != NULL && i < slots->shape[0] * slots->shape[1]; i++)
    columns += assay_array_int64 (slots)[i] >= 0;
  if (slots != NULL && ciphertexts != NULL && ciphertexts->shape[0] != columns)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu ciphertexts; expected %zu, as messages have columns",
                       ciphertexts->shape[0], columns);
  if (exponents != NULL && ciphertexts != NULL && exponents->shape[0] != ciphertexts->shape[0])
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu exponents; expected %zu, as there are ciphertexts", exponents->shape[0],
                       ciphertexts->shape[0]);
  return TRUE;
}

gboolean
update_messages_check (const AssayRelease *release, const UpdateSizes *sizes, GError **error)
{
  const gsize n = sizes->users, p = sizes->weights;

  if (get (release, "own-permutations") != NULL && n == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "own-permutations without the parameter 'users'; expected how many have "
                       "one");
  return check_messages (release, sizes, error) && check_key (release, error)
         && check_columns (release, error)
         && check_permutations (get (release, "permutations"), "permutations", p,
                                (const gsize[]){ 1, sizes->steps }, error)
         && check_permutations (get (release, "own-permutations"), "own-permutations", p,
                                (const gsize[]){ n, n * sizes->steps }, error);
}
