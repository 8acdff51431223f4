/* What an earlier run has in common with this one, and in plain words what not.
 *
 * Two runs of one scenario differ where somebody worked on it: a setting of the defense, one attack
 * more, other data. What then still measures the same is compared.
 *
 * - A dataset, attack, utility or metric has a twin if plugin and settings are the same, and of an
 *   attack grants and tuning: another attack finds more or less whatever the defense does.
 * - A defense has one with the same plugin and settings, or else the only one of the same label, or
 *   else the only one of the run: whether the change of it leaks more is what is asked. The change
 *   is named.
 * - Trials that drew the same secrets are compared secret by secret; where seed or sizes differ,
 *   two samples are. */
#pragma once

#include "runner/store/store.h"

typedef struct {
  const AssayPlan *now, *then;
  GArray *datasets; /* guint: of each of now its twin's number in then, or ASSAY_NO_COMPONENT */
  GArray *defenses;
  GArray *attacks;
  GArray *utilities;
  GArray *metrics;
  gboolean is_paired; /* the secrets of the first @trials trials are the same */
  guint64 trials;     /* where they are; otherwise all of each run count */
  guint n_lost;       /* datasets, defenses, attacks and utilities of then that are nobody's twin */
  guint n_lost_metrics;
  char *less;          /* of what now has less than then, so that it shows less; NULL: nothing */
  GPtrArray *changes;  /* strings: what differs, and is compared all the same */
  GPtrArray *left_out; /* strings: what is not compared, and why */
} AssayTwins;

AssayTwins *assay_twins_new (const AssayPlan *now, const AssayPlan *then);
ASSAY_DECLARE_FREE (AssayTwins, assay_twins_free)

/* Dataset @index of now turned out to hold other data than its twin: nothing on it is compared.
 * @before and @after: their SHA-256, NULL: none. */
void assay_twins_part_data (AssayTwins *twins, guint index, const char *before, const char *after);

/* Adds to the changes the programs of defenses and attacks that were edited between the runs, which
 * the stores know. */
gboolean assay_twins_name_programs (AssayTwins *twins, AssayStore *now, AssayStore *then,
                                    GError **error);

/* Of the cell @index of now, of trial 0, its twin in then, of trial 0 too. FALSE: it has none. */
gboolean assay_twins_cell (const AssayTwins *twins, gsize index, gsize *ret_then);

/* By which number its twin measures what number @metric measures in the cell @index of now;
 * ASSAY_NO_COMPONENT: it does not. */
guint assay_twins_measuring (const AssayTwins *twins, gsize index, guint metric);

/* ASSAY_ERROR_MISMATCH, with what differs, if no cell has a twin. @name: of the earlier run. */
gboolean assay_twins_check_any (const AssayTwins *twins, const char *name, GError **error);
