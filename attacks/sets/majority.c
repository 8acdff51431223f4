/* The entry that stands in most of several sets released of one secret: what remains of LDP-FEAT
 * (Pittaluga and Zhuang 2023, section 5) when the same descriptors are released again, as by who
 * photographs one place more than once.
 *
 * Release and R repeats, each with fresh randomness: sets Z_0, ..., Z_R of w rows of a dictionary,
 * each n x w and K x d. By the omega-subset mechanism a set holds the secret's entry d' with
 * probability p = m exp (epsilon) / (m exp (epsilon) + K - m), any other with (m - p) / (K - 1).
 * For an entry that is in c of the sets the likelihood is proportional to exp (c epsilon). So
 *   d' ~ argmax over z of c (z)
 * is the guess of maximum likelihood, for any epsilon > 0 and without knowing it. Ties, by setting:
 * the entry that the prior ranks highest (vector-sets.h), by public rows where these are
 * granted; then, or without them, the one of lowest number, which is as good as any if numbers say
 * nothing. A prior could only outweigh one count more by a factor of exp (epsilon), which counts of
 * public rows do not reach from epsilon = 7 or so on.
 *
 * By composition the R + 1 releases of one descriptor cost (R + 1) epsilon. With p near 1 two are
 * enough; else d' is told from chance once it stands in two of them, where any other entry stands
 * in a set with probability (m - p) / (K - 1) only. What remains then is the dictionary's
 * quantisation error, which no number of repeats reduces. A set that has an entry twice counts it
 * once.
 * Cost: O(n R w), and a scan of the public rows for each entry that is tied. */
#include <string.h>

#include "attacks/sets/vector-sets.h"
#include "core/base/free.h"
#include "core/base/vectors.h"
#include "core/games/control-case.h"
#include "core/plugin/callbacks.h"
#include "core/plugin/plugin.h"

typedef struct {
  gint64 repeats;
  guint prior; /* VectorSetsPrior */
} Majority;

/* ---- Counting ---- */

/* All sets that were released of the same secrets. */
typedef struct {
  gsize count;        /* R + 1 */
  VectorSets *sets;   /* of each release */
  guint32 *counts;    /* K: how many sets of the secret at hand have the entry */
  guint64 *last_seen; /* K: number of the last set that had it, plus 1 */
} Votes;

ASSAY_LOCAL_CLEAR (Votes, votes_clear, g_free (self->sets), g_free (self->counts),
                   g_free (self->last_seen))

/* Repeats come from the same secrets and settings: a dictionary has the same entries in each. */
static gboolean
check_repeat (const VectorSets *first, const VectorSets *sets, gsize number, GError **error)
{
  const gsize k = first->entries.rows, d = first->entries.cols;

  if (sets->n != first->n)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "repeat %zu: expected sets of %zu secrets, as the release has, found %zu",
                       number, first->n, sets->n);
  if (sets->entries.rows == k && sets->entries.cols == d
      && (sets->entries.data == first->entries.data
          || memcmp (sets->entries.data, first->entries.data, k * d * sizeof (float)) == 0))
    return TRUE;
  return assay_fail (
      error, ASSAY_ERROR_MISMATCH,
      "repeat %zu: expected the dictionary of the release, %zu x %zu, found another, %zu x %zu",
      number, k, d, sets->entries.rows, sets->entries.cols);
}

static gboolean
votes_init (Votes *votes, const AssayObservation *seen, GError **error)
{
  votes->count = seen->n_repeats + 1;
  votes->sets = g_new (VectorSets, votes->count);
  votes->sets[0] = vector_sets_of (seen->release);
  for (gsize r = 1; r < votes->count; r++) {
    votes->sets[r] = vector_sets_of (seen->repeats[r - 1]);
    if (!check_repeat (votes->sets, votes->sets + r, r, error))
      return FALSE;
  }
  votes->counts = assay_alloc (votes->sets[0].entries.rows, sizeof (guint32), "counts", error);
  votes->last_seen = votes->counts != NULL ? assay_alloc (votes->sets[0].entries.rows,
                                                          sizeof (guint64), "counts", error)
                                           : NULL;
  return votes->last_seen != NULL;
}

/* Appends the entries that stand in most sets of @secret to @tied, in order of their numbers. */
static void
append_most_frequent (Votes *votes, gsize secret, GArray *tied)
{
  const guint before = tied->len;
  guint32 most = 0;

  for (gsize r = 0; r < votes->count; r++) {
    const VectorSets *sets = votes->sets + r;
    const guint64 set = (guint64) secret * votes->count + r + 1;

    for (gsize j = 0; j < sets->w; j++) {
      const gint64 entry = sets->members[secret * sets->w + j];

      if (votes->last_seen[entry] == set)
        continue;
      if (votes->last_seen[entry] <= (guint64) secret * votes->count)
        votes->counts[entry] = 0;
      votes->last_seen[entry] = set;
      if (++votes->counts[entry] < most)
        continue;
      if (votes->counts[entry] > most)
        g_array_set_size (tied, before);
      most = votes->counts[entry];
      g_array_append_val (tied, entry);
    }
  }
  qsort (&g_array_index (tied, gint64, before), tied->len - before, sizeof (gint64),
         assay_compare_int64s);
}

