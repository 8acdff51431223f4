/* Are these two items, of two releases under different keys, of one person? The attacker runs the
 * defense twice on rows of their own, with keys that are fresh each time (grant `mechanism`), and
 * learns what of an item stays the same (game cross).
 *
 * Release: of a kind with an item for each secret. Knowledge: the defense and public rows; with the
 * key of a release there would be nothing to ask.
 * An item is seen in one of three ways (attacks/adaptive/cross-model.h). In each, with S the
 * covariance of items and C that between the two items of a row, both over runs with keys of their
 * own, the eigenvectors of C against S are directions whose numbers u and v in the two releases are
 * correlated by rho and otherwise normal with variance 1, and a pair scores by
 *   sum_j [ -ln (1 - rho_j^2) / 2 - (rho_j^2 (u_j^2 + v_j^2) - 2 rho_j u_j v_j)
 *                                   / (2 (1 - rho_j^2)) ]
 * the log-likelihood ratio of "one row" and "two" (Ioffe 2006, "Probabilistic Linear Discriminant
 * Analysis"). Which view and how many directions is chosen by the area under the ROC curve in runs
 * that were held out, and what to expect of it is measured in further ones: where the area is not
 * above 1/2 in each of them, and by three standard errors in all, scores are random, and the guess
 * says so. */
#include "attacks/adaptive/cross-model.h"
#include "attacks/adaptive/cross-runs.h"
#include "core/games/control-case.h"
#include "core/plugin/plugin.h"

#define MIN_RUNS 8 /* pairs of runs: two to learn from, one to choose by, one to expect by */

typedef struct {
  guint view;
} CrossLinkage;

/* ---- The attack ---- */

static void
score_at_random (AssayStreamKey key, gsize count, float *ret_scores)
{
  AssayStream stream = assay_stream (key, G_MAXUINT32);

  for (gsize i = 0; i < count; i++)
    ret_scores[i] = (float) assay_stream_normal (&stream);
}

static gboolean
check (const AssayObservation *seen, GError **error)
{
  if (seen->shadow == NULL || seen->public_rows == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "runs under keys of their own need the defense itself; expected grants = "
                       "public; mechanism");
  if (seen->crossed == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the game cross asks for a second release under another key, and there is "
                       "none; expected a defense that can be run");
  if (assay_shadow_has_key (seen->shadow))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the second release has a key of its own, and runs with the grants 'key' or "
                       "'hash-function' all have that of the first; expected grants = public; "
                       "mechanism");
  return assay_shadow_left (seen->shadow) >= MIN_RUNS
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "mechanism_runs: %" G_GUINT64_FORMAT " are left; expected %d at least",
                        assay_shadow_left (seen->shadow), MIN_RUNS);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const CrossLinkage *settings = context->settings;
  const gsize n = assay_release_count (seen->release);
  const gsize m = seen->crossed != NULL ? assay_release_count (seen->crossed) : 0;
  g_autoptr (GPtrArray) releases = NULL;
  g_autofree float *scores = NULL;
  g_auto (CrossModel) model = { 0 };

  if (!check (seen, error) || (releases = cross_runs_make (seen, error)) == NULL)
    return FALSE;
  if (!cross_model_learn (releases, settings->view, &model, error))
    return FALSE;
  scores = assay_alloc (n, m * sizeof (float), "scores of pairs", error);
  if (scores == NULL
      || (model.links && !cross_model_score (&model, seen->release, seen->crossed, scores, error)))
    return FALSE;
  if (!model.links)
    score_at_random (context->stream, n * m, scores);
  ret_guess->says
      = model.links
            ? g_strdup_printf ("links by %s, %zu directions: expected area %.3f, from %u runs",
                               cross_view_names[model.view], model.used, model.area, releases->len)
            : g_strdup_printf ("learned nothing that links, from %u runs", releases->len);
  assay_arrays_take_rows (&ret_guess->arrays, "cross-scores", ASSAY_FLOAT32, n, m,
                          g_steal_pointer (&scores));
  return TRUE;
}

/* ---- The control ---- */

enum { SECRETS = 64, COLS = 8, RUNS = 12 };

#define NOISE 0.1

static gboolean
make_control (G_GNUC_UNUSED gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  return assay_control_mates (&(AssayControlNoise){ .key = key, .noise = NOISE, .moves = 10 },
                              SECRETS, COLS, RUNS, ret_case, error);
}

/* All runs with a view of each, and the scores. */
static guint64
memory (G_GNUC_UNUSED gconstpointer settings, const AssayShape *shape)
{
  const guint64 numbers = (guint64) shape->cols * (shape->dimension > 0 ? 5 : 2);

  return 60 * (guint64) shape->n_secrets * numbers * sizeof (float)
         + 2 * (guint64) shape->n_secrets * shape->n_secrets * sizeof (float)
         + 4 * MIN (numbers, CROSS_MOST_NUMBERS) * MIN (numbers, CROSS_MOST_NUMBERS)
               * sizeof (double);
}

ASSAY_ATTACK (cross_linkage, "cross-linkage",
  .summary = "Run the defense under two keys, learn what stays the same, and link two releases",
  .reference = { "Gomez-Barrero, Galbally, Rathgeb and Busch 2018, General Framework to Evaluate "
                 "Unlinkability in Biometric Template Protection Systems; Ioffe 2006, "
                 "Probabilistic Linear Discriminant Analysis",
                 "the question; the likelihood ratio" },
  ASSAY_SETTINGS (CrossLinkage,
    ASSAY_PARAM_CHOICE (CrossLinkage, view, CROSS_N_VIEWS, cross_view_names,
                        "How items are compared: by their numbers, by the sizes of their "
                        "components along the principal axes of the release, or by length and "
                        "sorted numbers; best: what links best in held-out runs",
                        ASSAY_PARAM_TRIES_ALL)),
  .memory = memory,
  .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_VECTOR_SETS
           | ASSAY_RELEASE_CODES,
  .needs = ASSAY_GRANT_MECHANISM,
  .adapts = TRUE,
  .game = ASSAY_GAME_CROSS,
  .attack = attack,
  .control = { .says = "64 rows with noise of a tenth, moved by another vector in each of two "
                       "releases, are linked",
               .make = make_control,
               .at_least = 0.9 });
