/* Independent units among secrets: what the rows themselves say of it, whatever their labels say.
 *
 * Copies. Rows that repeat others, exactly or within a twentieth of the usual distance, are one
 * unit, unless chance explains them (core/math/row-copies.h for equal rows; for near ones the
 * number of pairs that the spread of the rows lets expect, core/math/row-spread.h). Of labelled
 * groups, one is joined with another when at least half of its rows have copies there: photographs
 * share descriptors without being copies.
 *
 * Clusters. Rows lie in tight clusters where pairs of different units have a gap: some pairs are
 * within r (at most half the usual distance), and within 1.5 r hardly more, a quarter at most. Rows
 * that thin out evenly, in however few dimensions, have none: within 1.5 r there would be half as
 * many more in one dimension, and more in several. With the clusters found, m rows in each on
 * average weighted by rows, and the intraclass correlation rho = 1 - w / b of mean squared
 * distances within and between, the n rows are as good as
 *   n_e = n / (1 + (m - 1) rho),    m = sum_c m_c^2 / n
 * independent ones (Kish 1965, "Survey Sampling", section 5.4). If at least half of the rows are in
 * clusters that cross units, and n_e is at most two thirds of the number of units, the labels are
 * contradicted.
 *
 * Distances are between rows whose columns have one scale. With fewer than eight columns that vary,
 * coarse ones, or fewer than 30 rows that differ, being near is no evidence. */
#pragma once

#include "core/base/rng.h"
#include "core/data/matrix.h"

typedef struct {
  gsize n;              /* secrets */
  gsize n_labelled;     /* units that the labels say: groups, or the secrets themselves */
  gsize n_equal;        /* secrets that repeat one before them */
  gboolean is_by_chance; /* as rows of few or coarse columns do: not joined */
  gsize n_near;         /* further secrets that nearly do, and are joined */
  gsize n_units;        /* after copies are joined */
  gsize n_clusters;     /* that contradict the labels; 0: none do */
  double n_effective;   /* n_e then, otherwise n_units */
  gint64 *numbers;      /* of the secrets: equal numbers, one unit; NULL: as labelled */
} AssayUnits;

/* Takes over @rows, and @like: a part of other rows that are like them (NULL: there are none). What
 * is usual is taken from those that are further apart: secrets that are all nearly one are near.
 * @groups (NULL: none): the labels. Rows that are not finite are not looked at. */
AssayUnits *assay_units_find (AssayMatrix *rows, const gint64 *groups, AssayMatrix *like,
                              AssayStreamKey key);
/* Why they are fewer than the labels say; NULL: they are not. */
char *assay_units_describe (const AssayUnits *units);
ASSAY_DECLARE_FREE (AssayUnits, assay_units_free)
