/* Users who train a linear classifier together, or find clusters: what the defenses that release
 * updates have in common. In step t each of N users makes w^(n) of the public model w_t with
 * samples of its own (core/learn/linear-training.h), and w_(t+1) is the mean of these, or what a
 * defense makes in its place.
 *
 * The columns of samples are scaled by mean and deviation of the public rows, which are released;
 * w_0 is trained on the public rows, as an aggregator would, or is zero. With several local steps a
 * user goes on from its own model (federated averaging of McMahan, Moore, Ramage, Hampson and
 * Arcas 2017, "Communication-Efficient Learning of Deep Networks from Decentralized Data",
 * algorithm 1).
 *
 * Clusters (trainer = clusters) begin with k-means of the public rows, and each user makes a pass
 * of mini-batch k-means with sparse centroids (core/learn/cluster-training.h).
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", section 2.1 and equation 9; unequal users by Hsu, Qi and Brown
 * 2019, "Measuring the Effects of Non-Identical Data Distribution for Federated Visual
 * Classification", section 2. */
#pragma once

#include "core/learn/linear-training.h"
#include "core/plugin/defense.h"

typedef enum {
  PARTITION_EQUAL,     /* samples to users in equal parts, at random */
  PARTITION_DIRICHLET, /* each class is shared out by a Dirichlet vector */
  PARTITION_REPEATED,  /* in equal parts among the first few users, and again among the next */
} FederationPartition;

typedef enum { START_PUBLIC, START_ZERO } FederationStart;

extern const char *const federation_partitions[], *const federation_starts[];

/* Begins the struct of settings of such a defense. */
#define FEDERATION_FIELDS                                                                          \
  gint64 users;                                                                                    \
  guint partition;                                                                                 \
  double concentration;                                                                            \
  gint64 per_split;                                                                                \
  gint64 steps;                                                                                    \
  guint trainer;                                                                                   \
  gint64 batch;                                                                                    \
  gint64 local_steps;                                                                              \
  guint loss;                                                                                      \
  double rate;                                                                                     \
  double penalty;                                                                                  \
  double sparsity;                                                                                 \
  double mix;                                                                                      \
  bool bias;                                                                                       \
  guint start;                                                                                     \
  bool standardise

typedef struct {
  FEDERATION_FIELDS;
} FederationSettings;

/* Who has what, in all of them. */
#define FEDERATION_USERS(Struct)                                                                   \
  ASSAY_PARAM_INT (Struct, users, 5, 1, 100000, "", "How many users train (N)"),                   \
      ASSAY_PARAM_CHOICE (Struct, partition, PARTITION_EQUAL, federation_partitions,               \
                          "How secrets are divided among users: equal, in equal parts; "           \
                          "dirichlet, each class by shares drawn from a Dirichlet "                \
                          "distribution; repeated, all of them in equal parts among the first "    \
                          "`per_split` users, and again among the next"),                          \
      ASSAY_PARAM_REAL (Struct, concentration, 0.1, 1e-3, 1e6, "",                                 \
                        "partition = dirichlet: concentration of that distribution; smaller is "   \
                        "less equal"),                                                             \
      ASSAY_PARAM_INT (Struct, per_split, 5, 1, 100000, "users",                                   \
                       "partition = repeated: users among whom all secrets are divided, which "    \
                       "is done users / per_split times",                                          \
                       ASSAY_PARAM_EXTRA)

#define FEDERATION_STANDARDISE(Struct)                                                             \
  ASSAY_PARAM_BOOL (Struct, standardise, TRUE,                                                     \
                    "Whether each column is scaled to mean 0 and standard deviation 1, by the "    \
                    "public rows")

#define FEDERATION_PARAMETERS(Struct)                                                              \
  FEDERATION_USERS (Struct),                                                                       \
      ASSAY_PARAM_INT (Struct, steps, 1, 1, 100000, "", "How many models are made (T)"),           \
      ASSAY_PARAM_CHOICE (Struct, trainer, ASSAY_TRAINER_PASS, assay_trainers,                     \
                          "What a user does in a step: one gradient step; one pass of "            \
                          "stochastic gradient descent over all of its samples; one pass of "      \
                          "mini-batch k-means, whose model is a centroid for each class; or "      \
                          "logistic regression to the optimum"),                                   \
      ASSAY_PARAM_INT (Struct, batch, 1, 0, 1000000000, "samples",                                 \
                       "Samples in one gradient step, or in one batch of k-means; 0: all that "    \
                       "the user has"),                                                            \
      ASSAY_PARAM_INT (Struct, local_steps, 1, 1, 100000, "",                                      \
                       "Gradient steps, or passes, that a user makes before it sends its model",   \
                       ASSAY_PARAM_EXTRA),                                                         \
      ASSAY_PARAM_CHOICE (Struct, loss, ASSAY_LOSS_HINGE, assay_losses,                            \
                          "The loss that is minimised"),                                           \
      ASSAY_PARAM_REAL (Struct, rate, 1e-3, 1e-12, 1e6, "", "Learning rate gamma"),                \
      ASSAY_PARAM_REAL (Struct, penalty, 0, 0, 1e6, "", "Weight lambda of the penalty"),           \
      ASSAY_PARAM_REAL (Struct, sparsity, 0, 0, 0.999, "share of weights",                         \
                        "Above 0: the penalty is the smallest (of 1e-4 to 1e4) with which this "   \
                        "share of the first step's weights is zero"),                              \
      ASSAY_PARAM_REAL (Struct, mix, 0.5, 0, 1, "", "Share rho of L1 in the penalty"),             \
      ASSAY_PARAM_BOOL (Struct, bias, FALSE,                                                       \
                        "Whether each class has a bias, which is not "                             \
                        "penalised"),                                                              \
      ASSAY_PARAM_CHOICE (Struct, start, START_PUBLIC, federation_starts,                          \
                          "The first model: trained on the public rows, or zero"),                 \
      FEDERATION_STANDARDISE (Struct)

