/* Released descriptors of a photograph matched with those of its other view, by kind of release. */
#pragma once

#include "metrics/matching/homography.h"
#include "metrics/matching/lifted-references.h"
#include "metrics/matching/matches.h"
#include "metrics/matching/view-pairs.h"

typedef enum { MATCH_TO_POINT, MATCH_TO_SUBSPACE, MATCH_BY_WORD } MatchMode;
typedef enum { MATCH_MEMBERS, MATCH_NEAREST_MEMBER } MatchSets;

typedef struct {
  MatchMode mode;         /* of subspaces: with descriptors, or with lifted ones; of all: by word */
  LiftingVariant lifting; /* of the latter */
  MatchSets sets;         /* of vector-sets: each member, or the set by its nearest */
  MatchFilter filter;
  double ratio;
  const AssayArray *words; /* by word, float32 K x d; NULL: the dictionary of the release */
  AssayStreamKey stream; /* row r of the role test is lifted from item 2^32 + r */
} ReleaseMatching;

#define MATCHED_KINDS                                                                              \
  (ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_VECTOR_SETS)

/* Settings of which matches there are, and which of them are right. */
#define MATCH_PARAMETERS(Struct)                                                                   \
  ASSAY_PARAM_CHOICE (Struct, filter, FILTER_MUTUAL, match_filters,                                \
                      "Which nearest neighbours count as matches"),                                \
      ASSAY_PARAM_REAL (Struct, ratio, 0.8, 0, 1, "",                                              \
                        "filter = ratio or both: the nearest distance over the second nearest "    \
                        "must be below this"),                                                     \
      ASSAY_PARAM_REAL (Struct, threshold, 3, 0, 1000, "pixels",                                   \
                        "How far a right match may be from its true place")
extern const char *const match_filters[];

/* ASSAY_ERROR_PARAMETER where words, which are matched with @mode = MATCH_BY_WORD, would need
 * distances. */
gboolean match_filter_check (MatchMode mode, MatchFilter filter, GError **error);

/* ASSAY_ERROR_MISMATCH: it is of a kind that cannot be matched, or without words of its own. */
gboolean match_release_check (const AssayRelease *release, gboolean wants_words, GError **error);

/* Of MatchedPair: places in the items and the references of @pair. Free with g_array_unref. */
GArray *match_release (const ReleaseMatching *how, const AssayDataset *dataset,
                       const AssayRelease *release, const ViewPair *pair, GError **error);

/* Where each of the matches is in both pictures, by the frames of all secrets and of all rows of
 * the role test (4 numbers each). As many as there are matches; free with g_free. */
AssayMatch *match_release_locate (const ViewPair *pair, const GArray *matches, const float *frames,
                                  const float *reference_frames);

/* Bytes that it holds for @n items of @dimension (0: points) and @r references that are lifted to
 * @lifted_dimension (0: not lifted). */
guint64 match_release_memory (gsize n, gsize r, gsize dimension, gsize lifted_dimension,
                              gsize cols);
