/* Auditors: a mechanism in, and out an event that tells two neighbouring inputs apart, or scores of
 * canaries. What they certify is a lower bound on epsilon. To users they are attacks. */
#pragma once

#include "core/plugin/common.h"
#include "core/plugin/oracle.h"
#include "core/stats/measure.h"

G_BEGIN_DECLS

typedef struct _AssayAuditor AssayAuditor;

typedef struct {
  gconstpointer settings;
  AssayStreamKey stream;
} AssayAuditContext;

/* All that an auditor of the game one-run receives: the canaries, each of which was in the dataset
 * with probability 1/2, and the numbers that one run of the defense put out. */
typedef struct {
  const AssayMechanism *mechanism;
  gconstpointer settings; /* the defense's */
  AssayView canaries;     /* m x columns of a secret */
  const float *release;
  gsize n_release;
} AssayOneRun;

/* Plays a leak of known size, and a case without a leak on which it must stay silent. */
typedef struct {
  const char *says;
  gboolean (*play) (const AssayAuditor *auditor, const AssayAuditContext *context,
                    AssayControlOutcome *ret_outcome, GError **error);
  double at_least; /* share of the known epsilon that must be certified */
} AssayAuditControl;

struct _AssayAuditor {
  union {
    AssayPlugin plugin;
    struct {
      ASSAY_PLUGIN_COMMON;
    };
  };
  guint reads;         /* set of AssayReleaseKind: what the defenses that it audits release */
  AssayAuditKind game; /* what it counts, and so which of the two games it plays */
  /* Two inputs (core/games/distinguish.h): learns on the oracle's training runs. NULL with an
   * error. */
  AssayEvent *(*choose_event) (const AssayAuditContext *context, const AssayOracle *oracle,
                               GError **error);
  /* One run (core/games/one-run.h): how many canaries it wants and how many of them it will guess,
   * fixed in advance; then one score each, higher where it rather was in the dataset. */
  void (*one_run_sizes) (gconstpointer settings, gsize *ret_canaries, gsize *ret_guesses);
  gboolean (*score_canaries) (const AssayAuditContext *context, const AssayOneRun *seen,
                              double *ret_scores, GError **error);
  /* The most runs on one input that are asked for at once, to learn or to test; NULL: not known. */
  gsize (*most_runs) (gconstpointer settings);
  /* The delta that is audited; negative, or NULL: the claimed one. */
  double (*delta) (gconstpointer settings);
  /* What these settings need of a mechanism that it does not offer ("score = likelihood needs a
   * defense that knows its density"); NULL: nothing. The member may be NULL. */
  const char *(*why_not) (gconstpointer settings, const AssayMechanism *mechanism);
  AssayAuditControl control;
};

ASSAY_PLUGIN_DEFINE_CAST (AssayAuditor, auditor, AUDITOR)

/* The delta that is audited with these settings; negative: the claimed one. */
static inline double
assay_auditor_delta (const AssayAuditor *auditor, gconstpointer settings)
{
  return auditor->delta != NULL ? auditor->delta (settings) : -1;
}

#define ASSAY_AUDITOR(symbol, name, ...)                                                           \
  const AssayAuditor assay_auditor_##symbol                                                        \
      = { .type = ASSAY_PLUGIN_AUDITOR, .id = name, __VA_ARGS__ }

G_END_DECLS
