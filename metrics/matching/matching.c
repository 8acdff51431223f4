/* Matching of released descriptors with those of another view of the same photograph: what image
 * features are for (LDP-FEAT, Pittaluga and Zhuang 2023, sections 3 and 5.2).
 *
 * A dataset with views knows the homography H that takes each photograph to its view. For the n
 * released descriptors of a photograph and the r of its view (scaled as the release was):
 *   vectors      L2 distance
 *   subspaces    mode = point: ||(w - t) - B'B (w - t)||; mode = subspace: the receiver lifts its
 *                own descriptors to the same dimension; the distance is that of two subspaces
 *   vector-sets  sets = members: each member of a set is matched by itself, as in section 5.2
 *                ("the curator will receive multiple descriptors per keypoint", and finds out by
 *                RANSAC which matches are correct); sets = nearest: one match a set, whose distance
 *                is that of its nearest member
 * A released descriptor goes to the nearest of the view, if it passes the filter. Where a member is
 * in several sets, it is equally near in all of them, and each of them has the match: one cannot
 * know better.
 *
 * With mode = vocabulary two descriptors match where they share a word of a dictionary
 * (vocabulary.h; table 3): of vector sets their own, of other releases one of `words` entries that
 * are made of the database as LDP-FEAT makes them by default. filter = none takes every pair that
 * shares a word, mutual-nearest of the view's descriptors at one word the one nearest to it.
 *
 * Receivers lift with fresh randomness, by default half of the directions to rows of the dataset's
 * database as in hybrid lifting, whatever the release was made with: two subspaces that happen to
 * share a database row meet there, and that is part of what lifting costs.
 *
 * Of each pair of a photograph (with a secret in the cell) and its view, which is one unit:
 *   precision        right matches, ||H x - x'|| <= threshold, over matches; 0 without matches
 *   matching score   visible keypoints with a right match over visible keypoints, those that H puts
 *                    into the view (Mikolajczyk and Schmid 2005); 0 where none is
 *   accuracy         whether the homography that RANSAC finds moves the photograph's corners by no
 *                    more than 1, 3, 5 or 10 px on average from where H puts them; no if none is
 *                    found
 *   corner error     that average; at most the view's diagonal, which also stands for none found
 *   matches, inlier share (of the matches, of RANSAC; 0 where there is no homography). */
#include <math.h>

#include "core/base/parallel.h"
#include "core/plugin/plugin.h"
#include "core/search/dictionary.h"
#include "metrics/matching/homography.h"
#include "metrics/matching/match-release.h"

enum {
  PRECISION,
  SCORE,
  WITHIN_1,
  WITHIN_3,
  WITHIN_5,
  WITHIN_10,
  CORNER_ERROR,
  MATCHES,
  INLIERS,
  UNIT,
  N_SERIES
};

/* As LDP-FEAT's dictionary, seed 1 and all, so that both are one where their sizes are. */
#define WORD_ITERATIONS 10

static const char *const modes[] = { "point", "subspace", "vocabulary", NULL };
static const char *const liftings[] = { "random", "adversarial", "hybrid", NULL };
static const char *const set_forms[] = { "members", "nearest", NULL };

typedef struct {
  guint mode;
  gint64 words;
  guint lifting;
  guint sets;
  guint filter;
  double ratio;
  double threshold;
  double ransac_threshold;
  gint64 iterations;
  double confidence;
} Matching;

/* ---- Outcomes ---- */

typedef struct {
  const AssayUtilityContext *context;
  GPtrArray *pairs;              /* of ViewPair */
  GPtrArray *matches;            /* of GArray of MatchedPair, one a pair */
  const float *frames;           /* n x 4 */
  const float *reference_frames; /* rows of test x 4 */
  double *const *series;
} Judging;

static gboolean
is_right (const ViewPair *pair, const AssayMatch *match, double threshold)
{
  double u, v;

  return view_pair_project (pair, match->x, match->y, &u, &v)
         && hypot (u - match->u, v - match->v) <= threshold;
}

static void
judge_matches (const Judging *judging, gsize unit, const AssayMatch *located)
{
  const Matching *settings = judging->context->settings;
  const ViewPair *pair = g_ptr_array_index (judging->pairs, unit);
  const GArray *matches = g_ptr_array_index (judging->matches, unit);
  g_autofree gboolean *has_right = g_new0 (gboolean, pair->items->len);
  gsize n_right = 0, n_visible = 0, n_found = 0;

  for (guint i = 0; i < matches->len; i++)
    if (is_right (pair, &located[i], settings->threshold)) {
      n_right++;
      has_right[g_array_index (matches, MatchedPair, i).item] = TRUE;
    }
  for (gsize i = 0; i < pair->items->len; i++) {
    const float *frame = judging->frames + 4 * g_array_index (pair->items, gsize, i);

    if (!view_pair_shows (pair, frame[0], frame[1]))
      continue;
    n_visible++;
    n_found += has_right[i] ? 1 : 0;
  }
  judging->series[MATCHES][unit] = matches->len;
  judging->series[PRECISION][unit] = matches->len > 0 ? (double) n_right / matches->len : 0;
  judging->series[SCORE][unit] = n_visible > 0 ? (double) n_found / (double) n_visible : 0;
}

