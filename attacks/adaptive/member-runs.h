/* Runs of a defense with and without each of some records (Shokri et al. 2017; Carlini et al.
 * 2022): half of the records in each, and the other half in the next, filled up with public
 * rows. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  const AssayObservation *seen;
  gsize n_records;
  guint8 *is_in; /* runs x records */
  AssayMatrix *rows;
  gsize *numbers;
  AssayStreamKey key;
  gsize n_runs;
} MemberRuns;

/* Draws who is in which run; all attacks on a release that make @n_runs draw alike.
 * ASSAY_ERROR_MISMATCH: there are not enough public rows to fill up. */
gboolean member_runs_init (MemberRuns *runs, const AssayObservation *seen, gsize n_runs,
                           GError **error);
ASSAY_DECLARE_CLEAR (MemberRuns, member_runs_clear)

/* Run @run, with those who are in it by @is_in: that of @runs, who may have given it away. */
AssayOwnRelease *member_runs_play (MemberRuns *runs, const guint8 *is_in, gsize run,
                                   GError **error);