/* What came of it. Zeroed: empty. */
typedef struct {
  AssayLinearTraining training;
  gsize n_users;
  gsize n_steps;
  gint64 *users;        /* n: whose each secret is; NULL: of several users */
  gint64 *first_steps;  /* n: in which it was first trained on; -1: in none; NULL: as above */
  AssayMatrix *models;  /* (T + 1) x P */
  gsize *counts;        /* N: rows that each user trains on */
  AssayMatrix *locals;  /* T N x P: what users made, step by step */
  AssayMatrix *sent;    /* T N x P: what they sent; NULL: the same */
  AssayMatrix *sums;    /* T x P */
  AssayMatrix *scaling; /* 2 x d: mean and deviation; NULL: columns are as they are */
  gboolean is_shortened;
} Federation;

ASSAY_DECLARE_CLEAR (Federation, federation_clear)

/* What a defense does in place of sending updates as they are, and adding them up. Zeroed: nothing.
 */
typedef struct {
  /* Fills @ret_sum (P numbers) with what is learned of the sum of @sent (N x P) in step @step;
   * NULL: the sum itself. */
  gboolean (*sum) (const Federation *federation, gsize step, AssayView sent, gpointer data,
                   float *ret_sum, GError **error);
  /* Makes what @user sends of its update; NULL: the update. */
  void (*send) (const Federation *federation, gsize step, gsize user, gpointer data,
                float *inout_update);
  gpointer data;
  gboolean shares_public; /* public rows are in the part of each user */
  gboolean shortens;      /* rows longer than 1, when they are scaled, become 1 long */
} FederationProtocol;

/* An aggregator that cheats passes one user's message on as the sum: of another user in each step,
 * so that all have their turn. */
static inline gboolean
federation_adds_up (gboolean cheats, gsize step, gsize user, gsize users)
{
  return !cheats || user == step % users;
}

#define FEDERATION_CHEATS(Struct)                                                                  \
  ASSAY_PARAM_BOOL (Struct, cheats, FALSE,                                                         \
                    "Whether the aggregator cheats: it passes one user's message on as the sum, "  \
                    "another user's in each step",                                                 \
                    ASSAY_PARAM_EXTRA)

/* Trains for all steps. @protocol: NULL for updates as they are. ASSAY_ERROR_MISMATCH without
 * labels of @secrets, or of the public rows that are trained on; ASSAY_ERROR_DATA where a user has
 * no sample. Reproducible to the bit for any number of threads. */
gboolean federation_train (const AssayDefenseContext *context, const FederationSettings *settings,
                           AssayView secrets, const FederationProtocol *protocol,
                           Federation *ret_federation, GError **error);

/* Public parameters, models, sums and scaling into @ret_release, and what games must know into
 * @ret_truth; the arrays are taken from @federation, but for locals, which are copied. */
void federation_take (Federation *federation, const FederationSettings *settings,
                      AssayRelease *ret_release, AssayTruth *ret_truth);

/* ---- The callbacks of a defense whose settings begin with FEDERATION_FIELDS ---- */

guint federation_uses (gconstpointer settings);
/* Users among whom all secrets are shared out at once: all, or fewer where that is repeated. */
gsize federation_users_per_split (const FederationSettings *settings);
gboolean federation_check (gconstpointer settings, const AssayShape *shape, GError **error);
/* Fewer than 3 users, of whom each would learn the other's update, or 2 where that is @allowed. */
gboolean federation_check_users (gint64 users, gboolean allowed, GError **error);
const char *federation_no_gradients (gconstpointer settings);
void federation_shape (gconstpointer settings, AssayShape *inout_shape);

/* Defines its callback `lacks`: arrays of the kind that its release never has. */
#define FEDERATION_LACKS(...)                                                                      \
  static const char *const *lacks (G_GNUC_UNUSED gconstpointer settings)                           \
  {                                                                                                \
    static const char *const names[] = { __VA_ARGS__, NULL };                                      \
                                                                                                   \
    return names;                                                                                  \
  }

/* The callbacks `check` and `uses` of a defense whose remaining settings complete () fixes, with
 * the setting `public_rows`: whether the part of each user has the public rows, too. */
#define FEDERATION_COMPLETED(Settings)                                                             \
  static gboolean check (gconstpointer settings, const AssayShape *shape, GError **error)          \
  {                                                                                                \
    const Settings full = complete (settings);                                                     \
                                                                                                   \
    return federation_check (&full, shape, error);                                                 \
  }                                                                                                \
  static guint uses (gconstpointer settings)                                                       \
  {                                                                                                \
    const Settings full = complete (settings);                                                     \
                                                                                                   \
    return federation_uses (&full) | (full.public_rows ? ASSAY_GRANT_PUBLIC : 0);                  \
  }

/* And its descriptor, but for `check`, which may ask for more. */
#define UPDATES_DEFENSE(symbol, name, ...)                                                         \
  ASSAY_DEFENSE (symbol, name, .uses = federation_uses, .release_shape = federation_shape,         \
                 .no_gradients = federation_no_gradients, .produces = ASSAY_RELEASE_UPDATES,       \
                 __VA_ARGS__)
