/* What plugins of all types have in common. */
#pragma once

#include <glib.h>

#include "core/base/error.h"
#include "core/base/param.h"
#include "core/base/rng.h"
#include "core/data/run-position.h"
#include "core/data/shape.h"

G_BEGIN_DECLS

#define ASSAY_PLUGIN_ABI 2

typedef enum {
  ASSAY_PLUGIN_DEFENSE,
  ASSAY_PLUGIN_ATTACK,
  ASSAY_PLUGIN_METRIC,
  ASSAY_PLUGIN_DATASET,
} AssayPluginType;

typedef struct {
  const char *work;  /* authors, year, title */
  const char *place; /* section, equation or table */
} AssayReference;

/* Of plugins that stand for what is external: made outside of Assay. Members may be NULL. */
typedef struct {
  /* Of settings that name programs: takes the folder of the scenario, where their files are looked
   * for first; and the paths of those files, on whose content results depend: a run is not gone on
   * with when they changed. */
  void (*locate) (gpointer settings, const char *folder);
  GPtrArray *(*files) (gconstpointer settings);
  /* Of a release or a guess in the folder that the setting `folder` names: checks it before
   * anything runs, and returns the sha256 of what it holds; NULL with an error. The secrets are
   * those that it is of, so that the dataset must keep its order. An attack of that kind has no
   * control: what it recovered counts, and what it did not proves nothing. */
  char *(*look) (gconstpointer settings, const AssayRunPosition *position, const AssayShape *shape,
                 GError **error);
} AssayExternal;

/* What every plugin has. */
#define ASSAY_PLUGIN_COMMON                                                                        \
  const char *id;      /* kebab-case, equals the file stem */                                      \
  const char *summary; /* one line */                                                              \
  AssayReference reference;                                                                        \
  const AssayParam *parameters; /* NULL: none */                                                   \
  gsize settings_size;                                                                             \
  /* Rules between settings, and between settings and sizes; asked when a scenario is loaded. */   \
  gboolean (*check) (gconstpointer settings, const AssayShape *shape, GError **error);             \
  /* Bytes that the callbacks hold at their peak, beyond inputs and outputs; NULL: little. */      \
  guint64 (*memory) (gconstpointer settings, const AssayShape *shape);                             \
  /* What is external about it; NULL: nothing. */                                                  \
  const AssayExternal *external

typedef struct {
  ASSAY_PLUGIN_COMMON;
} AssayPlugin;

/* A descriptor opens with one of
 *
 *   ASSAY_DATASET (symbol, "id", ...);    ASSAY_DEFENSE (symbol, "id", ...);
 *   ASSAY_ATTACK (symbol, "id", ...);     ASSAY_METRIC (symbol, "id", ...);
 *
 * where @symbol is the id with underscores and the rest are members, among them, of a plugin with
 * settings, ASSAY_SETTINGS (Struct, table). */
#define ASSAY_SETTINGS(Struct, table) .parameters = (table), .settings_size = sizeof (Struct)

G_END_DECLS
