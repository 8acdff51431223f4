/* What RANSAC's inliers tell whoever matches a release (LDP-FEAT, Pittaluga and Zhuang 2023,
 * section S3.3, figure S2): the inlier attack. It needs nothing but what an honest server computes,
 * and fits every defense that leaves matching possible.
 *
 * The server holds views of several scenes, one of which may be that of the photograph of which the
 * release was made. It matches the release with each (match-release.h), and fits a homography to
 * the matches by RANSAC; a count that chance explains is a count too. Of each photograph with a
 * secret in the cell, which is one unit:
 *   own, other     inliers with the view of its own scene, and the mean of those with the views of
 *                  other scenes: `others` of them, drawn without replacement, or all there are
 *   auc            share of the other views with fewer inliers than its own, equal ones by half:
 *                  the area under the ROC curve of "more inliers: the scene of this photograph"
 *   first          whether its own view has more inliers than each of the others
 *   explained      its keypoints that are inliers of its own view, over all of them. What else the
 *                  photograph shows (the paper's faces before a bridge) is not among them
 *   revealed       its keypoints of which the view's descriptor at an inlier is within `tau` of the
 *                  secret, ||w - d|| <= tau ||d||, over all: what the inliers give back of it
 *   right          inliers of which that is so, over inliers; 0 where there is none. */
#include <math.h>

#include "core/base/each.h"
#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/plugin/plugin.h"
#include "metrics/matching/match-release.h"

enum { AUC, FIRST, OWN, OTHER, EXPLAINED, REVEALED, RIGHT, UNIT, N_SERIES };

typedef enum { BY_POINT, BY_WORD } Mode;

static const char *const modes[] = { "point", "vocabulary", NULL };

typedef struct {
  guint mode;
  gint64 others;
  double tau;
  double ransac_threshold;
  gint64 iterations;
  double confidence;
} Inliers;

/* A photograph beside a view, of its own scene or of another. */
typedef struct {
  ViewPair pair; /* lists are borrowed */
  gsize unit;
  gsize view;      /* which of the pairs the view is of */
  GArray *matches; /* of MatchedPair */
  AssayMatch *located;
  gboolean *is_inlier;
  gsize n_inliers;
} Trial;

ASSAY_LOCAL_FREE (Trial, trial_free, assay_drop (self->matches, g_array_unref),
                  g_free (self->located), g_free (self->is_inlier))

typedef struct {
  const AssayUtilityContext *context;
  GPtrArray *pairs;  /* of ViewPair */
  GPtrArray *trials; /* of Trial; of each unit together, its own view first */
  AssayView secrets;
  AssayScale scale;
  double *const *series;
} Judging;

/* ---- Which photographs are compared with which views ---- */

static void
add_trial (Judging *judging, gsize unit, gsize view)
{
  const ViewPair *from = g_ptr_array_index (judging->pairs, unit);
  const ViewPair *to = g_ptr_array_index (judging->pairs, view);
  Trial *trial = g_new0 (Trial, 1);

  *trial = (Trial){ .pair = *from, .unit = unit, .view = view };
  trial->pair.view = to->view;
  trial->pair.references = to->references;
  g_ptr_array_add (judging->trials, trial);
}

static void
add_trials (Judging *judging, gsize unit)
{
  const Inliers *settings = judging->context->settings;
  const ViewPair *pair = g_ptr_array_index (judging->pairs, unit);
  const gsize n_others = judging->pairs->len - 1, n = MIN ((gsize) settings->others, n_others);
  AssayStream stream = assay_stream (judging->context->stream, pair->group);
  g_autofree gsize *chosen = g_new (gsize, n);

  add_trial (judging, unit, unit);
  assay_stream_choose (&stream, n_others, n, chosen);
  for (gsize i = 0; i < n; i++)
    add_trial (judging, unit, chosen[i] + (chosen[i] >= unit ? 1 : 0));
}

/* ---- Inliers ---- */

