/* Releases, guesses and truths in memory. Reading and writing folders is in
 * core/data/folders/exchange-folder.c. */
#include "core/data/exchange.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/shared-work.h"
#include "core/data/folders/geometry.h"
#include "core/data/grant.h"

/* What the games read of a guess (core/games/control.h). */
static const AssayArraySpec guess_arrays[] = {
  { "estimates", "nd", ASSAY_FLOAT32, TRUE, 0 }, { "candidates", "Nc", ASSAY_INT64, TRUE, 0 },
  { "pairs", "pt", ASSAY_INT64, TRUE, 0 },       { "scores", "p", ASSAY_FLOAT32, TRUE, 0 },
  { "codes", "nb", ASSAY_UINT8, TRUE, 0 },       { "class-scores", "nk", ASSAY_FLOAT32, TRUE, 0 },
  { "prior", "k", ASSAY_FLOAT32, TRUE, 0 },      { "attribute", "a", ASSAY_INT64, TRUE, 0 },
  { "threshold", "h", ASSAY_FLOAT32, TRUE, 0 },  { "member-scores", "r", ASSAY_FLOAT32, TRUE, 0 },
  { "cross-scores", "xy", ASSAY_FLOAT32, TRUE, 0 },
  { "edge-scores", "e", ASSAY_FLOAT32, TRUE, 0 }, { "edge-pairs", "e2", ASSAY_INT64, TRUE, 0 },
  { .name = NULL },
};

/* What is known of secrets, whatever is released of them. */
static const AssayArraySpec truth_arrays[] = {
  { "secrets", "nd", ASSAY_FLOAT32, FALSE, 0 }, { "groups", "n", ASSAY_INT64, TRUE, 0 },
  { "labels", "n", ASSAY_INT64, TRUE, 0 },      { "frames", "nf", ASSAY_FLOAT32, TRUE, 0 },
  { "label-sets", "n-w", ASSAY_INT64, TRUE, 0 }, { "attributes", "nq", ASSAY_INT64, TRUE, 0 },
  { "originals", "no", ASSAY_FLOAT32, TRUE, 0 },
  { "members", "r", ASSAY_INT64, TRUE, 0 },     { "mates", "y", ASSAY_INT64, TRUE, 0 },
  { "edges", "g2", ASSAY_INT64, TRUE, 0 },      { "modalities", "m", ASSAY_INT64, TRUE, 0 },
  { .name = NULL },
};

/* ---- Making ---- */

AssayRelease *
assay_release_new (AssayReleaseKind kind, const char *defense)
{
  AssayRelease *release = g_new0 (AssayRelease, 1);

  release->kind = kind;
  release->defense = g_strdup (defense);
  release->settings = g_strdup ("{}");
  release->owner = assay_shared_owner ();
  assay_arrays_init (&release->arrays);
  assay_parameters_init (&release->parameters, assay_kind (kind));
  return release;
}

void
assay_release_free (AssayRelease *release)
{
  if (release == NULL)
    return;
  if (!release->is_copy)
    assay_shared_forget_all (release->owner);
  assay_arrays_clear (&release->arrays);
  assay_parameters_clear (&release->parameters);
  g_free (release->defense);
  g_free (release->settings);
  g_free (release);
}

AssayGuess *
assay_guess_new (void)
{
  AssayGuess *guess = g_new0 (AssayGuess, 1);

  assay_arrays_init (&guess->arrays);
  guess->confidence = NAN;
  return guess;
}

ASSAY_FREE_FUNC (AssayGuess, assay_guess_free, assay_arrays_clear (&self->arrays),
                 g_free (self->says))

AssayTruth *
assay_truth_new (void)
{
  AssayTruth *truth = g_new0 (AssayTruth, 1);

  assay_arrays_init (&truth->arrays);
  return truth;
}

ASSAY_FREE_FUNC (AssayTruth, assay_truth_free, assay_arrays_clear (&self->arrays),
                 g_free (self->says))

char *
assay_truth_say (const AssayTruth *truth, char *words)
{
  g_autofree char *own = words;

  if (truth->says == NULL)
    return g_steal_pointer (&own);
  return g_strdup_printf (ASSAY_SAYS_OF_RELEASE "%s%s%s", truth->says, own != NULL ? "; " : "",
                          own != NULL ? own : "");
}

