/* What mechanisms that add noise to rows of reals have in common. */
#pragma once

#include "core/base/vectorise.h"
#include "core/plugin/mechanism.h"

typedef enum { NORM_L1 = 1, NORM_L2 = 2 } Norm;

/* Rows are neighbours where they are at most this far apart. */
typedef struct {
  double length;
  Norm norm;
} Sensitivity;

/* Pair 0: the length of @sensitivity in column 0, and zero. All others: a random difference of that
 * length, and zero; the noise is the same everywhere, so that only differences matter. No pair is
 * further apart than that after rounding to float32: an audit must not blame a mechanism for inputs
 * that are no neighbours. */
void real_neighbours (Sensitivity sensitivity, gsize cols, guint index, AssayStream *stream,
                      float *ret_first, float *ret_second);

/* The callback `domain` of such a mechanism: rows without bounds. */
AssayDomain *real_domain (Sensitivity sensitivity, gsize cols);

/* Defines the callbacks `pair` and `domain` of a mechanism with the setting `sensitivity`, a length
 * in @norm. */
#define REAL_NEIGHBOURS(Settings, norm)                                                            \
  static void pair (gconstpointer settings, gsize cols, guint index, AssayStream *stream,          \
                    float *ret_first, float *ret_second)                                           \
  {                                                                                                \
    real_neighbours ((Sensitivity){ ((const Settings *) settings)->sensitivity, norm }, cols,      \
                     index, stream, ret_first, ret_second);                                        \
  }                                                                                                \
  static AssayDomain *domain (gconstpointer settings, gsize cols)                                  \
  {                                                                                                \
    return real_domain ((Sensitivity){ ((const Settings *) settings)->sensitivity, norm }, cols);  \
  }

/* Defines the callback `log_ratio`: the sum over columns of column_ratio (first, second, output),
 * divided by @divisor_of (settings). Rows of one column, of which audits have the most, are a loop
 * of their own that is vectorised, and has a name of its own: clang gives those of one name in two
 * files one symbol. */
#define REAL_LOG_RATIO(Settings, divisor_of)                                                       \
  ASSAY_VECTORISED static void Settings##_ratios (double first, double second, double divisor,     \
                                                  const float *outputs, gsize count,               \
                                                  double *ret_scores)                              \
  {                                                                                                \
    for (gsize i = 0; i < count; i++)                                                              \
      ret_scores[i] = column_ratio (first, second, outputs[i]) / divisor;                          \
  }                                                                                                \
  static void log_ratio (gconstpointer settings, gsize cols, AssayInputPair pair,                  \
                         const float *outputs, gsize count, double *ret_scores)                    \
  {                                                                                                \
    const double divisor = divisor_of ((const Settings *) settings);                               \
    if (cols == 1)                                                                                 \
      Settings##_ratios (*pair.first, *pair.second, divisor, outputs, count, ret_scores);          \
    for (gsize i = 0; cols > 1 && i < count; i++) {                                                \
      double sum = 0;                                                                              \
      for (gsize j = 0; j < cols; j++)                                                             \
        sum += column_ratio (pair.first[j], pair.second[j], outputs[i * cols + j]);                \
      ret_scores[i] = sum / divisor;                                                               \
    }                                                                                              \
  }