static void
judge_homography (const Judging *judging, gsize unit, const AssayMatch *located, gsize n)
{
  static const double within[] = { 1, 3, 5, 10 };
  const Matching *settings = judging->context->settings;
  const ViewPair *pair = g_ptr_array_index (judging->pairs, unit);
  const double most = hypot ((double) pair->view->width, (double) pair->view->height);
  const AssayRansac ransac = RANSAC_OF (settings);
  AssayStream stream = assay_stream (judging->context->stream, pair->group);
  g_autofree gboolean *is_inlier = g_new0 (gboolean, n);
  double h[9], corner_error = INFINITY;
  gsize n_inliers = 0;

  if (assay_homography_ransac (&ransac, located, n, &stream, h, is_inlier))
    corner_error = assay_homography_corner_error (h, pair->homography, pair->photo->width,
                                                  pair->photo->height);
  for (gsize i = 0; i < n; i++)
    n_inliers += is_inlier[i] ? 1 : 0;
  for (guint i = 0; i < G_N_ELEMENTS (within); i++)
    judging->series[WITHIN_1 + i][unit] = corner_error <= within[i];
  judging->series[CORNER_ERROR][unit] = corner_error < most ? corner_error : most;
  judging->series[INLIERS][unit] = n > 0 ? (double) n_inliers / (double) n : 0;
}

static void
judge (gsize unit, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Judging *judging = data;
  const GArray *matches = g_ptr_array_index (judging->matches, unit);
  g_autofree AssayMatch *located
      = match_release_locate (g_ptr_array_index (judging->pairs, unit), matches, judging->frames,
                              judging->reference_frames);

  judge_matches (judging, unit, located);
  judge_homography (judging, unit, located, matches->len);
}

/* The words of a release that has none of its own; NULL without an error where none are wanted. */
static gboolean
find_words (const Matching *settings, const AssayDataset *dataset, const AssayRelease *release,
            AssayArray **ret_words, GError **error)
{
  const AssayDictionarySpec spec = { .entries = (gsize) settings->words,
                                     .iterations = WORD_ITERATIONS,
                                     .scale = assay_release_scale (release),
                                     .stream = assay_stream_key (1, 0, "dictionary", "") };

  *ret_words = NULL;
  if (settings->mode != MATCH_BY_WORD || release->kind == ASSAY_RELEASE_VECTOR_SETS)
    return TRUE;
  if (dataset->database == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "mode = vocabulary: words are made of the database, which the dataset has "
                       "not; expected a dataset with a database, or a release of vector-sets, "
                       "which has words of its own");
  *ret_words = assay_dictionary (dataset->database, &spec, error);
  return *ret_words != NULL;
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  const Matching *settings = context->settings;
  const AssayRelease *release = received->release;
  g_autoptr (GPtrArray) pairs = NULL;
  g_autoptr (GPtrArray) matches = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (AssayArray) words = NULL;
  ReleaseMatching how = { .mode = settings->mode,
                                .lifting = settings->lifting,
                                .sets = settings->sets,
                                .filter = settings->filter,
                                .ratio = settings->ratio,
                                .stream = context->stream };
  Judging judging = { .context = context, .matches = matches, .series = ret_outcomes->series };

  if (!match_release_check (release, FALSE, error))
    return FALSE;
  pairs = view_pairs_new (context->dataset, received, error);
  if (pairs == NULL)
    return FALSE;
  if (!find_words (settings, context->dataset, release, &words, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, pairs->len, error))
    return FALSE;
  how.words = words;
  for (guint i = 0; i < pairs->len; i++) {
    const ViewPair *pair = g_ptr_array_index (pairs, i);
    GArray *found = match_release (&how, context->dataset, release, pair, error);

    if (found == NULL)
      return assay_prefix (error, "photograph %zu: ", pair->group);
    g_ptr_array_add (matches, found);
    ret_outcomes->series[UNIT][i] = (double) pair->group;
  }
  judging.pairs = pairs;
  judging.frames = (const float *) assay_arrays_get (&received->truth->arrays, "frames")->data;
  judging.reference_frames = (const float *) context->dataset->test_data.frames->data;
  assay_parallel_for (pairs->len, judge, &judging);
  return TRUE;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Matching *settings = data;

  if (settings->mode == MATCH_TO_SUBSPACE && shape->cols > 0 && 2 * shape->dimension >= shape->cols)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "mode = subspace: two subspaces of dimension %zu in %zu columns always "
                       "meet; expected a dimension under half of the columns, or mode = point",
                       shape->dimension, shape->cols);
  if (!match_filter_check (settings->mode, settings->filter, error))
    return FALSE;
  if (settings->mode == MATCH_BY_WORD && settings->sets == MATCH_NEAREST_MEMBER)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "mode = vocabulary, sets = nearest: every member of a set is a word, and "
                       "none is nearer than another; expected sets = members");
  return TRUE;
}