static gboolean
match_trials (const Judging *judging, const AssayReceived *received, GError **error)
{
  const Inliers *settings = judging->context->settings;
  const AssayDataset *dataset = judging->context->dataset;
  const float *frames = (const float *) assay_arrays_get (&received->truth->arrays, "frames")->data;
  const float *reference_frames = (const float *) dataset->test_data.frames->data;
  const ReleaseMatching how = { .mode = settings->mode == BY_WORD ? MATCH_BY_WORD : MATCH_TO_POINT,
                                .sets = MATCH_MEMBERS,
                                .filter = FILTER_MUTUAL,
                                .stream = judging->context->stream };

  ASSAY_FOR_EACH (Trial, trial, judging->trials) {
    trial->matches = match_release (&how, dataset, received->release, &trial->pair, error);
    if (trial->matches == NULL)
      return assay_prefix (error, "photograph %zu: ", trial->pair.group);
    trial->located = match_release_locate (&trial->pair, trial->matches, frames, reference_frames);
    trial->is_inlier = g_new0 (gboolean, trial->matches->len);
  }
  return TRUE;
}

static void
count_inliers (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Judging *judging = data;
  const Inliers *settings = judging->context->settings;
  Trial *trial = g_ptr_array_index (judging->trials, index);
  const ViewPair *other = g_ptr_array_index (judging->pairs, trial->view);
  AssayRansac ransac = RANSAC_OF (settings);
  /* Choices of views have the items below: groups are fewer than 2^32. */
  AssayStream stream = assay_stream (judging->context->stream,
                                     (guint64) (trial->pair.group + 1) << 32 | other->group);
  double h[9];

  ransac.keeps_chance = TRUE;
  assay_homography_ransac (&ransac, trial->located, trial->matches->len, &stream, h,
                           trial->is_inlier);
  for (guint i = 0; i < trial->matches->len; i++)
    trial->n_inliers += trial->is_inlier[i] ? 1 : 0;
}

/* ---- What they tell ---- */

/* Of the trials @first to @first + n, the own view first. */
static void
compare (const Judging *judging, gsize first, gsize n)
{
  const Trial *own = g_ptr_array_index (judging->trials, first);
  gsize n_fewer = 0, n_equal = 0, sum = 0;

  for (gsize i = 1; i < n; i++) {
    const Trial *other = g_ptr_array_index (judging->trials, first + i);

    n_fewer += other->n_inliers < own->n_inliers;
    n_equal += other->n_inliers == own->n_inliers;
    sum += other->n_inliers;
  }
  judging->series[AUC][own->unit] = ((double) n_fewer + 0.5 * (double) n_equal) / (double) (n - 1);
  judging->series[FIRST][own->unit] = n_fewer == n - 1;
  judging->series[OWN][own->unit] = (double) own->n_inliers;
  judging->series[OTHER][own->unit] = (double) sum / (double) (n - 1);
}

