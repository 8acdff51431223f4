/* Where a photograph was taken, from released descriptors and a map: what LDP-FEAT measures its
 * utility by (Pittaluga and Zhuang 2023, section 6.2, table 2).
 *
 * A dataset with a map knows for each photograph the descriptors of reference photographs of the
 * same place, with their points in space, and the camera that took it. The receiver matches what
 * was released with the references (match-release.h), those of the place or of all places (`map`),
 * and looks by RANSAC for the pose from which most of the matched points are seen where the
 * keypoints are, with the focal length known (pose.h). Of each photograph with a secret in the
 * cell, which is one unit:
 *   within         whether the camera that is found stands no farther from the true one than .25,
 *                  .5 or 5 m, and is turned by no more than 2, 5 or 10 degrees; no if there is
 *                  none
 *   errors         these two; at most 100 m and 180 degrees, which also stand for none found
 *   matches, precision, inliers   of the matches; right are those whose point the true camera sees
 *                  within `threshold` pixels of the keypoint; 0 of none. */
#include <math.h>

#include "core/base/parallel.h"
#include "core/plugin/plugin.h"
#include "metrics/matching/match-release.h"
#include "metrics/matching/pose.h"

enum { FINE, MEDIUM, COARSE, METRES, DEGREES, MATCHES, PRECISION, INLIERS, UNIT, N_SERIES };

#define CAMERA 15 /* numbers of one: f, c, R, t */
#define MAX_METRES 100
#define PLACES_APART 1000 /* metres, of one place from the next in the map of all */

/* MATCH_TO_POINT and MATCH_BY_WORD, without the receiver who lifts. */
typedef enum { BY_POINT, BY_WORD } Mode;

static const char *const modes[] = { "point", "vocabulary", NULL };

typedef enum { MAP_OF_PLACE, MAP_OF_ALL } Map;

static const char *const maps[] = { "place", "all", NULL };

typedef struct {
  guint mode;
  guint map;
  guint filter;
  double ratio;
  double threshold;
  double ransac_threshold;
  gint64 iterations;
  double confidence;
} Localisation;

typedef struct {
  const AssayUtilityContext *context;
  GPtrArray *pairs;   /* of ViewPair */
  GPtrArray *matches; /* of GArray of MatchedPair, one a pair */
  const float *frames;
  const float *points;
  const gint64 *places; /* of which each row of the map is */
  double *const *series;
} Judging;

static PoseMatch *
gather_matches (const Judging *judging, const ViewPair *pair, const GArray *matches)
{
  PoseMatch *gathered = g_new (PoseMatch, matches->len);

  for (guint i = 0; i < matches->len; i++) {
    const MatchedPair *match = &g_array_index (matches, MatchedPair, i);
    const float *frame = judging->frames + 4 * g_array_index (pair->items, gsize, match->item);
    const float *point
        = judging->points + 3 * g_array_index (pair->references, gsize, match->reference);

    const gint64 place = judging->places[g_array_index (pair->references, gsize, match->reference)];
    const double away = PLACES_APART * ((double) place - (double) pair->group);

    gathered[i] = (PoseMatch){ frame[0], frame[1], { point[0] + away, point[1], point[2] } };
  }
  return gathered;
}

static double
share_right (const PoseMatches *matches, const double truth[12], double threshold)
{
  gsize n_right = 0;

  for (gsize i = 0; i < matches->n; i++) {
    const PoseMatch *match = &matches->matches[i];
    double x, y;

    n_right += pose_project (matches->lens, truth, match->point, &x, &y)
               && hypot (x - match->x, y - match->y) <= threshold;
  }
  return matches->n > 0 ? (double) n_right / (double) matches->n : 0;
}

static void
judge (gsize unit, G_GNUC_UNUSED guint worker, gpointer data)
{
  static const struct {
    double metres, degrees;
  } within[] = { { 0.25, 2 }, { 0.5, 5 }, { 5, 10 } };
  const Judging *judging = data;
  const Localisation *settings = judging->context->settings;
  const ViewPair *pair = g_ptr_array_index (judging->pairs, unit);
  const GArray *found = g_ptr_array_index (judging->matches, unit);
  const double *camera
      = (const double *) judging->context->dataset->cameras->data + CAMERA * pair->group;
  const PoseLens lens = { camera[0], camera[1], camera[2], (double) pair->photo->width,
                          (double) pair->photo->height };
  g_autofree PoseMatch *gathered = gather_matches (judging, pair, found);
  const PoseMatches matches = { &lens, gathered, found->len };
  const AssayRansac ransac = RANSAC_OF (settings);
  AssayStream stream = assay_stream (judging->context->stream, pair->group);
  g_autofree gboolean *is_inlier = g_new0 (gboolean, found->len);
  double pose[12], metres = MAX_METRES, degrees = 180;
  gsize n_inliers = 0;

  if (pose_ransac (&matches, &ransac, &stream, pose, is_inlier))
    pose_difference (pose, camera + 3, &metres, &degrees);
  for (gsize i = 0; i < found->len; i++)
    n_inliers += is_inlier[i] ? 1 : 0;
  for (guint i = 0; i < G_N_ELEMENTS (within); i++)
    judging->series[FINE + i][unit] = metres <= within[i].metres && degrees <= within[i].degrees;
  judging->series[METRES][unit] = metres < MAX_METRES ? metres : MAX_METRES;
  judging->series[DEGREES][unit] = degrees;
  judging->series[MATCHES][unit] = found->len;
  judging->series[PRECISION][unit] = share_right (&matches, camera + 3, settings->threshold);
  judging->series[INLIERS][unit] = found->len > 0 ? (double) n_inliers / found->len : 0;
}

