/* How much pictures that an attack made of features look like those that the features were made of:
 * structural similarity (core/math/image-quality.h), the correlation of pixels, and how often the
 * picture is more like its own original than like those of all other secrets, by correlation.
 *
 * Truth: originals n x p, whose the secrets are and when they were trained on; guess: pictures,
 * with the step and the user that each is of. Units are the secrets that were a user's alone in a
 * step (of several nobody can say which a picture is of). Of one without a picture all is 0:
 * nothing came of it. Chance is what the same pictures have beside the originals of the next
 * unit. */

#include "core/base/free.h"
#include "core/base/vectors.h"
#include "core/math/image-quality.h"
#include "core/plugin/plugin.h"

enum { SSIM, CORRELATION, FIRST, SSIM_CHANCE, CORRELATION_CHANCE, FIRST_CHANCE, N_SERIES };

#define NONE G_MAXSIZE

typedef struct {
  AssaySsim ssim;
  AssayView originals, pictures;
  gsize *units;      /* secrets that are measured */
  gsize *picture_of; /* of each the place of its picture, or NONE */
  gsize n;
} Originals;

ASSAY_LOCAL_CLEAR (Originals, originals_clear, g_free (self->units), g_free (self->picture_of))

static const gint64 *
numbers_of (const AssayArrays *arrays, const char *name)
{
  return assay_array_int64 (assay_arrays_get (arrays, name));
}

/* ---- Which picture is of which secret ---- */

static char *
place_of (gint64 user, gint64 step)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, user, step);
}

/* Fills in the secrets that were alone in their place, and their pictures. */
static void
find_units (const AssayTruth *truth, const AssayGuess *guess, Originals *of)
{
  const gint64 *users = numbers_of (&truth->arrays, "users");
  const gint64 *steps = numbers_of (&truth->arrays, "steps");
  const gint64 *of_users = numbers_of (&guess->arrays, "of-users");
  const gint64 *of_steps = numbers_of (&guess->arrays, "of-steps");
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) pictures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gsize i = 0; i < of->originals.rows; i++) {
    char *place = place_of (users[i], steps[i]);

    g_hash_table_replace (
        counts, place,
        GSIZE_TO_POINTER (GPOINTER_TO_SIZE (g_hash_table_lookup (counts, place)) + 1));
  }
  for (gsize e = 0; e < of->pictures.rows; e++)
    g_hash_table_replace (pictures, place_of (of_users[e], of_steps[e]), GSIZE_TO_POINTER (e + 1));
  for (gsize i = 0; i < of->originals.rows; i++) {
    g_autofree char *place = place_of (users[i], steps[i]);
    const gsize found = GPOINTER_TO_SIZE (g_hash_table_lookup (pictures, place));

    if (steps[i] < 0 || GPOINTER_TO_SIZE (g_hash_table_lookup (counts, place)) != 1)
      continue;
    of->units[of->n] = i;
    of->picture_of[of->n++] = found > 0 ? found - 1 : NONE;
  }
}

static gboolean
prepare (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         Originals *of, GError **error)
{
  const AssayGeometry *geometry = &context->dataset->original_geometry;

  of->originals = assay_array_view (assay_arrays_get (&truth->arrays, "originals"));
  of->pictures = assay_array_view (assay_arrays_get (&guess->arrays, "pictures"));
  of->ssim = (AssaySsim){ { geometry->height, geometry->width, geometry->channels },
                          geometry->white - geometry->black };
  if (of->pictures.cols != of->originals.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "pictures are of %zu numbers; expected %zu, as the originals are",
                       of->pictures.cols, of->originals.cols);
  of->units = g_new (gsize, of->originals.rows);
  of->picture_of = g_new (gsize, of->originals.rows);
  find_units (truth, guess, of);
  return of->n > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "no secret was alone in a message, so that no picture is of one");
}

/* ---- Measuring ---- */

/* The picture at @place beside the original of unit @unit. */
static gboolean
compare (const Originals *of, gsize place, gsize unit, double *ret_ssim, double *ret_correlation,
         GError **error)
{
  const float *original = assay_view_row (of->originals, of->units[unit]);
  const float *picture = assay_view_row (of->pictures, place);

  *ret_correlation = assay_correlation (picture, original, of->originals.cols);
  return assay_image_ssim (&of->ssim, picture, original, ret_ssim, error);
}