/* ---- The attack ---- */

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Majority *settings = context->settings;
  g_auto (Votes) votes = { 0 };
  g_auto (VectorSetsScores) scores = { .prior = settings->prior };
  g_autoptr (GArray) tied = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree gsize *starts = NULL;
  g_autoptr (AssayMatrix) estimates = NULL;
  const VectorSets *sets;

  if (!votes_init (&votes, seen, error))
    return FALSE;
  sets = &votes.sets[0];
  estimates = assay_matrix_new (sets->n, sets->entries.cols, error);
  starts = estimates != NULL ? assay_alloc (sets->n + 1, sizeof (gsize), "ties", error) : NULL;
  if (starts == NULL)
    return FALSE;
  for (gsize i = 0; i < sets->n; i++) {
    append_most_frequent (&votes, i, tied);
    starts[i + 1] = tied->len;
  }
  if (seen->public_rows != NULL && tied->len > sets->n
      && !vector_sets_score (sets, seen->public_rows, (const gint64 *) (gconstpointer) tied->data,
                             tied->len, &scores, error))
    return FALSE;
  for (gsize i = 0; i < sets->n; i++) {
    const gsize count = starts[i + 1] - starts[i];
    const gsize chosen
        = scores.distances != NULL ? vector_sets_likeliest (&scores, starts[i], count) : 0;
    const gint64 entry = g_array_index (tied, gint64, starts[i] + chosen);

    memcpy (assay_matrix_row (estimates, i), assay_view_row (sets->entries, (gsize) entry),
            sets->entries.cols * sizeof (float));
  }
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  return TRUE;
}

ASSAY_OF_SETTINGS (gsize, repeats, Majority, (gsize) settings->repeats)

/* ---- The control ---- */

enum { SECRETS = 16, COLS = 32, MEMBERS = 4 };

/* The sets of release number @release. Each secret's entry, its own number times @stride, is in all
 * of them, at a place drawn; the others are drawn from its own stretch of the dictionary, no entry
 * for two releases. */
static AssayRelease *
control_release (gsize release, gsize stride, const AssayArray *dictionary, AssayStream *stream)
{
  AssayRelease *made = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "control");
  gint64 *sets = g_new (gint64, SECRETS * MEMBERS);

  for (gsize i = 0; i < SECRETS; i++) {
    const gsize own = assay_stream_below (stream, MEMBERS);
    const gsize others = i * stride + release * (MEMBERS - 1);

    for (gsize j = 0; j < MEMBERS; j++)
      sets[i * MEMBERS + j]
          = (gint64) (j == own ? (i + 1) * stride - 1 : others + (j < own ? j : j - 1));
  }
  assay_arrays_take_rows (&made->arrays, "sets", ASSAY_INT64, SECRETS, MEMBERS, sets);
  assay_arrays_take (&made->arrays, "dictionary", assay_array_copy (dictionary));
  return made;
}

static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const Majority *settings = data;
  const gsize n_releases = (gsize) settings->repeats + 1;
  const gsize stride = n_releases * (MEMBERS - 1) + 1; /* entries of one secret, its own last */
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (SECRETS, COLS, error);
  g_autoptr (AssayMatrix) entries = assay_control_normals (SECRETS * stride, COLS, &stream, error);
  g_autoptr (AssayArray) dictionary = NULL;

  if (entries == NULL || secrets == NULL)
    return FALSE;
  for (gsize i = 0; i < SECRETS; i++)
    memcpy (assay_matrix_row (secrets, i), assay_matrix_row (entries, (i + 1) * stride - 1),
            COLS * sizeof (float));
  dictionary = assay_array_take_matrix (g_steal_pointer (&entries));
  ret_case->release = control_release (0, stride, dictionary, &stream);
  ret_case->repeats = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_release_free);
  for (gsize r = 1; r < n_releases; r++)
    g_ptr_array_add (ret_case->repeats, control_release (r, stride, dictionary, &stream));
  ret_case->truth = assay_truth_new ();
  assay_arrays_take_matrix (&ret_case->truth->arrays, "secrets", &secrets);
  return TRUE;
}

ASSAY_ATTACK (majority, "majority",
  .summary = "Guess the entry that is in most of several sets released of the same secret",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 5; the attack is ours" },
  ASSAY_SETTINGS (Majority,
    ASSAY_PARAM_INT (Majority, repeats, 4, 1, 1023, "",
                     "How many further releases of the same secrets it reads"),
    ASSAY_PARAM_CHOICE (Majority, prior, VECTOR_SETS_BOTH, vector_sets_priors,
                        "How public rows, if granted, break ties")),
  .reads = ASSAY_RELEASE_VECTOR_SETS,
  .needs = ASSAY_GRANT_REPEATS,
  .game = ASSAY_GAME_RECONSTRUCT,
  .repeats = repeats,
  .attack = attack,
  .control = { .says = "an entry that alone is in every set released of a secret is found",
               .make = make_control,
               .at_least = 1,
               .within = 1e-6 });