static gboolean
match_pairs (const Judging *judging, const AssayReceived *received, GError **error)
{
  const Localisation *settings = judging->context->settings;
  const ReleaseMatching how = { .mode = settings->mode == BY_WORD ? MATCH_BY_WORD : MATCH_TO_POINT,
                                .sets = MATCH_MEMBERS,
                                .filter = settings->filter,
                                .ratio = settings->ratio,
                                .stream = judging->context->stream };

  for (guint i = 0; i < judging->pairs->len; i++) {
    const ViewPair *pair = g_ptr_array_index (judging->pairs, i);
    GArray *found = match_release (&how, judging->context->dataset, received->release, pair, error);

    if (found == NULL)
      return assay_prefix (error, "photograph %zu: ", pair->group);
    g_ptr_array_add (judging->matches, found);
    judging->series[UNIT][i] = (double) pair->group;
  }
  return TRUE;
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  const Localisation *settings = context->settings;
  g_autoptr (GPtrArray) pairs = NULL;
  g_autoptr (GPtrArray) matches = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  Judging judging = { .context = context, .matches = matches };

  if (!match_release_check (received->release, settings->mode == BY_WORD, error))
    return FALSE;
  pairs = map_pairs_new (context->dataset, received, settings->map == MAP_OF_ALL, error);
  if (pairs == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, pairs->len, error))
    return FALSE;
  judging.pairs = pairs;
  judging.series = ret_outcomes->series;
  judging.frames = (const float *) assay_arrays_get (&received->truth->arrays, "frames")->data;
  judging.points = (const float *) context->dataset->test_data.points->data;
  judging.places = assay_array_int64 (context->dataset->test_data.pictures);
  if (!match_pairs (&judging, received, error))
    return FALSE;
  assay_parallel_for (pairs->len, judge, &judging);
  return TRUE;
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const Localisation *settings = data;

  return match_filter_check (settings->mode == BY_WORD ? MATCH_BY_WORD : MATCH_TO_POINT,
                             settings->filter, error);
}

ASSAY_UTILITY (localisation, "localisation",
  .summary = "Where photographs were taken, from released descriptors and a map of the place",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 6.2, table 2" },
  ASSAY_SETTINGS (Localisation,
    ASSAY_PARAM_CHOICE (Localisation, mode, BY_POINT, modes,
                        "How descriptors are matched: point, nearest neighbours; vocabulary, equal "
                        "words of vector sets"),
    ASSAY_PARAM_CHOICE (Localisation, map, MAP_OF_PLACE, maps,
                        "What photographs are matched with: the map of their own place, as if it "
                        "were known, or a map of all places, 1,000 m apart",
                        ASSAY_PARAM_EXTRA),
    MATCH_PARAMETERS (Localisation),
    RANSAC_PARAMETERS (Localisation, "pose", 10000)),
  .check = check,
  .reads = MATCHED_KINDS,
  .needs = ASSAY_HAS_FRAMES | ASSAY_HAS_MAP,
  .has_own_units = TRUE,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (FINE, "localised-fine", RATE, 0, 1, "share of photographs",
                   "Photographs located to within 0.25 m and 2 degrees", ASSAY_HEADLINE),
    ASSAY_MEASURE (MEDIUM, "localised-medium", RATE, 0, 1, "share of photographs",
                   "Photographs located to within 0.5 m and 5 degrees"),
    ASSAY_MEASURE (COARSE, "localised-coarse", RATE, 0, 1, "share of photographs",
                   "Photographs located to within 5 m and 10 degrees"),
    ASSAY_MEASURE (METRES, "camera-distance-median", MEDIAN, 0, MAX_METRES, "metres",
                   "Distance from where the camera stood; 100 where no pose is found",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (DEGREES, "camera-angle-median", MEDIAN, 0, 180, "degrees",
                   "Angle between the true and the estimated direction of the camera; 180 where no "
                   "pose is found",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (MATCHES, "map-matches", MEAN, 0, G_MAXDOUBLE, "matches of a photograph",
                   "Matches with the map that pass the filter"),
    ASSAY_MEASURE (PRECISION, "map-precision", MEAN, 0, 1, "share of matches",
                   "Matches whose point is visible at the keypoint; 0 for a photograph without "
                   "matches"),
    ASSAY_MEASURE (INLIERS, "map-inliers", MEAN, 0, 1, "share of matches",
                   "Matches that agree with the pose; 0 where there is none")),
  .assess = assess);