gsize
assay_truth_first_cols (const AssayTruth *truth)
{
  const AssayArray *modalities = assay_arrays_get (&truth->arrays, "modalities");

  return modalities != NULL ? (gsize) assay_array_int64 (modalities)[0] : 0;
}

/* ---- Checks ---- */

gboolean
assay_release_check (const AssayRelease *release, GError **error)
{
  const AssayKind *kind = assay_kind (release->kind);

  if (kind == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "release of no known kind");
  if (!assay_arrays_check (&release->arrays, (const AssayArraySpec *const[]){ kind->arrays, NULL },
                           assay_release_kind_name (release->kind), error))
    return assay_prefix (error, "release of kind ");
  /* Numbers that are no rows as secrets have them are no images, whatever the secrets were. */
  return (!kind->has_rows
          || assay_geometry_check (&release->geometry, assay_release_cols (release), error))
         && (kind->check == NULL || kind->check (release, error));
}

gboolean
assay_guess_check (const AssayGuess *guess, const AssayArraySpec *const *more, GError **error)
{
  g_autoptr (GPtrArray) lists = g_ptr_array_new ();

  g_ptr_array_add (lists, (gpointer) guess_arrays);
  for (; more != NULL && *more != NULL; more++)
    g_ptr_array_add (lists, (gpointer) *more);
  g_ptr_array_add (lists, NULL);
  return assay_arrays_check (&guess->arrays, (const AssayArraySpec *const *) lists->pdata, "guess",
                             error);
}

static gboolean
check_edges (const AssayTruth *truth, GError **error)
{
  const AssayArray *edges = assay_arrays_get (&truth->arrays, "edges");
  const gsize n = assay_arrays_get (&truth->arrays, "secrets")->shape[0];

  if (edges == NULL)
    return TRUE;
  if (edges->shape[1] != 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "edges has %zu columns; expected 2, the ends of an edge", edges->shape[1]);
  for (gsize e = 0; e < edges->shape[0]; e++) {
    const gint64 *ends = assay_array_int64 (edges) + 2 * e;

    if (ends[0] < 0 || ends[1] <= ends[0] || (guint64) ends[1] >= n)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "edge %zu joins %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                         "; expected two of %zu secrets, the lower one first",
                         e, ends[0], ends[1], n);
  }
  return TRUE;
}

static gboolean
check_modalities (const AssayTruth *truth, GError **error)
{
  const AssayArray *modalities = assay_arrays_get (&truth->arrays, "modalities");
  const gsize cols = assay_arrays_get (&truth->arrays, "secrets")->shape[1];
  const gint64 *of = modalities != NULL ? assay_array_int64 (modalities) : NULL;

  return modalities == NULL
         || (modalities->shape[0] == 2 && of[0] > 0 && of[1] > 0 && (guint64) of[0] < cols
             && (guint64) of[1] == cols - (guint64) of[0])
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "modalities: expected how many columns of the secrets each of two has, %zu "
                        "in all",
                        cols);
}

gboolean
assay_truth_check (const AssayTruth *truth, GError **error)
{
  const AssayArraySpec *lists[ASSAY_N_KINDS + 2] = { truth_arrays };
  guint n_lists = 1;

  for (guint i = 0; i < ASSAY_N_KINDS; i++)
    if (assay_kind ((AssayReleaseKind) (1u << i))->truth != NULL)
      lists[n_lists++] = assay_kind ((AssayReleaseKind) (1u << i))->truth;
  if (!assay_arrays_check (&truth->arrays, lists, "truth", error))
    return FALSE;
  for (guint i = 0; i < ASSAY_N_KINDS; i++) {
    const AssayKind *kind = assay_kind ((AssayReleaseKind) (1u << i));

    if (kind->check_truth != NULL && !kind->check_truth (truth, error))
      return FALSE;
  }
  return check_edges (truth, error) && check_modalities (truth, error)
         && assay_geometry_check (&truth->geometry,
                                  assay_arrays_get (&truth->arrays, "secrets")->shape[1], error);
}

/* ---- What a release says ---- */

static const AssayArray *
first_array (const AssayRelease *release)
{
  return assay_arrays_get (&release->arrays, assay_kind (release->kind)->arrays[0].name);
}

