/* Training rows by what classes they have: rows with the same ones are a group. What pairs of rows
 * are to be alike for who learns from labels is then said of pairs of groups. */
#pragma once

#include "defenses/codes/hash-learning.h"

typedef struct {
  gsize n;
  gint64 *of_rows;    /* of each row that was asked for, 0 to n - 1 */
  const gint64 *sets; /* of training rows; NULL: a group is a class */
  gsize words;
  gsize *members; /* n: a row of each, where there are sets */
} LabelGroups;

/* Of the @count rows @rows of @training; NULL: of all of them. ASSAY_ERROR_MEMORY. */
gboolean label_groups_find (const HashTraining *training, const gsize *rows, gsize count,
                            LabelGroups *ret_groups, GError **error);
ASSAY_DECLARE_CLEAR (LabelGroups, label_groups_clear)

/* Whether rows of two groups share a class. Those without any share none, also among themselves. */
gboolean label_groups_share (const LabelGroups *groups, gsize a, gsize b);

/* Whether a training row has a class. */
gboolean hash_row_has (const HashTraining *training, gsize row, gsize label);