static void
reveal (const Judging *judging, const Trial *own)
{
  const Inliers *settings = judging->context->settings;
  const gsize d = judging->secrets.cols, n = own->pair.items->len;
  g_autofree gboolean *is_explained = g_new0 (gboolean, n);
  g_autofree gboolean *is_revealed = g_new0 (gboolean, n);
  g_autofree float *reference = g_new (float, d);
  gsize n_explained = 0, n_revealed = 0, n_right = 0;

  for (guint i = 0; i < own->matches->len; i++) {
    const MatchedPair *match = &g_array_index (own->matches, MatchedPair, i);
    const float *secret;

    if (!own->is_inlier[i])
      continue;
    secret = assay_view_row (judging->secrets, g_array_index (own->pair.items, gsize, match->item));
    assay_rows_gather (judging->context->dataset->test,
                       &g_array_index (own->pair.references, gsize, match->reference), 1,
                       judging->scale, reference);
    n_explained += !is_explained[match->item];
    is_explained[match->item] = TRUE;
    if (sqrt (assay_squared_distance (reference, secret, d))
        > settings->tau * sqrt (assay_squared_norm (secret, d)))
      continue;
    n_right++;
    n_revealed += !is_revealed[match->item];
    is_revealed[match->item] = TRUE;
  }
  judging->series[EXPLAINED][own->unit] = (double) n_explained / (double) n;
  judging->series[REVEALED][own->unit] = (double) n_revealed / (double) n;
  judging->series[RIGHT][own->unit]
      = own->n_inliers > 0 ? (double) n_right / (double) own->n_inliers : 0;
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  const Inliers *settings = context->settings;
  g_autoptr (GPtrArray) pairs = NULL;
  g_autoptr (GPtrArray) trials = g_ptr_array_new_with_free_func ((GDestroyNotify) trial_free);
  Judging judging
      = { .context = context, .trials = trials, .scale = assay_release_scale (received->release) };
  gsize per_unit;

  if (!match_release_check (received->release, settings->mode == BY_WORD, error))
    return FALSE;
  pairs = view_pairs_new (context->dataset, received, error);
  if (pairs == NULL)
    return FALSE;
  if (pairs->len < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "secrets of one photograph: there is no view of another scene to compare "
                       "with; expected those of two photographs or more");
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, pairs->len, error))
    return FALSE;
  judging.pairs = pairs;
  judging.secrets = assay_array_view (assay_arrays_get (&received->truth->arrays, "secrets"));
  judging.series = ret_outcomes->series;
  for (guint i = 0; i < pairs->len; i++) {
    add_trials (&judging, i);
    judging.series[UNIT][i] = (double) ((const ViewPair *) pairs->pdata[i])->group;
  }
  if (!match_trials (&judging, received, error))
    return FALSE;
  assay_parallel_for (trials->len, count_inliers, &judging);
  per_unit = trials->len / pairs->len;
  for (gsize i = 0; i < trials->len; i += per_unit) {
    compare (&judging, i, per_unit);
    reveal (&judging, trials->pdata[i]);
  }
  return TRUE;
}

ASSAY_UTILITY (inliers, "inliers",
  .summary = "What RANSAC inliers show a server: which scene a photograph shows, and what it looks "
             "like",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section S3.3, figure S2" },
  ASSAY_SETTINGS (Inliers,
    ASSAY_PARAM_CHOICE (Inliers, mode, BY_POINT, modes,
                        "How descriptors are matched: point, mutual nearest neighbours; "
                        "vocabulary, equal words of vector sets"),
    ASSAY_PARAM_INT (Inliers, others, 10, 1, 100000, "views",
                     "The most views of other scenes that a photograph is compared with"),
    ASSAY_PARAM_REAL (Inliers, tau, 0.3, 0, 2, "",
                      "Relative distance within which the view's descriptor reveals the secret"),
    RANSAC_PARAMETERS (Inliers, "homography", 2000)),
  .reads = MATCHED_KINDS,
  .needs = ASSAY_HAS_FRAMES | ASSAY_HAS_VIEWS,
  .has_own_units = TRUE,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (AUC, "inlier-auc", MEAN, 0, 1, "area",
                   "Probability that the view of the own scene has more inliers than another; 0.5: "
                   "they tell nothing",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, ASSAY_IS_LEAK),
    ASSAY_MEASURE (FIRST, "inlier-first", RATE, 0, 1, "share of photographs",
                   "Photographs whose own view has more inliers than each of the others",
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_LEAK),
    ASSAY_MEASURE (OWN, "inliers-own", MEAN, 0, G_MAXDOUBLE, "matches of a photograph",
                   "Inliers with the view of the same scene", ASSAY_HIGHER_IS_WORSE,
                   ASSAY_IS_LEAK),
    ASSAY_MEASURE (OTHER, "inliers-other", MEAN, 0, G_MAXDOUBLE, "matches of a photograph",
                   "Inliers with the view of another scene", ASSAY_IS_LEAK),
    ASSAY_MEASURE (EXPLAINED, "inlier-explained", MEAN, 0, 1, "share of keypoints",
                   "Keypoints that are inliers of the own view", ASSAY_HIGHER_IS_WORSE,
                   ASSAY_IS_LEAK),
    ASSAY_MEASURE (REVEALED, "inlier-revealed", MEAN, 0, 1, "share of keypoints",
                   "Keypoints whose secret is within tau of the view's descriptor at an inlier",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, ASSAY_IS_LEAK),
    ASSAY_MEASURE (RIGHT, "inlier-right", MEAN, 0, 1, "share of inliers",
                   "Inliers at which the view's descriptor is within tau of the secret",
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_LEAK)),
  .assess = assess);
