/* Defenses: secrets in, release out; and the mechanism that audits play, where a claim is made. */
#pragma once

#include "core/data/exchange.h"
#include "core/plugin/common.h"
#include "core/plugin/external.h"
#include "core/plugin/mechanism.h"

G_BEGIN_DECLS

typedef struct {
  gconstpointer settings;
  AssayStreamKey stream; /* the secret with number i draws from assay_stream (stream, i) */
  /* Of the release's key: all that one release draws once for all its secrets (a hash function, a
   * rotation, a permutation) comes from items of it that are no secrets' (G_MAXUINT64), and nothing
   * else does. It is the same in every release of the same secrets (repeats), and another one where
   * attackers run the defense on rows of their own, unless they are granted the key. */
  AssayStreamKey common_stream;
  /* Where attackers hold the key, the release that has it: what is learned from the secrets of a
   * release and stands in it (a hash function) is taken from there, not learned again. NULL:
   * nobody's. */
  const AssayRelease *key_of;
  const AssayRows *database;    /* NULL unless the defense uses one */
  const AssayRows *public_rows; /* as above */
  const gint64 *public_labels;  /* of these; NULL: they have none */
  const gint64 *labels;         /* of the secrets; NULL: they have none */
  const gint64 *label_sets;     /* of the secrets, label_words each (formats/label-sets.h);
                                 * NULL: each has one label */
  gsize label_words;
  gsize n_classes;
  const AssayArray *edges; /* int64 E x 2 of the secrets: see AssayDataset; NULL: no graph */
  gsize first_cols;        /* of their rows: see AssayDataset */
  AssayGeometry geometry;          /* of secrets that are images */
  const AssayMechanism *mechanism; /* the defense's own; NULL: it has none */
  AssayRunPosition position;       /* which release of the run it is */
} AssayDefenseContext;

typedef struct {
  union {
    AssayPlugin plugin;
    struct {
      ASSAY_PLUGIN_COMMON;
    };
  };
  AssayReleaseKind produces; /* where `kind` is set, the set of kinds that it may answer */
  /* The kind of release that these settings make; NULL: `produces`, whatever they are. */
  AssayReleaseKind (*kind) (gconstpointer settings);
  const char *claim;               /* the formal claim it makes, in words; NULL: none */
  const AssayMechanism *mechanism; /* and as the distinguishing game plays it; NULL: none */
  /* What it draws its material from (ASSAY_GRANT_DATABASE, _PUBLIC), by its settings; NULL:
   * nothing. */
  guint (*uses) (gconstpointer settings);
  /* Arrays of its kind that its releases do not hold with these settings, whatever is granted:
   * names, NULL ends. NULL: none that is known. */
  const char *const *(*lacks) (gconstpointer settings);
  /* Of model updates: what users do in place of gradient steps with these settings ("train to the
   * optimum"); NULL, as a function or what it returns: they make them. */
  const char *(*no_gradients) (gconstpointer settings);
  /* Sets what an attack on the release will meet (dimension, n_released); NULL: nothing to set. */
  void (*release_shape) (gconstpointer settings, AssayShape *inout_shape);
  /* Fills @ret_release, and in @ret_truth whatever else a game needs (adversarial rows). The truth
   * arrives with `secrets` as the dataset gave them: a defense that protects another form of them
   * (normalised) replaces it by that form. */
  gboolean (*protect) (const AssayDefenseContext *context, AssayView secrets,
                       AssayRelease *ret_release, AssayTruth *ret_truth, GError **error);
  /* What whoever reads a report has to know of what was released with these settings, one line;
   * NULL, or a callback that returns it: nothing. */
  const char *(*remark) (gconstpointer settings);
  const AssayExternal *external; /* NULL: nothing of it is */
} AssayDefense;

ASSAY_PLUGIN_DEFINE_CAST (AssayDefense, defense, DEFENSE)

/* The kind of its release with these settings. */
static inline AssayReleaseKind
assay_defense_produces (const AssayDefense *defense, gconstpointer settings)
{
  return defense->kind != NULL ? defense->kind (settings) : defense->produces;
}

/* Its mechanism, if it makes a claim with these settings; else NULL. */
static inline const AssayMechanism *
assay_defense_mechanism (const AssayDefense *defense, gconstpointer settings)
{
  const AssayMechanism *mechanism = defense->mechanism;

  return mechanism != NULL && mechanism->is_claimed != NULL && !mechanism->is_claimed (settings)
             ? NULL
             : mechanism;
}

/* The member `mechanism` of a descriptor, by its own members. */
#define ASSAY_MECHANISM(...) .mechanism = &(const AssayMechanism){ __VA_ARGS__ }

#define ASSAY_DEFENSE(symbol, name, ...)                                                           \
  const AssayDefense assay_defense_##symbol                                                        \
      = { .type = ASSAY_PLUGIN_DEFENSE, .id = name, __VA_ARGS__ }

G_END_DECLS
