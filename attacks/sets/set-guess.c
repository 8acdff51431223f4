/* One guess out of each released set: the attack that fits LDP-FEAT's releases (Pittaluga and
 * Zhuang 2023, section 5), which have nothing for the database or clustering attack to intersect.
 *
 * Release: sets Z of w rows of a dictionary, n x w and K x d. By the omega-subset mechanism every
 * member of a set is as likely as any other to be what it was made of, so that only a prior tells
 * them apart.
 * Guess for each secret, by rule:
 *   likeliest  the member that the prior ranks highest (attacks/sets/vector-sets.h), by public rows
 *              where these are granted (the first of equals); without them any member, at random
 *   together   the same, each member weighed by how likely the other sets of its group (of one
 *              photograph) make it (attacks/sets/set-photographs.h); needs the grant groups, and
 *              where public rows are of photographs too learns which words stand together
 *   first      the first member: as good as a random one if, and only if, sets come in random order
 *   centroid   the mean of the members, of unit length where the secrets are: between all of them,
 *              and of least expected squared error if each is as likely
 * A set that does not hold its secret's entry, and the entry's distance from the secret, bound what
 * any of them recovers.
 * Of the priors, on 6,000 descriptors of scenarios/papers/ldp-feat-sets.scenario at epsilon = 13.27
 * and m = 2, 8 and 32, nearest recovers 11.0, 9.8 and 6.6 % to within 0.3, and identifies 31.1,
 * 11.1 and 3.4 % among 3,000; mass 10.3, 7.7 and 4.8 %, and 32.7, 12.5 and 4.4 %; both 11.0, 9.7
 * and 6.8 %, and 32.2, 11.9 and 4.0 %. So both is the default: it gains the one and does not lose
 * the other, though by less than the intervals of ten photographs.
 * Cost: a scan of the public rows for each entry that stands in some set; unless the prior is
 * nearest, one of the dictionary for each public row too, once. */
#include <math.h>
#include <string.h>

#include "attacks/sets/set-photographs.h"
#include "core/base/vectors.h"
#include "core/games/control-case.h"
#include "core/plugin/plugin.h"

typedef enum { LIKELIEST, FIRST, CENTROID, TOGETHER } Rule;

static const char *const rules[] = { "likeliest", "first", "centroid", "together", NULL };

typedef struct {
  guint rule;
  guint prior; /* VectorSetsPrior */
} SetGuess;

static void
take_member (const VectorSets *sets, gsize secret, gsize place, float *ret_estimate)
{
  const gsize entry = (gsize) sets->members[secret * sets->w + place];

  memcpy (ret_estimate, assay_view_row (sets->entries, entry), sets->entries.cols * sizeof (float));
}

static void
take_centroid (const VectorSets *sets, gsize secret, float *ret_estimate)
{
  const gsize d = sets->entries.cols;
  g_autofree double *sum = g_new0 (double, d);
  double divisor = (double) sets->w, square;

  for (gsize i = 0; i < sets->w; i++) {
    const float *row = assay_view_row (sets->entries, (gsize) sets->members[secret * sets->w + i]);

    for (gsize j = 0; j < d; j++)
      sum[j] += (double) row[j];
  }
  square = assay_dot_double (sum, sum, d);
  if (sets->scale == ASSAY_SCALE_UNIT && square > 0)
    divisor = sqrt (square);
  for (gsize j = 0; j < d; j++)
    ret_estimate[j] = (float) (sum[j] / divisor);
}

/* What ranks the members of all sets by @rule: nothing where any is as good as another. */
static gboolean
score (const SetGuess *settings, const VectorSets *sets, const AssayObservation *seen,
       VectorSetsScores *scores, GError **error)
{
  if (settings->rule == TOGETHER && (seen->groups == NULL || seen->public_rows == NULL))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "rule = together: expected grants = public; groups, found no %s",
                       seen->groups == NULL ? "groups" : "public rows");
  if (seen->public_rows == NULL || (settings->rule != LIKELIEST && settings->rule != TOGETHER))
    return TRUE;
  if (!vector_sets_score (sets, seen->public_rows, sets->members, sets->n * sets->w, scores, error))
    return FALSE;
  if (settings->rule == TOGETHER)
    scores->lifts = set_photographs_lifts (sets, seen, error);
  return settings->rule != TOGETHER || scores->lifts != NULL;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const SetGuess *settings = context->settings;
  const VectorSets sets = vector_sets_of (seen->release);
  g_autoptr (AssayMatrix) estimates = assay_matrix_new (sets.n, sets.entries.cols, error);
  g_auto (VectorSetsScores) scores = { .prior = settings->prior };

  if (estimates == NULL || !score (settings, &sets, seen, &scores, error))
    return FALSE;
  for (gsize i = 0; i < sets.n; i++) {
    AssayStream stream = assay_stream (context->stream, i);
    float *estimate = assay_matrix_row (estimates, i);

    if (settings->rule == CENTROID)
      take_centroid (&sets, i, estimate);
    else if (settings->rule == FIRST)
      take_member (&sets, i, 0, estimate);
    else if (scores.distances != NULL)
      take_member (&sets, i, vector_sets_likeliest (&scores, i * sets.w, sets.w), estimate);
    else
      take_member (&sets, i, assay_stream_below (&stream, sets.w), estimate);
  }
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  return TRUE;
}

