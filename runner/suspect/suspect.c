/* Cells whose guesses or releases have a scale that cannot be right.
 *
 * Attacks scale what they know as the release says that its secrets were (unit_norm). Who leaves
 * that out, or says it of what is not so, is attacked on the wrong scale: guesses are hundreds of
 * lengths away, and "little is recovered" would be upheld. So what is said is held against the
 * data:
 *   subspaces    the point nearest to the origin is no farther away than the secret, which is in
 *                the subspace, and not far nearer: of m random directions of d a share of
 *                sqrt (1 - m / d) of the length is left, and a hundredth is as far as one gets
 *   vector sets  entries are as long as secrets, within a factor of ten
 *   vectors      rows of length 1 are of secrets of about that length
 * and a guess that is ten times as long as its secret, or as far away, in half of all cases is no
 * attack's best: to guess nothing would be nearer. Attacks that take what is released for the
 * secret are left out of that, as they are where claims ask for attacks that could have won. */
#include "runner/suspect/suspect.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/vectors.h"
#include "runner/store/records.h"
#include "runner/suspect/planted-rows.h"

#define FAR 10.0   /* lengths */
#define NEAR 0.01  /* of the length */
#define ABOUT 1.02 /* rounding and noise that descriptors may have had before */

/* Sorts @values. */
static double
median_of (double *values, gsize n)
{
  qsort (values, n, sizeof *values, assay_compare_doubles);
  return values[n / 2];
}

static double
usual_length (AssayView rows)
{
  g_autofree double *lengths = g_new (double, rows.rows + 1);

  for (gsize i = 0; i < rows.rows; i++)
    lengths[i] = sqrt (assay_squared_norm (assay_view_row (rows, i), rows.cols));
  return median_of (lengths, rows.rows);
}

static gboolean
are_of_length_one (AssayView rows)
{
  for (gsize i = 0; i < rows.rows; i++)
    if (!(fabs (sqrt (assay_squared_norm (assay_view_row (rows, i), rows.cols)) - 1) < 1e-3))
      return FALSE;
  return rows.rows > 0;
}

/* ---- What is released ---- */

/* The usual distance of the subspaces from the origin, as a share of their secrets' lengths. */
static double
usual_foot (const AssaySubspaces *subspaces, AssayView secrets)
{
  const gsize m = subspaces->dimension, d = subspaces->cols;
  g_autofree double *shares = g_new (double, secrets.rows + 1);

  for (gsize i = 0; i < secrets.rows; i++) {
    const float *translation = subspaces->translation + i * d;
    double square = assay_squared_norm (translation, d);
    const double length = sqrt (assay_squared_norm (assay_view_row (secrets, i), d));

    for (gsize k = 0; k < m; k++) {
      const double along = assay_dot (translation, subspaces->basis + (i * m + k) * d, d);

      square -= along * along;
    }
    shares[i] = length > 0 ? sqrt (MAX (square, 0)) / length : 1;
  }
  return median_of (shares, secrets.rows);
}

static char *
say_scale (const AssayRelease *release, const char *what, double found, double length)
{
  return g_strdup_printf (
      "%s %.4g, and the secrets have a length of %.4g%s: the release %s unit_norm", what, found,
      length, release->is_unit_norm ? " as it says" : "",
      release->is_unit_norm ? "should not say" : "may lack");
}

static char *
check_release (const AssayRelease *release, AssayView secrets)
{
  const gsize cols = assay_release_cols (release);
  const double length = usual_length (secrets);

  if (cols != secrets.cols || secrets.rows == 0 || length == 0)
    return NULL;
  if (release->kind == ASSAY_RELEASE_SUBSPACES && assay_release_count (release) == secrets.rows) {
    const AssaySubspaces subspaces = assay_release_subspaces (release);
    const double foot = usual_foot (&subspaces, secrets);

    if (subspaces.dimension < cols / 2 && !(foot >= NEAR && foot <= ABOUT))
      return say_scale (release, "subspaces usually pass the origin at", foot * length, length);
  } else if (release->kind == ASSAY_RELEASE_VECTOR_SETS) {
    const AssayArray *dictionary = assay_arrays_get (&release->arrays, "dictionary");
    const double found = dictionary != NULL ? usual_length (assay_array_view (dictionary)) : length;

    if (found > FAR * length || found * FAR < length)
      return say_scale (release, "entries of its dictionary usually have the length", found,
                        length);
  } else if (release->kind == ASSAY_RELEASE_VECTORS && !release->is_unit_norm
             && (length > 2 || length < 0.5)) {
    const AssaySubspaces points = assay_release_subspaces (release);
    const AssayView rows
        = { .data = points.translation, .rows = points.count, .cols = cols, .stride = cols };

    if (are_of_length_one (rows))
      return say_scale (release, "all its rows have the length", 1, length);
  }
  return NULL;
}

/* ---- What is guessed ---- */

static char *
check_guess (const AssayGuess *guess, AssayView secrets)
{
  const AssayArray *array = assay_arrays_get (&guess->arrays, "estimates");
  const AssayView estimates = array != NULL ? assay_array_view (array) : (AssayView){ 0 };
  g_autofree double *errors = NULL;
  double usual;

  if (guess->is_unordered || estimates.rows != secrets.rows || estimates.cols != secrets.cols
      || secrets.rows == 0)
    return NULL;
  errors = g_new0 (double, secrets.rows);
  for (gsize i = 0; i < secrets.rows; i++) {
    const float *a = assay_view_row (estimates, i), *b = assay_view_row (secrets, i);
    const double length = assay_squared_norm (b, secrets.cols);

    for (gsize j = 0; j < secrets.cols; j++)
      errors[i] += ((double) a[j] - b[j]) * ((double) a[j] - b[j]);
    errors[i] = length > 0 ? sqrt (errors[i] / length) : 0;
  }
  usual = median_of (errors, secrets.rows);
  return usual > FAR ? g_strdup_printf ("guesses are usually %.4g lengths away from the secrets, "
                                        "where to guess nothing would be 1 away: something is on "
                                        "another scale",
                                        usual)
                     : NULL;
}

static char *
find_wrong_scale (const AssayAttack *attack, const AssayRelease *release, const AssayTruth *truth,
                  const AssayGuess *guess)
{
  const AssayArray *array = assay_arrays_get (&truth->arrays, "secrets");
  char *why;

  if (release == NULL || array == NULL)
    return NULL;
  why = check_release (release, assay_array_view (array));
  if (why == NULL && !attack->is_generic)
    why = check_guess (guess, assay_array_view (array));
  return why;
}

gboolean
assay_suspect_find (const AssaySuspicion *of, char **ret_said, GError **error)
{
  const AssayAttack *attack = assay_plan_attack (of->plan, of->cell)->attack;
  g_autofree char *why = find_wrong_scale (attack, of->job->release, of->job->truth, of->guess);
  AssayGranted granted;
  const AssayPlantedRows known = { of->plan, of->cell, attack, of->settings, of->job, &granted };

  *ret_said = NULL;
  if (why == NULL && of->cell->trial == 0 && of->job->release->kind == ASSAY_RELEASE_SUBSPACES
      && (!assay_workspace_grant (of->workspace, of->cell, of->settings, FALSE, &granted, error)
          || !assay_planted_rows_check (&known, &why, error)))
    return FALSE;
  if (why == NULL)
    return TRUE;
  *ret_said = g_strconcat ("suspect: ", why, NULL);
  return assay_store_set_suspect (of->store, of->index, why, error);
}
