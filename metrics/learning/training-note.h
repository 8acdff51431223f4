/* What has to be known of a classifier's training beside how well the classifier does. */
#pragma once

#include "core/data/matrix.h"

typedef struct {
  gsize planned;         /* passes that were asked for */
  gsize epochs;          /* completed: the classifier is that of the last of these */
  gboolean has_diverged; /* in the one after it */
  double rate;           /* of the first step */
  double loss;           /* of training in the last pass: mean of the rows' cross-entropies */
} TrainingEnd;

/* Sets @ret_shares (rows x classes) to those that the classifier gives the rows it learned from. */
typedef gboolean (*TrainingPredict) (gconstpointer data, float *ret_shares, GError **error);

/* That it diverged, and that it learned nothing: that of its training rows, which have @shares, it
 * says less than equal shares would. NULL in @ret_note: neither. It is asked (@predict) only where
 * the loss of the last pass is a reason to. */
gboolean training_note (const TrainingEnd *end, AssayView shares, TrainingPredict predict,
                        gconstpointer data, char **ret_note, GError **error);