/* ---- The control ---- */

enum { SECRETS = 16, PUBLIC = 64, COLS = 32, MEMBERS = 8 };

/* The members of a secret's set stand together in the dictionary. One of them is the secret, the
 * others are far away; or, for the centroid, they lie opposite each other around it. */
static void
make_members (Rule rule, const float *secret, AssayStream *stream, float *ret_entries,
              gint64 *ret_set)
{
  const gsize own = rule == FIRST ? 0 : assay_stream_below (stream, MEMBERS);

  for (gsize i = 0; i < MEMBERS; i++)
    for (gsize j = 0; j < COLS; j++) {
      float *value = ret_entries + i * COLS + j;

      if (rule != CENTROID)
        *value = i == own ? secret[j] : (float) (100 + assay_stream_normal (stream));
      else if (i % 2 == 0)
        *value = secret[j] + (float) assay_stream_normal (stream);
      else
        *value = 2 * secret[j] - value[-COLS];
    }
  for (gsize i = 0; i < MEMBERS; i++)
    ret_set[i] += (gint64) i;
}

static gboolean
make_lone_control (const SetGuess *settings, AssayStreamKey key, AssayControlCase *ret_case,
                   GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  AssayMatrix *public_rows = assay_control_normals (PUBLIC, COLS, &stream, error);
  AssayMatrix *secrets = assay_matrix_new (SECRETS, COLS, error);
  AssayMatrix *dictionary = assay_matrix_new (SECRETS * MEMBERS, COLS, error);
  gint64 *sets = g_new (gint64, SECRETS * MEMBERS);
  gboolean is_made = public_rows != NULL && secrets != NULL && dictionary != NULL;

  for (gsize i = 0; is_made && i < SECRETS * COLS; i++)
    secrets->data[i] = public_rows->data[i] + (float) (0.01 * assay_stream_normal (&stream));
  for (gsize i = 0; is_made && i < SECRETS; i++) {
    for (gsize j = 0; j < MEMBERS; j++)
      sets[i * MEMBERS + j] = (gint64) (i * MEMBERS);
    make_members (settings->rule, assay_matrix_row (secrets, i), &stream,
                  assay_matrix_row (dictionary, i * MEMBERS), sets + i * MEMBERS);
  }
  ret_case->release = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "control");
  ret_case->truth = assay_truth_new ();
  assay_arrays_take_rows (&ret_case->release->arrays, "sets", ASSAY_INT64, SECRETS, MEMBERS, sets);
  assay_arrays_take_matrix (&ret_case->release->arrays, "dictionary", &dictionary);
  assay_arrays_take_matrix (&ret_case->truth->arrays, "secrets", &secrets);
  if (public_rows != NULL)
    ret_case->public_rows = assay_rows_take_matrix (public_rows);
  return is_made;
}

static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const SetGuess *settings = data;

  return settings->rule == TOGETHER ? set_photographs_control (key, ret_case, error)
                                    : make_lone_control (settings, key, ret_case, error);
}

ASSAY_ATTACK (set_guess, "set-guess",
  .summary = "Guess one member of each released set: the likeliest, by public rows if granted",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 5; the attack is ours" },
  ASSAY_SETTINGS (SetGuess,
    ASSAY_PARAM_CHOICE (SetGuess, rule, LIKELIEST, rules,
                        "Which member of a set is the guess, or what is computed from all "
                        "members"),
    ASSAY_PARAM_CHOICE (SetGuess, prior, VECTOR_SETS_BOTH, vector_sets_priors,
                        "How public rows, if granted, tell the members apart")),
  .reads = ASSAY_RELEASE_VECTOR_SETS,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "by each rule a secret is found: first in its set, alone near public rows, "
                       "in the middle of the set, or the one whose word fits its photograph",
               .make = make_control,
               .at_least = 1,
               .within = 1e-4 });
