/* What an attacker can tell of a keypoint. */
#include "attacks/photographs/keypoint-features.h"

#include <math.h>
#include <string.h>

#include "attacks/adaptive/own-examples.h"
#include "attacks/lifting/rows-within.h"
#include "attacks/photographs/keypoint-mirror.h"
#include "core/math/principal.h"
#include "core/search/scan.h"

const char *const keypoint_descriptors[] = { "expected", "recovered", NULL };
const char *const keypoint_set_patches[] = { "expected", "likeliest", NULL };

extern const AssayAttack assay_attack_database;
extern const AssayAttack assay_attack_set_guess;

ASSAY_CLEAR_FUNC (KeypointFeatures, keypoint_features_clear,
                  assay_drop (self->own, assay_matrix_free),
                  assay_drop (self->mirrored, assay_matrix_free),
                  assay_drop (self->seen, assay_matrix_free), assay_drop (self->rows, g_free),
                  assay_drop (self->own_near, g_free), assay_drop (self->seen_near, g_free),
                  assay_drop (self->says, g_free))

static gboolean
take_rows (KeypointFeatures *features, const AssayPairs *pairs, GError **error)
{
  gsize done = 0;

  features->rows = assay_alloc (assay_pairs_count (pairs), sizeof (gsize), "public rows", error);
  if (features->rows == NULL)
    return FALSE;
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

/* The rows nearest to each point, into @ret_rows. */
static gboolean
find_near_points (const AssayObservation *seen, AssayView points, gsize *ret_rows, GError **error)
{
  const AssaySubspaces of
      = { .count = points.rows, .cols = points.cols, .translation = points.data };
  g_autoptr (AssayNearest) nearest
      = assay_scan_subspaces (&of, seen->public_rows, assay_release_scale (seen->release),
                              MIN (KEYPOINT_NEAR, assay_rows_count (seen->public_rows)), error);

  for (gsize i = 0; nearest != NULL && i < of.count * KEYPOINT_NEAR; i++)
    ret_rows[i]
        = nearest->rows[i / KEYPOINT_NEAR * nearest->k + MIN (i % KEYPOINT_NEAR, nearest->k - 1)];
  return nearest != NULL;
}

/* The same of subspaces, without rows that lie in them. Through those the defense has laid it: in a
 * release of the attacker's own, who is granted no database, they are public rows, which are of
 * other photographs and stand nearer than any neighbour of the descriptor; a network that sees them
 * painted learns to paint over patches that are right in a release of somebody else's. */
static gboolean
find_near_subspaces (const AssayObservation *seen, const AssayRelease *release, gsize *ret_rows,
                     GError **error)
{
  const WithinSearch search = { .rows = seen->public_rows,
                                .scale = assay_release_scale (seen->release),
                                .subspaces = assay_release_subspaces (release) };
  const gsize k = KEYPOINT_NEAR + search.subspaces.dimension + 1;
  g_autoptr (AssayNearest) nearest = assay_scan_subspaces (
      &search.subspaces, search.rows, search.scale, MIN (k, assay_rows_count (search.rows)), error);
  g_autoptr (RowsWithin) within
      = nearest != NULL ? rows_within_find (&search, nearest, G_MAXSIZE, error) : NULL;

  for (gsize i = 0; within != NULL && i < search.subspaces.count * KEYPOINT_NEAR; i++) {
    const gsize item = i / KEYPOINT_NEAR, place = within->within[item] + i % KEYPOINT_NEAR;

    ret_rows[i] = within->rows[item * within->k + MIN (place, within->k - 1)];
  }
  return within != NULL;
}

/* @guessed: descriptors of the items. */
static gboolean
find_near (const AssayObservation *seen, const AssayRelease *release,
           KeypointDescriptors descriptors, AssayView guessed, gsize *ret_rows, GError **error)
{
  const gboolean is_in_space
      = descriptors == KEYPOINT_EXPECTED
        && (release->kind & (ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_VECTORS)) != 0
        && assay_release_cols (release) == assay_rows_cols (seen->public_rows);
  const AssaySubspaces items
      = is_in_space ? assay_release_subspaces (release) : (AssaySubspaces){ .dimension = 0 };

  if (items.dimension > 0)
    return find_near_subspaces (seen, release, ret_rows, error);
  return find_near_points (seen,
                           is_in_space ? (AssayView){ .rows = items.count,
                                                      .cols = items.cols,
                                                      .stride = items.cols,
                                                      .data = items.translation }
                                       : guessed,
                           ret_rows, error);
}

static gboolean
find_all_near (KeypointFeatures *features, const AssayObservation *seen,
               KeypointDescriptors descriptors, AssayView own, AssayView expected, GError **error)
{
  gsize done = 0;

  features->own_near = assay_alloc (own.rows, KEYPOINT_NEAR * sizeof (gsize), "near rows", error);
  features->seen_near
      = assay_alloc (expected.rows, KEYPOINT_NEAR * sizeof (gsize), "near rows", error);
  if (features->own_near == NULL || features->seen_near == NULL)
    return FALSE;
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
               const KeypointMethod *method, GError **error)
{
  g_autoptr (AssayPrincipal) principal
      = assay_principal_new (assay_matrix_view (own), MIN (method->channels, own->cols), error);
  g_autoptr (AssayMatrix) mirrored = NULL;

  features->own = principal != NULL ? project (principal, own, error) : NULL;
  features->seen = features->own != NULL ? project (principal, expected, error) : NULL;
  if (features->seen == NULL || !method->mirror)
    return features->seen != NULL;
  mirrored = keypoint_mirror (own, error);
  features->mirrored = mirrored != NULL ? project (principal, mirrored, error) : NULL;
  return features->mirrored != NULL;
}

/* ---- Descriptors ---- */

/* Of the attacker's own items, one release after the other, and of those of the secrets. */
typedef struct {
  AssayMatrix *own, *seen;
  AssayMatrix *own_members,
      *seen_members; /* that `set-guess` takes of sets; NULL: there are none */
  char *says;
} Descriptors;

ASSAY_LOCAL_CLEAR (Descriptors, descriptors_clear, assay_drop (self->own, assay_matrix_free),
                   assay_drop (self->seen, assay_matrix_free),
                   assay_drop (self->own_members, assay_matrix_free),
                   assay_drop (self->seen_members, assay_matrix_free), g_free (self->says))

/* An attack that learns nothing, and how it is played. */
typedef struct {
  const AssayAttack *attack;
  const AssaySettings *settings;
  AssayStreamKey key;
} Simple;

/* What it makes of @release, into @ret_rows. */
static gboolean
guess_release (const Simple *simple, const AssayObservation *seen, const AssayRelease *release,
               float *ret_rows, GError **error)
{
  const AssayAttack *attack = simple->attack;
  const gboolean has_database = attack == &assay_attack_database;
  const AssayAttackContext context
      = { .settings = simple->settings->values, .stream = simple->key };
  const AssayObservation of = { .release = release,
                                .database = has_database ? seen->database : NULL,
                                .public_rows = has_database ? NULL : seen->public_rows };
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  AssayView estimates;

  if (!attack->attack (&context, &of, guess, error))
    return assay_prefix (error, "attack %s: ", attack->plugin.id);
  estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  for (gsize i = 0; i < estimates.rows; i++)
    memcpy (ret_rows + i * estimates.cols, assay_view_row (estimates, i),
            estimates.cols * sizeof (float));
  return TRUE;
}

/* The same of all releases. */
static gboolean
guess_all (const Simple *simple, const AssayObservation *seen, AssayMatrix **ret_own,
           AssayMatrix **ret_seen, GError **error)
{
  const gsize cols = assay_rows_cols (seen->public_rows);
  gsize done = 0;

  *ret_own = assay_matrix_new (assay_pairs_count (seen->pairs), cols, error);
  *ret_seen = *ret_own != NULL ? assay_matrix_new (assay_release_count (seen->release), cols, error)
                               : NULL;
  if (*ret_seen == NULL)
    return FALSE;
  for (guint r = 0; r < seen->pairs->releases->len; r++) {
    const AssayRelease *release = assay_pairs_get (seen->pairs, r)->release;

    if (!guess_release (simple, seen, release, assay_matrix_row (*ret_own, done), error))
      return FALSE;
    done += assay_release_count (release);
  }
  return guess_release (simple, seen, seen->release, (*ret_seen)->data, error);
}

static AssaySettings *
defaults_of (const AssayAttack *attack)
{
  return assay_settings_new (attack->plugin.parameters, attack->plugin.settings_size);
}

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
  ret->seen = ret->own != NULL ? assay_learner_predict (learner, assay_matrix_view (inputs), error)
                               : NULL;
  ret->says = assay_learner_describe (learner);
  return ret->seen != NULL;
}

