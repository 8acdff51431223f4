/* A plugin that is compiled out of Assay's tree: a shared object that says with ASSAY_MODULE which
 * descriptors it offers, as its last line:
 *
 *   ASSAY_ATTACK (nearest, "nearest", .summary = ..., ...);
 *   ASSAY_MODULE (&assay_attack_nearest.plugin);
 *
 * It is linked with nothing of Assay: the program that loads it has the core. Numbers and sizes of
 * the headers that it was compiled with travel in it, and must be those of the program. */
#pragma once

#include "core/plugin/plugin.h"

G_BEGIN_DECLS

/* Its beginning stays as it is in every ABI, so that any of them can be told from the others. */
typedef struct {
  guint32 abi;     /* ASSAY_PLUGIN_ABI */
  guint32 n_sizes; /* of ASSAY_MODULE_TYPES */
  const guint32 *sizes;
  const AssayPlugin *const *plugins; /* NULL ends */
} AssayModule;

#define ASSAY_MODULE_SYMBOL "assay_module"

/* The types whose layout a plugin relies on: where one of them has another size, headers changed
 * without a new ABI number. */
#define ASSAY_MODULE_TYPES(X)                                                                      \
  X (AssayDatasetPlugin)                                                                           \
  X (AssayDefense)                                                                                 \
  X (AssayAttack)                                                                                  \
  X (AssayAuditor) X (AssayMetric) X (AssayUtility) X (AssayParam) X (AssayShape) X (AssayMeasure) \
      X (AssayMechanism) X (AssayBatches) X (AssayCanaries) X (AssayDoubles)                       \
          X (AssayDatasetContext) X (AssayDefenseContext) X (AssayAttackContext)                   \
              X (AssayAuditContext) X (AssayMetricContext) X (AssayUtilityContext)                 \
                  X (AssayObservation) X (AssayControlCase) X (AssayOutcomes) X (AssayOneRun)      \
                      X (AssayOracle) X (AssayDomain) X (AssayAudit) X (AssayProbe)                \
                          X (AssayDataset) X (AssayRelease) X (AssayGuess) X (AssayTruth)          \
                              X (AssayArray) X (AssayMatrix) X (AssayView) X (AssayStream)         \
                                  X (AssayRunPosition)
#define ASSAY_MODULE_SIZE(Type) (guint32) sizeof (Type),

/* Visible also with -fvisibility=hidden. */
#define ASSAY_MODULE(...)                                                                         \
  static const guint32 assay_module_sizes[] = { ASSAY_MODULE_TYPES (ASSAY_MODULE_SIZE) };         \
  static const AssayPlugin *const assay_module_plugins[] = { __VA_ARGS__, NULL };                 \
  extern const AssayModule assay_module;                                                          \
  __attribute__ ((visibility ("default"))) const AssayModule assay_module                         \
      = { ASSAY_PLUGIN_ABI, G_N_ELEMENTS (assay_module_sizes), assay_module_sizes,                \
          assay_module_plugins }

G_END_DECLS