/* What a view has at most, as a shape does not say of how many views n_test are. */
#define VIEW_ROWS 8192

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const Matching *settings = data;
  const gsize m = shape->dimension, m_lifted = settings->mode == MATCH_TO_SUBSPACE ? m : 0;
  const gsize n = MIN (shape->n_secrets, VIEW_ROWS), r = MIN (shape->n_test, VIEW_ROWS);

  guint64 words = 0;

  if (settings->mode == MATCH_BY_WORD)
    words = assay_dictionary_memory (shape->n_database, shape->cols, (gsize) settings->words);
  return words + match_release_memory (n, r, m, m_lifted, shape->cols);
}

ASSAY_UTILITY (matching, "matching",
  .summary = "Matches of released descriptors with another view, and the homography they give",
  .reference = { "Pittaluga and Zhuang 2023, LDP-FEAT; Dusmanu et al. 2021",
                 "sections 3 and 5.2; homography estimation as in DeTone et al. 2018, SuperPoint, "
                 "section 7.3" },
  ASSAY_SETTINGS (Matching,
    ASSAY_PARAM_CHOICE (Matching, mode, MATCH_TO_POINT, modes,
                        "What released subspaces are matched with: descriptors (point) or lifted "
                        "descriptors (subspace); vocabulary: everything is matched by the words of "
                        "a dictionary"),
    ASSAY_PARAM_INT (Matching, words, 4096, 2, 16777216, "",
                     "mode = vocabulary: words of the dictionary, for releases that have none",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_CHOICE (Matching, lifting, LIFTING_HYBRID, liftings,
                        "mode = subspace: where the directions of the receiver's subspaces come "
                        "from"),
    ASSAY_PARAM_CHOICE (Matching, sets, MATCH_MEMBERS, set_forms,
                        "How vector sets are matched: every member, or the set by its nearest "
                        "member"),
    MATCH_PARAMETERS (Matching),
    RANSAC_PARAMETERS (Matching, "homography", 10000)),
  .check = check,
  .memory = memory,
  .reads = MATCHED_KINDS,
  .needs = ASSAY_HAS_FRAMES | ASSAY_HAS_VIEWS,
  .has_own_units = TRUE,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (PRECISION, "matching-precision", MEAN, 0, 1, "share of matches",
                   "Matches that are right; 0 for a photograph without matches", ASSAY_HEADLINE),
    ASSAY_MEASURE (SCORE, "matching-score", MEAN, 0, 1, "share of visible keypoints",
                   "Keypoints with a right match, of those that the view can show"),
    ASSAY_MEASURE (WITHIN_1, "homography-within-1px", RATE, 0, 1, "share of photographs",
                   "Photographs whose estimated homography is at most 1 px off at the corners"),
    ASSAY_MEASURE (WITHIN_3, "homography-within-3px", RATE, 0, 1, "share of photographs",
                   "Photographs whose estimated homography is at most 3 px off at the corners",
                   ASSAY_HEADLINE),
    ASSAY_MEASURE (WITHIN_5, "homography-within-5px", RATE, 0, 1, "share of photographs",
                   "Photographs whose estimated homography is at most 5 px off at the corners"),
    ASSAY_MEASURE (WITHIN_10, "homography-within-10px", RATE, 0, 1, "share of photographs",
                   "Photographs whose estimated homography is at most 10 px off at the corners"),
    ASSAY_MEASURE (CORNER_ERROR, "corner-error-median", MEDIAN, 0, G_MAXDOUBLE, "pixels",
                   "Error of the estimated homography at the corners; the view's diagonal where "
                   "there is none",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (MATCHES, "matches", MEAN, 0, G_MAXDOUBLE, "matches of a photograph",
                   "Matches that pass the filter"),
    ASSAY_MEASURE (INLIERS, "matching-inliers", MEAN, 0, 1, "share of matches",
                   "Matches that agree with the estimated homography; 0 where there is none")),
  .assess = assess);
