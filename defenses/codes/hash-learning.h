/* What the hashing defenses have in common: settings, the rows that a hash function is learned
 * from, and the release of codes with it. Each way of learning is a file of its own. */
#pragma once

#include "core/math/hash-function.h"
#include "core/plugin/plugin.h"

typedef enum {
  HASH_LSH,
  HASH_ITQ,
  HASH_SH,
  HASH_KSH,
  HASH_SDH,
  HASH_DPSH,
  HASH_DSH,
  HASH_HASHNET,
  HASH_ADSH
} HashMethod;
extern const char *const hash_methods[]; /* "lsh", "itq", ...; NULL ends */

typedef enum { HASH_HIDDEN_LAYER, HASH_CONVOLUTIONS } HashNetwork;
extern const char *const hash_networks[];

typedef enum { HASH_FROM_SECRETS, HASH_FROM_PUBLIC } HashSource;
extern const char *const hash_sources[];

/* Members of the settings of every hashing defense; a defense lists in its parameter table those
 * that its method reads (the HASH_PARAM_ macros below). */
#define HASH_SETTINGS                                                                              \
  gint64 bits;       /* c */                                                                       \
  guint learns_from; /* HashSource */                                                              \
  gint64 learning_seed; /* of what learning draws; 0: the run's */                                 \
  gint64 training;   /* of these, drawn at random, how many; 0: all */                             \
  gint64 iterations; /* itq, sdh */                                                                \
  gint64 anchors;    /* ksh, sdh: rows of the training set, drawn at random */                     \
  gint64 labelled;   /* ksh: rows whose pairwise similarities are learned */                       \
  double width;      /* ksh, sdh: of the kernel; 0: the mean distance of rows and anchors */       \
  double lambda;     /* sdh: of the classifier's ridge */                                          \
  double nu;         /* sdh: of the penalty for codes away from the kernel's embedding */          \
  guint network;     /* dpsh, dsh, hashnet, adsh: HashNetwork; channels of its first layer */      \
  gint64 channels;                                                                                 \
  gint64 hidden;     /* the same: units, batches, rate of Adam */                                  \
  gint64 steps;                                                                                    \
  double rate;                                                                                     \
  gint64 shift;      /* the same, of images: pixels that a batch moves them at most */             \
  bool mirror        /* ... and whether one in two is mirrored */

typedef struct {
  HASH_SETTINGS;
} HashSettings;

/* For a defense that wraps a method: struct { union { HashSettings hash; struct { HASH_SETTINGS; };
 * }; double epsilon; } */

#define HASH_PARAM_BITS(Struct)                                                                    \
  ASSAY_PARAM_INT (Struct, bits, 32, 1, 1024, "bits", "Length of a code")
#define HASH_PARAM_TRAINING(Struct)                                                                \
  ASSAY_PARAM_INT (Struct, training, 0, 0, 1000000000, "secrets",                                  \
                   "Secrets from which the hash function is learned, drawn at random; 0: all of "  \
                   "them")
#define HASH_PARAM_LEARNS_FROM(Struct)                                                             \
  ASSAY_PARAM_CHOICE (Struct, learns_from, HASH_FROM_SECRETS, hash_sources,                        \
                      "From which rows the hash function is learned: secrets, or public rows, so " \
                      "that it shows nothing of the secrets; training then counts public rows",    \
                      ASSAY_PARAM_EXTRA),                                                          \
      ASSAY_PARAM_INT (Struct, learning_seed, 0, 0, 4294967295, "",                                \
                       "Seed of what learning draws: its rows, first weights, batches and "        \
                       "anchors. Defenses with the same one learn the same function from the "     \
                       "same secrets, whatever their epsilon, in all trials; 0: drawn anew for "   \
                       "each defense, by the seed of the run",                                     \
                       ASSAY_PARAM_EXTRA)

#define HASH_PARAM_ITERATIONS(Struct, otherwise)                                                   \
  ASSAY_PARAM_INT (Struct, iterations, otherwise, 1, 100000, "",                                   \
                   "The most iterations: in each the codes are computed, and then the rotation "   \
                   "that fits them best")
#define HASH_PARAM_LABELLED(Struct)                                                                \
  ASSAY_PARAM_INT (Struct, labelled, 1000, 2, 100000, "rows",                                      \
                   "base = ksh: training rows, drawn at random, whose pairs are learned from")
#define HASH_PARAM_WIDTH(Struct)                                                                   \
  ASSAY_PARAM_REAL (Struct, width, 0, 0, 1e9, "",                                                  \
                    "base = ksh or sdh: width of the kernel; 0: the mean distance between rows "   \
                    "and anchors")
#define HASH_PARAM_LAMBDA(Struct)                                                                  \
  ASSAY_PARAM_REAL (Struct, lambda, 1, 1e-6, 1e9, "",                                              \
                    "base = sdh: weight of the ridge on the classifier of codes")
#define HASH_PARAM_NU(Struct)                                                                      \
  ASSAY_PARAM_REAL (Struct, nu, 1e-5, 0, 1e9, "",                                                  \
                    "base = sdh: weight of the distance between codes and the embedding")

/* Values of `iterations` and `anchors` with which a method is meant that has such: 50 of itq and 5
 * of sdh, 300 of ksh and 1000 of sdh. */
#define HASH_OWN 0

