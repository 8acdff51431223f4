/* Datasets: where secrets come from. */
#pragma once

#include "core/plugin/common.h"

G_BEGIN_DECLS

typedef struct {
  gconstpointer settings;
  AssayStreamKey stream;
  const char *const *folders; /* where relative file names are looked for, in order; NULL ends */
} AssayDatasetContext;

typedef struct {
  union {
    AssayPlugin plugin;
    struct {
      ASSAY_PLUGIN_COMMON;
    };
  };
  gboolean (*probe) (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error);
  /* On failure @ret_dataset is cleared by the caller. */
  gboolean (*open) (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error);
  gboolean keeps_order; /* trials take its secrets in its own order, all of them unless told */
} AssayDatasetPlugin;

ASSAY_PLUGIN_DEFINE_CAST (AssayDatasetPlugin, dataset_plugin, DATASET)

#define ASSAY_DATASET(symbol, name, ...)                                                           \
  const AssayDatasetPlugin assay_dataset_##symbol                                                  \
      = { .type = ASSAY_PLUGIN_DATASET, .id = name, __VA_ARGS__ }

G_END_DECLS
