/* What plugins of all types have in common. */
#pragma once

#include <glib.h>

#include "core/base/error.h"
#include "core/base/param.h"
#include "core/base/rng.h"
#include "core/data/run-position.h"
#include "core/data/shape.h"

G_BEGIN_DECLS

#define ASSAY_PLUGIN_ABI 14

/* Papers that many plugins are from, as their `reference` names them. */
#define ASSAY_PAPER_DMP_MH                                                                         \
  "Cheng, Dai and Sun 2026, Differentially Private Motif-Preserving Multi-modal Hashing"
#define ASSAY_PAPER_DPHE                                                                           \
  "Yonetani, Boddeti, Kitani and Sato 2017, Privacy-Preserving Visual Learning Using Doubly "      \
  "Permuted Homomorphic Encryption"
#define ASSAY_PAPER_INSTAHIDE                                                                      \
  "Huang, Song, Li and Arora 2020, InstaHide: Instance-hiding Schemes for Private Distributed "    \
  "Learning"
#define ASSAY_PAPER_LDP_FEAT "Pittaluga and Zhuang 2023, LDP-FEAT"

/* What a descriptor is. To users, auditors are attacks. */
typedef enum {
  ASSAY_PLUGIN_NONE, /* a descriptor that was not opened by its macro */
  ASSAY_PLUGIN_DATASET,
  ASSAY_PLUGIN_DEFENSE,
  ASSAY_PLUGIN_ATTACK,
  ASSAY_PLUGIN_AUDITOR,
  ASSAY_PLUGIN_METRIC,
  ASSAY_PLUGIN_UTILITY,
} AssayPluginType;

#define ASSAY_N_PLUGIN_TYPES (ASSAY_PLUGIN_UTILITY + 1)

/* What came of playing the control of an attack or an auditor. */
typedef struct {
  gboolean is_won;
  double share; /* of the control's secrets that were recovered; of a known epsilon, certified */
  gsize n;      /* secrets; runs or canaries */
} AssayControlOutcome;

typedef struct {
  const char *work;  /* authors, year, title */
  const char *place; /* section, equation or table */
} AssayReference;

/* What callbacks hold at their peak, beyond inputs and outputs and the scan of an attack that
 * searches rows: as multiples of sizes, so that each plugin states a few numbers. */
typedef struct {
  guint8 items;    /* rows as long as a secret's for each item of the release ... */
  guint8 publics;  /* ... for each public row ... */
  guint8 columns;  /* ... for each column: square matrices ... */
  /* ... which count only where this setting is on; NULL: always. */
  const char *columns_under;
  guint16 numbers;    /* floats for each item */
  guint16 pairs;      /* ... for each pair of an item and a public row */
  guint16 secret_pairs; /* bytes for each two secrets, in both orders */
  guint32 per_thread; /* bytes */
} AssayHolds;

/* What every plugin has. */
#define ASSAY_PLUGIN_COMMON                                                                        \
  AssayPluginType type;                                                                            \
  const char *id;      /* kebab-case, equals the file stem */                                      \
  const char *summary; /* one line */                                                              \
  AssayReference reference;                                                                        \
  const AssayParam *parameters; /* NULL: none */                                                   \
  gsize settings_size;                                                                             \
  /* Rules between settings, and between settings and sizes; asked when a scenario is loaded. */   \
  gboolean (*check) (gconstpointer settings, const AssayShape *shape, GError **error);             \
  AssayHolds holds;                                                                                \
  /* Bytes beyond `holds`, where the plugin's own settings decide them; NULL: none. */             \
  guint64 (*memory) (gconstpointer settings, const AssayShape *shape)

typedef struct {
  ASSAY_PLUGIN_COMMON;
} AssayPlugin;

/* A descriptor opens with one of
 *
 *   ASSAY_DATASET (symbol, "id", ...);    ASSAY_DEFENSE (symbol, "id", ...);
 *   ASSAY_ATTACK (symbol, "id", ...);     ASSAY_AUDITOR (symbol, "id", ...);
 *   ASSAY_METRIC (symbol, "id", ...);     ASSAY_UTILITY (symbol, "id", ...);
 *
 * where @symbol is the id with underscores and the rest are members, among them, of a plugin with
 * settings, ASSAY_SETTINGS (Struct, ASSAY_PARAM_... (Struct, field, ...), ...). */
#define ASSAY_SETTINGS(Struct, ...)                                                                \
  .parameters = (const AssayParam[]){ __VA_ARGS__, ASSAY_PARAM_END },                              \
  .settings_size = sizeof (Struct)

/* The callback `memory` of a descriptor: @bytes, of `settings`, of type Settings (void: none), and
 * `shape`. */
#define ASSAY_MEMORY(name, Settings, bytes)                                                        \
  static guint64 name (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape)                  \
  {                                                                                                \
    G_GNUC_UNUSED const Settings *settings = data;                                                 \
                                                                                                   \
    return bytes;                                                                                  \
  }

/* Defines assay_NAME_of (plugin), which is NULL where the plugin is of another type. */
#define ASSAY_PLUGIN_DEFINE_CAST(Type, name, TYPE)                                                 \
  static inline const Type *assay_##name##_of (const AssayPlugin *plugin)                          \
  {                                                                                                \
    return plugin->type == ASSAY_PLUGIN_##TYPE ? (const Type *) plugin : NULL;                     \
  }

G_END_DECLS
