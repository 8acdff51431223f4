/* Defenses that train paired encoders on the weights of a graph: the second phase of DMP-MH, which
 * is the same whatever the weights come from, and its loss (equation 3): similarities of paired
 * codes against these weights. */
#pragma once

#include "core/data/kinds/graph.h"
#include "defenses/pairs/pair-terms.h"
#include "defenses/pairs/paired-training.h"

/* What an item and itself, whose two codes are a pair too, should be alike: entirely; not at all,
 * as the graph has no loops and equation 3 is printed; or nothing is asked of them. */
typedef enum { DIAGONAL_ONE, DIAGONAL_ZERO, DIAGONAL_SKIP } Diagonal;

extern const char *const structural_diagonals[]; /* by Diagonal, NULL at the end */

typedef struct {
  const AssayWeightedGraph *graph; /* W^; NULL: 0 between all items */
  Diagonal diagonal;
  double cross;        /* lambda */
  double quantisation; /* gamma */
  PairTerms terms;     /* room for a batch */
  double *target;      /* W^ of a batch: count x count */
} StructuralLoss;

/* Room for batches. FALSE where there is none, with ASSAY_ERROR_MEMORY. */
gboolean structural_loss_init (StructuralLoss *loss, gsize count, gsize bits, AssayArena *arena,
                               GError **error);

/* With S (a, b) = (a . b / K + 1) / 2 and B items of K bits,
 *   1/B^2 sum_ij (S (u_i, u_j) - W^_ij)^2 + (S (v_i, v_j) - W^_ij)^2
 *                + lambda (S (u_i, v_j) - W^_ij)^2
 *   + gamma / (B K) sum (|u| - 1)^2 + (|v| - 1)^2.
 * @data is a StructuralLoss (see AssayPairedLoss). */
double structural_loss (const AssayPairedBatch *batch, gpointer data,
                        double *const inout_slopes[ASSAY_N_PAIRED]);

typedef struct {
  PAIRED_TRAINING_FIELDS;
  double cross;
  double quantisation;
  guint diagonal;
} StructuralSettings;

/* clang-format off */
/* The fields of a struct that has them without a name of their own, and their rows of its table. */
#define STRUCTURAL_FIELDS                                                                          \
  union {                                                                                          \
    StructuralSettings structural;                                                                 \
    struct {                                                                                       \
      PAIRED_TRAINING_FIELDS;                                                                      \
      double cross;                                                                                \
      double quantisation;                                                                         \
      guint diagonal;                                                                              \
    };                                                                                             \
  }

#define STRUCTURAL_PARAMETERS(Struct)                                                              \
  PAIRED_TRAINING_PARAMETERS (Struct),                                                             \
  ASSAY_PARAM_REAL (Struct, cross, 1, 0, 1e6, "",                                                  \
                    "Weight lambda of image against text in the loss"),                            \
  ASSAY_PARAM_REAL (Struct, quantisation, 0.01, 0, 1e6, "",                                        \
                    "Weight gamma of the distance of outputs from -1 and 1 in the loss"),          \
  ASSAY_PARAM_CHOICE (Struct, diagonal, DIAGONAL_ONE, structural_diagonals,                        \
                      "Similarity W^ of an item with itself: one, 1; zero, 0 as printed in the "   \
                      "paper, which pushes its two codes apart; skip, it is no pair")
/* clang-format on */

typedef struct {
  const StructuralSettings *settings;
  /* Of kind graph (NULL: no item is joined to another); it is not looked at where the functions are
   * those of a key. */
  const AssayRelease *graph;
} StructuralMethod;

/* Trains, and fills @ret_release, of kind paired-codes, and @ret_truth (paired-training.h). */
gboolean structural_release (const StructuralMethod *method, const AssayDefenseContext *context,
                             AssayView items, AssayRelease *ret_release, AssayTruth *ret_truth,
                             GError **error);

guint64 structural_memory (const StructuralSettings *settings, const AssayShape *shape);