/* Of the likeliest member of each set: what is expected of a set lies between its members, and is
 * near none of them. */
static gboolean
take_members (const AssayObservation *seen, const KeypointMethod *method, AssayStreamKey key,
              Descriptors *ret, GError **error)
{
  g_autoptr (AssaySettings) settings = defaults_of (&assay_attack_set_guess);
  const Simple simple = { &assay_attack_set_guess, settings, key };

  return method->patches != KEYPOINT_OF_LIKELIEST
         || seen->release->kind != ASSAY_RELEASE_VECTOR_SETS
         || assay_release_cols (seen->release) != assay_rows_cols (seen->public_rows)
         || guess_all (&simple, seen, &ret->own_members, &ret->seen_members, error);
}

static gboolean
recover (const AssayObservation *seen, const KeypointMethod *method, AssayStreamKey key,
         Descriptors *ret, GError **error)
{
  g_autoptr (AssaySettings) settings = defaults_of (&assay_attack_database);
  g_autofree char *neighbours = g_strdup_printf ("%zu", method->neighbours);
  g_autofree char *averaged = g_strdup_printf ("%zu", method->averaged);
  const Simple simple = { &assay_attack_database, settings, key };

  if (seen->database == NULL || seen->release->kind != ASSAY_RELEASE_SUBSPACES)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "descriptors = recovered: expected subspaces, and the database that they "
                       "were lifted with (grants = database)");
  ret->says = g_strdup ("the database attack");
  return assay_settings_set (settings, "neighbours", neighbours, error)
         && assay_settings_set (settings, "averaged", averaged, error)
         && guess_all (&simple, seen, &ret->own, &ret->seen, error);
}

gboolean
keypoint_features_init (KeypointFeatures *features, const AssayObservation *seen,
                        const KeypointMethod *method, AssayStreamKey key, GError **error)
{
  const gboolean is_expected = method->descriptors == KEYPOINT_EXPECTED;
  g_auto (Descriptors) found = { 0 };

  if (!take_rows (features, seen->pairs, error)
      || !(is_expected ? expect (seen, key, &found, error)
                             && take_members (seen, method, key, &found, error)
                       : recover (seen, method, key, &found, error))
      || !take_features (features, found.own, found.seen, method, error))
    return FALSE;
  if (!find_all_near (
          features, seen, method->descriptors,
          assay_matrix_view (found.own_members != NULL ? found.own_members : found.own),
          assay_matrix_view (found.seen_members != NULL ? found.seen_members : found.seen), error))
    return FALSE;
  features->says = g_steal_pointer (&found.says);
  return TRUE;
}