gsize
assay_release_count (const AssayRelease *release)
{
  const gboolean is_one = assay_kind (release->kind)->items == ASSAY_ITEM_OF_ALL_SECRETS;

  return is_one ? 1 : first_array (release)->shape[0];
}

gsize
assay_release_cols (const AssayRelease *release)
{
  const AssayKind *kind = assay_kind (release->kind);

  return kind->cols != NULL ? kind->cols (release) : first_array (release)->shape[1];
}

AssayScale
assay_release_scale (const AssayRelease *release)
{
  return release->is_unit_norm ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE;
}

AssaySubspaces
assay_release_subspaces (const AssayRelease *release)
{
  const AssayArray *basis = assay_arrays_get (&release->arrays, "basis");
  const AssayView points = assay_array_view (first_array (release));

  g_assert (release->kind & (ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES));
  return (AssaySubspaces){
    .count = points.rows,
    .dimension = basis != NULL ? basis->shape[1] : 0,
    .cols = points.cols,
    .translation = points.data,
    .basis = basis != NULL ? (const float *) (gconstpointer) basis->data : NULL,
  };
}

/* ---- What is granted of it ---- */

guint
assay_release_holds (const AssayRelease *release)
{
  guint grants = 0;

  for (const AssayArraySpec *spec = assay_kind (release->kind)->arrays; spec->name != NULL; spec++)
    if (assay_arrays_get (&release->arrays, spec->name) != NULL)
      grants |= spec->grant;
  return grants;
}

gboolean
assay_release_hides (const AssayRelease *release, guint grants)
{
  return (assay_release_holds (release) & ~grants) != 0
         || ((grants & ASSAY_GRANT_NO_PARAMETERS) && release->parameters.known != 0);
}

AssayRelease *
assay_release_granted (const AssayRelease *release, guint grants)
{
  AssayRelease *granted = assay_release_new (release->kind, release->defense);

  granted->owner = release->owner;
  granted->is_copy = TRUE;
  granted->is_unit_norm = release->is_unit_norm;
  granted->geometry = release->geometry;
  granted->bits = release->bits;
  if (grants & ASSAY_GRANT_NO_PARAMETERS)
    granted->parameters.is_withheld = TRUE;
  else
    assay_parameters_copy (&granted->parameters, &release->parameters);
  for (const AssayArraySpec *spec = assay_kind (release->kind)->arrays; spec->name != NULL;
       spec++) {
    const AssayArray *array = assay_arrays_get (&release->arrays, spec->name);

    if (array != NULL && (spec->grant & ~grants) == 0)
      assay_arrays_take (&granted->arrays, spec->name, assay_array_copy (array));
  }
  return granted;
}

/* ---- Answers from outside ---- */

void
assay_release_take_answer (AssayRelease *release, const AssayRelease *answer)
{
  assay_arrays_copy (&release->arrays, &answer->arrays);
  assay_parameters_copy (&release->parameters, &answer->parameters);
  release->is_unit_norm = answer->is_unit_norm;
  release->geometry = answer->geometry;
  release->bits = answer->bits;
}

void
assay_guess_take_answer (AssayGuess *guess, const AssayGuess *answer)
{
  assay_arrays_copy (&guess->arrays, &answer->arrays);
  guess->is_unordered = answer->is_unordered;
  g_free (guess->says);
  guess->says = g_strdup (answer->says);
  guess->confidence = answer->confidence;
}

gboolean
assay_release_check_answer (const AssayRelease *answer, AssayReleaseKind kind, gsize n, gsize cols,
                            GError **error)
{
  const gsize items = assay_release_count (answer);

  if (answer->kind != kind)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release holds %s, expected %s (setting 'produces')",
                       assay_release_kind_name (answer->kind), assay_release_kind_name (kind));
  if (assay_kind (kind)->items == ASSAY_ITEM_OF_EACH_SECRET && items != n)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release holds %zu items, expected one for each of %zu secrets of the "
                       "cell, in their order",
                       items, n);
  if (assay_kind (kind)->has_rows && kind != ASSAY_RELEASE_VECTORS
      && assay_release_cols (answer) != cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release holds rows of %zu columns, expected %zu as the secrets have",
                       assay_release_cols (answer), cols);
  return TRUE;
}
