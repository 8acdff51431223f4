/* Defenses that train paired encoders on the weights of a graph: the second phase of DMP-MH, which
 * is the same whatever the weights come from. */
#pragma once

#include "defenses/graphs/structural-loss.h"
#include "defenses/pairs/paired-training.h"

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

/* Trains on @graph, of kind graph (NULL: no item is joined to another; it is not looked at where
 * the functions are those of a key), and fills @ret_release, of kind paired-codes. */
gboolean structural_release (const StructuralSettings *settings, const AssayRelease *graph,
                             const AssayDefenseContext *context, AssayView items,
                             AssayRelease *ret_release, GError **error);

guint64 structural_memory (const StructuralSettings *settings, const AssayShape *shape);
