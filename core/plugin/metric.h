/* Metrics: truth and guess in, outcomes out; or what an audit counted. */
#pragma once

#include "core/plugin/measuring.h"

G_BEGIN_DECLS

/* A unit as it was, and as a guess has it; NULL: there is none. */
typedef struct {
  AssayPhoto *original;
  AssayPhoto *recovered;
} AssayPictures;

static inline void
assay_pictures_clear (AssayPictures *pictures)
{
  g_clear_pointer (&pictures->original, assay_photo_free);
  g_clear_pointer (&pictures->recovered, assay_photo_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayPictures, assay_pictures_clear)

typedef struct {
  gconstpointer settings;
  const AssayDataset *dataset; /* NULL where folders are measured */
  const AssayRelease *release; /* of which the guess was made; NULL where folders are measured
                                * without it */
} AssayMetricContext;

/* What is known of the cases of a scenario before one is run. */
typedef struct {
  gsize secrets;         /* of a trial */
  AssayGeometry geometry; /* of secrets that are images */
} AssayForeseen;

#define ASSAY_AUDIT_SERIES 5

/* An audit as the one unit of a trial (kind, delta, runs, hits, mistakes: counts are exact in a
 * double up to 2^53), and the sum of @n such units. */
void assay_outcomes_take_audit (AssayOutcomes *ret_outcomes, const AssayAudit *audit);
AssayAudit assay_outcomes_audit (const double *const *series, gsize n);

typedef struct {
  union {
    AssayPlugin plugin;
    AssayMeasuring measuring;
    struct {
      ASSAY_MEASURING_COMMON;
    };
  };
  const char *const *reads_truth; /* arrays that must be there for it to apply; NULL ends */
  const char *const *reads_guess;
  gboolean finds_order; /* it finds out itself which estimate is of which secret */
  /* Its own units are one for each secret, or fewer. */
  gboolean counts_secrets;
  /* Why series @series of such cases cannot be measured, whatever an attack finds; NULL, as a
   * function or what it returns: nothing speaks against it. */
  char *(*lacks) (const AssayForeseen *foreseen, guint series);
  gboolean on_request;  /* measured only where a [metric] of the scenario names it */
  /* Of a guess. NULL: it measures audits, and its outcomes are what they counted. */
  gboolean (*measure) (const AssayMetricContext *context, const AssayTruth *truth,
                       const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error);
  /* Pictures of unit number @unit, for contact sheets. May be NULL. */
  gboolean (*show) (const AssayMetricContext *context, const AssayTruth *truth,
                    const AssayGuess *guess, gsize unit, AssayPictures *ret_pictures,
                    GError **error);
} AssayMetric;

ASSAY_PLUGIN_DEFINE_CAST (AssayMetric, metric, METRIC)

static inline gboolean
assay_measures_audits (const AssayMeasuring *measuring)
{
  return measuring->type == ASSAY_PLUGIN_METRIC
         && ((const AssayMetric *) measuring)->measure == NULL;
}

#define ASSAY_METRIC(symbol, name, ...)                                                            \
  const AssayMetric assay_metric_##symbol = { .type = ASSAY_PLUGIN_METRIC, .id = name, __VA_ARGS__ }

G_END_DECLS
