/* A model that most of many matches agree with, where most may be wrong: RANSAC (Fischler and
 * Bolles 1981). What the model is, its caller says. */
#pragma once

#include "core/base/rng.h"

typedef struct {
  double threshold;  /* pixels within which a match agrees */
  double confidence; /* with which a sample that agrees in all its matches was drawn at the end */
  gsize max_iterations; /* samples at most */
  gboolean keeps_chance;
} AssayRansac;

/* The settings that say so, of a struct with these fields; @what is a string: the model. */
#define RANSAC_PARAMETERS(Struct, what, n)                                                         \
  ASSAY_PARAM_REAL (Struct, ransac_threshold, 3, 0.01, 1000, "pixels",                             \
                    "How far a match may be from the place that the " what " predicts, to agree "  \
                    "with it"),                                                                    \
      ASSAY_PARAM_INT (Struct, iterations, n, 1, 10000000, "", "The most samples of RANSAC"),      \
      ASSAY_PARAM_REAL (Struct, confidence, 0.9999, 0.5, 0.999999999, "",                          \
                        "RANSAC ends when it has drawn a right sample with this probability")

/* ... as they say it; an initialiser. */
#define RANSAC_OF(settings)                                                                        \
  {                                                                                                \
    .threshold = (settings)->ransac_threshold, .confidence = (settings)->confidence,               \
    .max_iterations = (gsize) (settings)->iterations                                               \
  }

#define MAX_CONSENSUS_SAMPLE 4
#define MAX_CONSENSUS_MODELS 4
#define MAX_CONSENSUS_NUMBERS 12

typedef struct {
  gconstpointer data;
  gsize n;       /* matches */
  gsize sample;  /* matches that determine a model */
  gsize models;  /* that a sample has, at most */
  gsize numbers; /* of a model */
  /* The models of the matches @chosen; how many there are. */
  gsize (*solve) (gconstpointer data, const gsize *chosen, double *ret_models);
  /* Squared error of a match, infinite where it cannot agree; and the sum over all matches of
   * these, each cut off at @square: or, of a model that costs @limit or more, some number from
   * there on. */
  double (*error) (gconstpointer data, const double *model, gsize match);
  double (*cost) (gconstpointer data, const double *model, double square, double limit);
  /* Moves @model to one that fits the @n matches @which well, and to the one that fits them best.
   * FALSE: they do not determine one. */
  gboolean (*fit) (gconstpointer data, const gsize *which, gsize n, double *model);
  gboolean (*refine) (gconstpointer data, const gsize *which, gsize n, double *model);
  double chance; /* that a wrong match agrees with a model */
} ConsensusProblem;

/* Samples are drawn from @stream. Models are ranked by the sum of squared errors cut off at the
 * threshold (MSAC: Torr and Zisserman 2000). A new best one is fitted to the matches that agree
 * with it until they stay the same (Chum, Matas and Kittler 2003, LO-RANSAC), and the last is
 * refined on them. Sampling ends after so many iterations, or when with the wanted probability a
 * sample has been drawn that agrees in all of its matches.
 *
 * FALSE, with the outputs untouched: fewer matches than a sample has, no sample that could be
 * tried, or, unless @keeps_chance, a best model that chance explains: of n matches that agree
 * with a model with probability @chance each, models (n over sample) P (X >= n_inliers -
 * sample), X ~ Binomial (n - sample, chance), of such sets are expected to agree as many (as
 * Moisan and Stival 2004 count false alarms). Where that is above 0.001 and not all matches
 * agree, there is no consensus.
 *
 * @ret_is_inlier: n, whether each match agrees with the result; may be NULL. */
gboolean consensus_find (const ConsensusProblem *problem, const AssayRansac *ransac,
                         AssayStream *stream, double *ret_model, gboolean *ret_is_inlier);
