/* Releases of kind updates: linear classifiers that users train together, step after step, on what
 * each of them has. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

/* What a wrong or unsure margin m = y (w . x) costs. */
typedef enum {
  ASSAY_LOSS_HINGE,    /* max (0, 1 - m) */
  ASSAY_LOSS_LOGISTIC, /* ln (1 + exp (-m)) */
} AssayLoss;

/* How a user makes w^(n) of the public model (core/learn/linear-training.h). */
typedef enum {
  ASSAY_TRAINER_STEP, /* one proximal gradient step on a batch */
  ASSAY_TRAINER_PASS, /* one pass of stochastic gradient descent over all that the user has */
  ASSAY_TRAINER_CLUSTERS, /* one pass of k-means: classes are clusters, and rows of weights their
                           * centroids (core/learn/cluster-training.h) */
  ASSAY_TRAINER_OPTIMUM,  /* logistic regression to the end, whatever the public model */
} AssayTrainer;

extern const char *const assay_losses[];
extern const char *const assay_trainers[];

/* Where the key comes from under which updates were sent. */
typedef enum {
  ASSAY_UPDATES_KEY_NONE,   /* they were not encrypted */
  ASSAY_UPDATES_KEY_SYSTEM, /* the system's randomness */
  ASSAY_UPDATES_KEY_SEED,   /* a seed, which decrypts all: for tests and audits */
} AssayUpdatesKey;

/* A model is classes x width numbers, class after class, width = columns of a secret, and one more
 * where there is a bias. */
typedef struct {
  gint64 users;       /* N */
  gint64 classes;
  gint64 batch;       /* samples in a user's gradient step; 0: all that the user has */
  gint64 local_steps; /* of a user, before it sends its model */
  guint loss;         /* AssayLoss */
  guint trainer;      /* AssayTrainer */
  double rate;        /* gamma */
  double penalty;     /* lambda */
  double mix;         /* rho: lambda (rho |w|_1 + (1 - rho) / 2 |w|^2) */
  bool bias;
  guint key;      /* AssayUpdatesKey */
  bool shortened; /* scaled rows longer than 1 were trained on as rows of length 1 */
  double epsilon; /* claimed, of each class and, where noise is added in each step, of each step */
} AssayUpdatesParameters;

/* The steps T that were made: one less than there are models. */
gsize assay_updates_steps (const AssayRelease *release);
/* Weights of a class: columns of a sample, and a bias; where the release does not say how many
 * classes there are, all weights of a model. */
gsize assay_updates_width (const AssayRelease *release);
/* The sum of what users sent in step @step, as near as the release tells it: the aggregator's sum,
 * or N times the next model; P numbers. FALSE, with ASSAY_ERROR_MISMATCH: it has no sums and does
 * not say how many users there are. */
gboolean assay_updates_sum (const AssayRelease *release, gsize step, double *ret_sum,
                            GError **error);

G_END_DECLS
