/* The grant `mechanism`: a defense that an attacker may run on rows of their own, within a stated
 * number of runs. What it makes are shadow releases, after the shadow models of Shokri et al. 2017.
 *
 * How truth is kept out: the handle has no secrets. Who makes it gives a function and data that the
 * attack cannot see, and that hold the defense, its settings and what the attack was granted: where
 * the defense draws material from a database that was not granted, it draws from the public rows.
 * The key of the release under attack, that is all that it drew once for all its secrets, goes in
 * where it is granted alone; otherwise every run draws one of its own.
 *
 * Runs have numbers: the same number and rows give the same release, whatever was run before and
 * on however many threads. */
#pragma once

#include "core/base/rng.h"
#include "core/data/rows.h"
#include "core/plugin/pairs.h"

G_BEGIN_DECLS

typedef struct _AssayShadow AssayShadow;

/* Rows of the attacker's own, to be protected. What is known of rows that have numbers and come
 * without labels or attributes, the handle adds: of public rows theirs; of records, which are
 * people whom the attacker asks for, theirs, as Carlini et al. 2022 know the label of who they ask
 * for. */
typedef struct {
  AssayView rows;
  const gint64 *labels;     /* NULL: those of `numbers` */
  const gint64 *attributes; /* x n_attributes; NULL: those of `numbers` */
  gsize n_attributes;
  const gsize *numbers; /* of the rows: the first `n_records` among the records, the others among
                         * the public rows; NULL: they are of neither */
  gsize n_records;
} AssayOwnRows;

/* Runs the defense on @own. From several threads at once. ASSAY_ERROR_MISMATCH when all runs are
 * spent, ASSAY_ERROR_NUMERIC when they took longer than they may; otherwise the defense's own
 * error, which says that it is about rows of the attacker's. */
AssayOwnRelease *assay_shadow_run (AssayShadow *shadow, guint64 number, const AssayOwnRows *own,
                                   GError **error);

/* By what attacks choose the rows of their runs: the same for all on a release, so that those that
 * ask for the same runs share them. */
AssayStreamKey assay_shadow_choice (const AssayShadow *shadow);

guint64 assay_shadow_left (const AssayShadow *shadow); /* runs */
guint64 assay_shadow_runs (const AssayShadow *shadow); /* those left when it was handed over */
gboolean assay_shadow_has_key (const AssayShadow *shadow);
gsize assay_shadow_secrets (const AssayShadow *shadow); /* of the release under attack */

/* ---- For those who make one ---- */

/* One run, of which both are handed over. */
typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
  double seconds; /* that it took where it was made before, for another attack; 0: made now */
} AssayShadowMade;

typedef struct {
  gboolean (*run) (gconstpointer data, guint64 number, const AssayOwnRows *own,
                   AssayShadowMade *ret_made, GError **error);
  gpointer data;
  GDestroyNotify free_data; /* may be NULL */
  guint64 runs;
  guint64 spent;         /* of them, made before: numbers count on from these */
  double seconds;        /* that they may take together; 0: as long as they want */
  AssayStreamKey choice; /* of the rows of runs */
  gsize n_secrets;
  gboolean has_key;
} AssayShadowTerms;

AssayShadow *assay_shadow_new (const AssayShadowTerms *terms);
/* As it was when it was handed over, with no run spent; @shadow has to stay. */
AssayShadow *assay_shadow_again (const AssayShadow *shadow);
ASSAY_DECLARE_FREE (AssayShadow, assay_shadow_free)

/* Pairs of at most @most of @rows (in the order of @order, or their own where it is NULL), by runs
 * 0, 1, ...: as many as there are of the release's number of secrets in the rows, so that each is
 * like it, but not more than are left, and two at least where each has a key of its own. @labels
 * and @attributes of all rows may be NULL. */
typedef struct {
  const AssayRows *rows;
  const gint64 *labels;
  const AssayArray *attributes; /* int64 rows x q */
  gsize most;
  AssayStreamKey order; /* of the random order of rows */
} AssayOwnPool;

AssayPairs *assay_shadow_pairs (AssayShadow *shadow, const AssayOwnPool *pool, GError **error);

G_END_DECLS