/* What a hash function is learned from. */
typedef struct {
  AssayView rows;       /* t x d */
  const gint64 *labels; /* t; NULL: none */
  gsize n_classes;
  const gint64 *label_sets; /* t x label_words, of rows with several classes
                             * (core/data/formats/label-sets.h); NULL: one label each */
  gsize label_words;
  AssayGeometry picture; /* of rows that are images; a height of 0: they are none */
  AssayStreamKey stream; /* the same for all releases of the same secrets */
} HashTraining;

/* One file each. NULL with ASSAY_ERROR_MISMATCH (fewer rows than bits, anchors or PCA needs, labels
 * that are not there), ASSAY_ERROR_DATA (constant features) or ASSAY_ERROR_NUMERIC. */
AssayHashFunction *lsh_learn (const HashTraining *training, const HashSettings *settings,
                              GError **error);
AssayHashFunction *itq_learn (const HashTraining *training, const HashSettings *settings,
                              GError **error);
AssayHashFunction *sh_learn (const HashTraining *training, const HashSettings *settings,
                             GError **error);
AssayHashFunction *ksh_learn (const HashTraining *training, const HashSettings *settings,
                              GError **error);
AssayHashFunction *sdh_learn (const HashTraining *training, const HashSettings *settings,
                              GError **error);
AssayHashFunction *dpsh_learn (const HashTraining *training, const HashSettings *settings,
                               GError **error);
AssayHashFunction *dsh_learn (const HashTraining *training, const HashSettings *settings,
                              GError **error);
AssayHashFunction *hashnet_learn (const HashTraining *training, const HashSettings *settings,
                                  GError **error);
AssayHashFunction *adsh_learn (const HashTraining *training, const HashSettings *settings,
                               GError **error);

/* Of the networks of dpsh, dsh, hashnet and adsh: ASSAY_ERROR_PARAMETER for settings that one of
 * convolutions cannot have, ASSAY_ERROR_MISMATCH where secrets are no images; and bytes of learning
 * from @rows rows. */
gboolean deep_encoder_check (const HashSettings *settings, const AssayShape *shape,
                             GError **error);
guint64 deep_encoder_memory (const HashSettings *settings, gsize rows, const AssayShape *shape);

/* ASSAY_ERROR_DATA where all rows are the same. */
gboolean hash_rows_check (AssayView rows, GError **error);

/* The training rows of a defense, and what holds them where they are not all of the secrets. */
typedef struct {
  HashTraining training;
  AssayMatrix *rows;
  gint64 *labels, *label_sets;
} HashMaterial;

ASSAY_DECLARE_CLEAR (HashMaterial, hash_material_clear)

/* ASSAY_GRANT_PUBLIC where the function is learned from public rows: `uses` of defenses whose
 * settings begin with HashSettings. */
guint hash_uses (gconstpointer settings);

/* Draws them; they and the stream are the same in all releases of the same secrets by one defense,
 * or by all with the same learning_seed. */
gboolean hash_material (const HashSettings *settings, const AssayDefenseContext *context,
                        AssayView secrets, HashMaterial *ret_material, GError **error);

/* Draws the training rows and learns from them; what was learned of equal ones before is kept
 * (core/base/shared-work.h), so that repeats learn once, and with a learning_seed sweeps of epsilon
 * and a method with and without flips, too. */
AssayHashFunction *hash_learn (HashMethod method, const HashSettings *settings,
                               const AssayDefenseContext *context, AssayView secrets,
                               GError **error);

/* Fills in codes of the secrets, bits, the function, and in the truth `codes` (the same) and what
 * is said of how it was learned. */
gboolean hash_release (const AssayHashFunction *function, AssayView secrets,
                       AssayRelease *ret_release, AssayTruth *ret_truth, GError **error);

/* The `protect` of a defense that releases codes as they are, whose settings begin with
 * HashSettings. */
gboolean hash_protect (HashMethod method, const AssayDefenseContext *context, AssayView secrets,
                       AssayRelease *ret_release, AssayTruth *ret_truth, GError **error);

/* The parts of `check` and `memory` that the settings decide. */
gboolean hash_check (HashMethod method, const HashSettings *settings, const AssayShape *shape,
                     GError **error);
guint64 hash_memory (HashMethod method, const HashSettings *settings, const AssayShape *shape);

/* The defense that releases codes of @method as they are, with settings in HashSettings. */
#define HASH_DEFENSE(symbol, name, method, ...)                                                    \
  static gboolean protect (const AssayDefenseContext *context, AssayView secrets,                  \
                           AssayRelease *ret_release, AssayTruth *ret_truth, GError **error)       \
  {                                                                                                \
    return hash_protect (method, context, secrets, ret_release, ret_truth, error);                 \
  }                                                                                                \
  static gboolean check (gconstpointer settings, const AssayShape *shape, GError **error)          \
  {                                                                                                \
    return hash_check (method, settings, shape, error);                                            \
  }                                                                                                \
  static guint64 memory (gconstpointer settings, const AssayShape *shape)                          \
  {                                                                                                \
    return hash_memory (method, settings, shape);                                                  \
  }                                                                                                \
  ASSAY_DEFENSE (symbol, name, .check = check, .memory = memory, .uses = hash_uses,                \
                 .produces = ASSAY_RELEASE_CODES, .protect = protect, __VA_ARGS__)
