/* What an attacker can tell of a keypoint. */
#include "attacks/photographs/keypoint-features.h"

#include <math.h>
#include <string.h>

#include "attacks/adaptive/own-examples.h"
#include "core/math/principal.h"
#include "core/search/scan.h"

const char *const keypoint_descriptors[] = { "expected", "recovered", NULL };

extern const AssayAttack assay_attack_database;

ASSAY_CLEAR_FUNC (KeypointFeatures, keypoint_features_clear,
                  assay_drop (self->own, assay_matrix_free),
                  assay_drop (self->seen, assay_matrix_free), assay_drop (self->rows, g_free),
                  assay_drop (self->own_near, g_free), assay_drop (self->seen_near, g_free),
                  assay_drop (self->says, g_free))

static gboolean
take_rows (KeypointFeatures *features, const AssayPairs *pairs, GError **error)
{
  gsize done = 0;

  features->rows = g_new (gsize, assay_pairs_count (pairs));
  for (guint r = 0; r < pairs->releases->len; r++) {
    const AssayOwnRelease *own = assay_pairs_get (pairs, r);
    const gsize n = assay_own_rows (own).rows;

    if (own->numbers == NULL)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "the pairs do not say which public rows they are of, so that their "
                         "keypoints are not known; expected grants = public; mechanism; keypoints");
    for (gsize i = 0; i < n; i++)
      features->rows[done++] = own->numbers[i];
  }
  return TRUE;
}

static AssayMatrix *
project (const AssayPrincipal *principal, const AssayMatrix *expected, GError **error)
{
  AssayMatrix *features = assay_principal_project (principal, assay_matrix_view (expected), error);
  const double deviation = principal->values[0] > 0 ? sqrt (principal->values[0]) : 1;

  for (gsize i = 0; features != NULL && i < features->rows * features->cols; i++)
    features->data[i] = (float) (features->data[i] / deviation);
  return features;
}

/* The rows nearest to each item, into @ret_rows. @expected: descriptors of the items. */
static gboolean
find_near (const AssayObservation *seen, const AssayRelease *release,
           KeypointDescriptors descriptors, AssayView expected, gsize *ret_rows, GError **error)
{
  const gboolean is_in_space
      = descriptors == KEYPOINT_EXPECTED
        && (release->kind & (ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_VECTORS)) != 0
        && assay_release_cols (release) == assay_rows_cols (seen->public_rows);
  const AssaySubspaces points = is_in_space ? assay_release_subspaces (release)
                                            : (AssaySubspaces){ .count = expected.rows,
                                                                .cols = expected.cols,
                                                                .translation = expected.data };
  g_autoptr (AssayNearest) nearest
      = assay_scan_subspaces (&points, seen->public_rows, assay_release_scale (seen->release),
                              MIN (KEYPOINT_NEAR, assay_rows_count (seen->public_rows)), error);

  for (gsize i = 0; nearest != NULL && i < points.count * KEYPOINT_NEAR; i++)
    ret_rows[i]
        = nearest->rows[i / KEYPOINT_NEAR * nearest->k + MIN (i % KEYPOINT_NEAR, nearest->k - 1)];
  return nearest != NULL;
}

static gboolean
find_all_near (KeypointFeatures *features, const AssayObservation *seen,
               KeypointDescriptors descriptors, AssayView own, AssayView expected, GError **error)
{
  gsize done = 0;

  features->own_near = g_new (gsize, own.rows * KEYPOINT_NEAR);
  features->seen_near = g_new (gsize, expected.rows * KEYPOINT_NEAR);
  for (guint r = 0; r < seen->pairs->releases->len; r++) {
    const AssayRelease *release = assay_pairs_get (seen->pairs, r)->release;
    const gsize n = assay_release_count (release);

    if (!find_near (seen, release, descriptors, assay_view_rows (own, done, n),
                    features->own_near + done * KEYPOINT_NEAR, error))
      return FALSE;
    done += n;
  }
  return find_near (seen, seen->release, descriptors, expected, features->seen_near, error);
}

/* Features of descriptors that are expected. */
static gboolean
take_features (KeypointFeatures *features, const AssayMatrix *own, const AssayMatrix *expected,
               gsize channels, GError **error)
{
  g_autoptr (AssayPrincipal) principal
      = assay_principal_new (assay_matrix_view (own), MIN (channels, own->cols), error);

  features->own = principal != NULL ? project (principal, own, error) : NULL;
  features->seen = features->own != NULL ? project (principal, expected, error) : NULL;
  return features->seen != NULL;
}

