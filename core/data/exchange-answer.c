/* Releases and guesses that others made, as a cell takes them over: a program's answer, a folder.
 * Which arrays they have, and that these fit each other, was checked when they were read. */
#include "core/base/error.h"
#include "core/data/exchange.h"

const char *const assay_release_kinds[]
    = { "vectors", "subspaces", "vector-sets", "statistics", "mixtures", "codes", NULL };

static void
take_arrays (AssayArrays *arrays, const AssayArrays *answer)
{
  for (guint i = 0; i < answer->names->len; i++)
    assay_arrays_take (arrays, answer->names->pdata[i],
                       assay_array_copy (answer->arrays->pdata[i]));
}

void
assay_release_take_answer (AssayRelease *release, const AssayRelease *answer)
{
  take_arrays (&release->arrays, &answer->arrays);
  release->is_unit_norm = answer->is_unit_norm;
  release->geometry = answer->geometry;
  release->bits = answer->bits;
}

void
assay_guess_take_answer (AssayGuess *guess, const AssayGuess *answer)
{
  take_arrays (&guess->arrays, &answer->arrays);
  guess->is_unordered = answer->is_unordered;
}

gboolean
assay_release_check_answer (const AssayRelease *answer, AssayReleaseKind kind, gsize n, gsize cols,
                            GError **error)
{
  const gsize items = assay_release_count (answer);
  const gboolean is_one_each = kind != ASSAY_RELEASE_STATISTICS && kind != ASSAY_RELEASE_MIXTURES;
  const gboolean has_rows = kind != ASSAY_RELEASE_STATISTICS && kind != ASSAY_RELEASE_CODES;

  if (answer->kind != kind)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release holds %s, expected %s (setting 'produces')",
                       assay_release_kind_name (answer->kind), assay_release_kind_name (kind));
  if (is_one_each && items != n)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release holds %" G_GSIZE_FORMAT
                       " items, expected one for each of %" G_GSIZE_FORMAT
                       " secrets of the cell, in their order",
                       items, n);
  if (has_rows && assay_release_cols (answer) != cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release holds rows of %" G_GSIZE_FORMAT
                       " columns, expected %" G_GSIZE_FORMAT " as the secrets have",
                       assay_release_cols (answer), cols);
  return TRUE;
}