/* Whether no other original is as like the picture as @own is. */
static gboolean
is_first (const Originals *of, gsize place, double own)
{
  gsize alike = 0;

  for (gsize u = 0; u < of->n; u++)
    alike += assay_correlation (assay_view_row (of->pictures, place),
                                assay_view_row (of->originals, of->units[u]), of->originals.cols)
             >= own;
  return alike <= 1;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  g_auto (Originals) of = { 0 };

  if (!prepare (context, truth, guess, &of, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, of.n, error))
    return FALSE;
  for (gsize u = 0; u < of.n; u++) {
    double *const *series = ret_outcomes->series;
    const gsize place = of.picture_of[u];

    series[FIRST_CHANCE][u] = 1 / (double) of.n;
    if (place == NONE)
      continue;
    if (!compare (&of, place, u, &series[SSIM][u], &series[CORRELATION][u], error)
        || !compare (&of, place, (u + 1) % of.n, &series[SSIM_CHANCE][u],
                     &series[CORRELATION_CHANCE][u], error))
      return FALSE;
    series[FIRST][u] = is_first (&of, place, series[CORRELATION][u]);
  }
  return TRUE;
}

/* ---- Pictures ---- */

static AssayPhoto *
draw (const AssayGeometry *geometry, const float *row, gsize cols, GError **error)
{
  AssayPhoto *photo
      = assay_photo_new (geometry->width, geometry->height, geometry->channels, error);

  for (gsize j = 0; photo != NULL && j < cols; j++)
    photo->data[j] = (float) CLAMP (
        255 * ((double) row[j] - geometry->black) / (geometry->white - geometry->black), 0, 255);
  return photo;
}

static gboolean
show (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
      gsize unit, AssayPictures *ret_pictures, GError **error)
{
  const AssayGeometry *geometry = &context->dataset->original_geometry;
  g_auto (Originals) of = { 0 };
  g_autoptr (AssayPhoto) original = NULL;
  g_autoptr (AssayPhoto) found = NULL;

  if (!prepare (context, truth, guess, &of, error))
    return FALSE;
  g_return_val_if_fail (unit < of.n, FALSE);
  original = draw (geometry, assay_view_row (of.originals, of.units[unit]), of.originals.cols,
                   error);
  if (original == NULL)
    return FALSE;
  if (of.picture_of[unit] != NONE) {
    found = draw (geometry, assay_view_row (of.pictures, of.picture_of[unit]), of.pictures.cols,
                  error);
    if (found == NULL)
      return FALSE;
  }
  *ret_pictures = (AssayPictures){ g_steal_pointer (&original), g_steal_pointer (&found) };
  return TRUE;
}

ASSAY_METRIC (original_recovery, "original-recovery",
  .summary = "How similar pictures made of features are to the originals of the features",
  .reference = { "Wang, Bovik, Sheikh and Simoncelli 2004, Image quality assessment",
                 "equations 13 to 17; correlation and identification are ours" },
  .reads_truth = ASSAY_ARRAY_NAMES ("originals", "users", "steps"),
  .reads_guess = ASSAY_ARRAY_NAMES ("pictures", "of-users", "of-steps"),
  .needs = ASSAY_HAS_ORIGINALS,
  .finds_order = TRUE,
  .has_own_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (SSIM, "original-ssim", MEAN, -1, 1, "SSIM",
                   "Mean structural similarity of pictures with the originals of the secrets",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (SSIM_CHANCE, "original-ssim-chance", MEAN, -1, 1, "SSIM",
                   "The same with the original of another secret", ASSAY_HIGHER_IS_WORSE,
                   ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (CORRELATION, "original-correlation", MEDIAN, -1, 1, "correlation",
                   "Median correlation of their pixels", ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (CORRELATION_CHANCE, "original-correlation-chance", MEDIAN, -1, 1, "correlation",
                   "The same with the original of another secret", ASSAY_HIGHER_IS_WORSE,
                   ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (FIRST, "original-identification-rate", RATE, 0, 1, "share of secrets",
                   "Pictures that are more like their own original than like all others, by "
                   "correlation",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, ASSAY_TELLS_APART),
    ASSAY_MEASURE (FIRST_CHANCE, "original-identification-chance", MEAN, 0, 1, "share of secrets",
                   "The same for pictures drawn at random", ASSAY_HIGHER_IS_WORSE,
                   ASSAY_IS_REFERENCE)),
  .measure = measure,
  .show = show);