/* ---- Descriptors ---- */

/* Of the attacker's own items, one release after the other, and of those of the secrets. */
typedef struct {
  AssayMatrix *own, *seen;
  char *says;
} Descriptors;

ASSAY_LOCAL_CLEAR (Descriptors, descriptors_clear, assay_drop (self->own, assay_matrix_free),
                   assay_drop (self->seen, assay_matrix_free), g_free (self->says))

static gboolean
expect (const AssayObservation *seen, AssayStreamKey key, Descriptors *ret, GError **error)
{
  g_auto (OwnExamples) examples = { 0 };
  g_autoptr (AssayLearner) learner = NULL;
  g_autoptr (AssayMatrix) inputs = NULL;

  if (!own_examples_new (seen->pairs, &examples, error))
    return FALSE;
  learner = own_examples_learn (&examples, ASSAY_LEARNER_RIDGE, key, error);
  inputs = learner != NULL ? own_examples_see (&examples, seen->release, error) : NULL;
  if (inputs == NULL)
    return FALSE;
  ret->own = assay_learner_predict (learner, assay_matrix_view (examples.inputs), error);
  ret->seen = ret->own != NULL
                  ? assay_learner_predict (learner, assay_matrix_view (inputs), error)
                  : NULL;
  ret->says = assay_learner_describe (learner);
  return ret->seen != NULL;
}

/* What the database attack makes of @release, with its defaults, into @ret_rows. */
static gboolean
recover_release (const AssayObservation *seen, const AssayRelease *release, AssayStreamKey key,
                 float *ret_rows, GError **error)
{
  const AssayAttack *attack = &assay_attack_database;
  g_autoptr (AssaySettings) settings
      = assay_settings_new (attack->plugin.parameters, attack->plugin.settings_size);
  const AssayAttackContext context = { .settings = settings->values, .stream = key };
  const AssayObservation of = { .release = release, .database = seen->database };
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  AssayView estimates;

  if (!attack->attack (&context, &of, guess, error))
    return assay_prefix (error, "attack database: ");
  estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  for (gsize i = 0; i < estimates.rows; i++)
    memcpy (ret_rows + i * estimates.cols, assay_view_row (estimates, i),
            estimates.cols * sizeof (float));
  return TRUE;
}

static gboolean
recover (const AssayObservation *seen, AssayStreamKey key, Descriptors *ret, GError **error)
{
  const gsize cols = assay_release_cols (seen->release);
  gsize done = 0;

  if (seen->database == NULL || seen->release->kind != ASSAY_RELEASE_SUBSPACES)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "descriptors = recovered: expected subspaces, and the database that they "
                       "were lifted with (grants = database)");
  ret->own = assay_matrix_new (assay_pairs_count (seen->pairs), cols, error);
  ret->seen = ret->own != NULL
                  ? assay_matrix_new (assay_release_count (seen->release), cols, error)
                  : NULL;
  if (ret->seen == NULL)
    return FALSE;
  for (guint r = 0; r < seen->pairs->releases->len; r++) {
    const AssayRelease *release = assay_pairs_get (seen->pairs, r)->release;

    if (!recover_release (seen, release, key, assay_matrix_row (ret->own, done), error))
      return FALSE;
    done += assay_release_count (release);
  }
  ret->says = g_strdup ("the database attack");
  return recover_release (seen, seen->release, key, ret->seen->data, error);
}

gboolean
keypoint_features_init (KeypointFeatures *features, const AssayObservation *seen,
                        KeypointDescriptors descriptors, gsize channels, AssayStreamKey key,
                        GError **error)
{
  g_auto (Descriptors) found = { 0 };

  if (!take_rows (features, seen->pairs, error)
      || !(descriptors == KEYPOINT_EXPECTED ? expect : recover) (seen, key, &found, error)
      || !take_features (features, found.own, found.seen, channels, error)
      || !find_all_near (features, seen, descriptors, assay_matrix_view (found.own),
                         assay_matrix_view (found.seen), error))
    return FALSE;
  features->says = g_steal_pointer (&found.says);
  return TRUE;
}
