/* What a plugin is: a descriptor with metadata, a parameter table and callbacks. A plugin author
 * includes this header, and "search.h", "scan.h", "knn.h" or "linalg.h" for the
 * kernels.
 *
 * A plugin is one file; its descriptor stands last in it, for example
 *
 *   const AssayAttack assay_attack_nearest = { .id = "nearest", .summary = ..., ... };
 *
 * and its id is one line in the folder's meson.build, from which the registry is generated. */
#pragma once

#include <glib.h>

#include "core/base/error.h"
#include "core/base/param.h"
#include "core/base/rng.h"
#include "core/data/dataset.h"
#include "core/data/exchange.h"
#include "core/data/grant.h"
#include "core/data/matrix.h"
#include "core/data/rows.h"
#include "core/data/run-position.h"
#include "core/data/shape.h"
#include "core/games/distinguish.h"
#include "core/plugin/mechanism.h"

G_BEGIN_DECLS

#define ASSAY_PLUGIN_ABI 1

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

/* What every plugin has. */
#define ASSAY_PLUGIN_COMMON                                                                       \
  const char *id;      /* kebab-case, equals the file stem */                                     \
  const char *summary; /* one line */                                                             \
  AssayReference reference;                                                                       \
  const AssayParam *parameters; /* NULL: none */                                                  \
  gsize settings_size;                                                                            \
  /* Rules between settings, and between settings and sizes; asked when a scenario is loaded. */  \
  gboolean (*check) (gconstpointer settings, const AssayShape *shape, GError **error);            \
  /* Bytes that the callbacks hold at their peak, beyond inputs and outputs; NULL: little. */     \
  guint64 (*memory) (gconstpointer settings, const AssayShape *shape);                            \
  /* Of settings that name programs: takes the folder of the scenario, where their files are */   \
  /* looked for first; and the paths of those files, on whose content results depend: a run is */ \
  /* not gone on with when they changed. NULL: they name none. */                                 \
  void (*locate) (gpointer settings, const char *folder);                                         \
  GPtrArray *(*files) (gconstpointer settings)

typedef struct {
  ASSAY_PLUGIN_COMMON;
} AssayPlugin;

/* ---- Datasets ---- */

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

/* ---- Defenses ---- */

typedef struct {
  gconstpointer settings;
  AssayStreamKey stream; /* the secret with number i draws from assay_stream (stream, i) */
  /* What is drawn from it is the same in every release of the same secrets (repeats): a hash
   * function is learned once. */
  AssayStreamKey common_stream;
  const AssayRows *database; /* NULL unless the defense uses one */
  const AssayRows *public_rows; /* as above */
  const gint64 *labels; /* of the secrets; NULL: they have none */
  gsize n_classes;
  AssayGeometry geometry; /* of secrets that are images */
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
  const char *claim; /* the formal claim it makes, in words; NULL: none */
  const AssayMechanism *mechanism; /* and as the distinguishing game plays it; NULL: none */
  /* What it draws its material from (ASSAY_GRANT_DATABASE, _PUBLIC), by its settings; NULL:
   * nothing. */
  guint (*uses) (gconstpointer settings);
  /* Sets what an attack on the release will meet (dimension, n_released); NULL: nothing to set. */
  void (*release_shape) (gconstpointer settings, AssayShape *inout_shape);
  /* Fills @ret_release, and in @ret_truth whatever else a game needs (adversarial rows). The truth
   * arrives with `secrets` as the dataset gave them: a defense that protects another form of them
   * (normalised) replaces it by that form. */
  gboolean (*protect) (const AssayDefenseContext *context, AssayView secrets,
                       AssayRelease *ret_release, AssayTruth *ret_truth, GError **error);
  /* Of an external release, in the folder that the setting `folder` names: checks it
   * before anything runs, and returns the sha256 of what it holds; NULL with an error. The secrets
   * are those that it is a release of, so that the dataset must keep its order. NULL: it is made
   * here. */
  char *(*look) (gconstpointer settings, const AssayRunPosition *position, const AssayShape *shape,
                 GError **error);
} AssayDefense;

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

/* ---- Attacks ---- */

typedef struct _AssayAttack AssayAttack;

typedef enum {
  ASSAY_GAME_RECONSTRUCT, /* the guess holds `estimates` of every secret, or its `codes` */
  ASSAY_GAME_LINK,        /* ... `candidates` for every released item, best first */
  ASSAY_GAME_PAIR,        /* ... `scores` of `pairs`: higher, the rather they share a secret */
  ASSAY_GAME_DISTINGUISH, /* an event that tells two neighbouring inputs apart (distinguish.h) */
  ASSAY_GAME_ONE_RUN,     /* which canaries were in the dataset of one release (one-run.h) */
} AssayGame;

/* Whether the game is played with a release and ends in a guess that metrics read. */
static inline gboolean
assay_game_has_guess (AssayGame game)
{
  return game < ASSAY_GAME_DISTINGUISH;
}

/* All that an attack receives: the release, and one pointer a grant, NULL where not granted. Truth
 * is in no type that an attack can name. */
typedef struct {
  const AssayRelease *release; /* without `labels` and hash function, unless they are granted,
                                * and without its public parameters where they are withheld */
  const AssayRows *database;
  const AssayRows *public_rows;
  const gint64 *groups; /* one number per secret; of mixtures one per image of the release */
  /* What was released of the other secrets of the cell: the release itself. Without it, a guess is
   * to be made from what was released of its own secret alone. */
  const AssayRelease *other_releases;
  /* Further releases of the same secrets with the same settings, each with fresh randomness. */
  const AssayRelease *const *repeats;
  gsize n_repeats;
} AssayObservation;

typedef struct {
  gconstpointer settings;
  AssayStreamKey stream;
  AssayRunPosition position; /* which release of the run it attacks */
} AssayAttackContext;

/* All that an attack of the game one-run receives: the canaries, each of which was in the dataset
 * with probability 1/2, and the numbers that one run of the defense put out. */
typedef struct {
  const AssayMechanism *mechanism;
  gconstpointer settings; /* the defense's */
  AssayView canaries;     /* m x columns of a secret */
  const float *release;
  gsize n_release;
} AssayOneRun;

/* A case with a known outcome, made up by the attack itself. Knowledge that a case does not need
 * stays NULL. */
typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
  AssayRows *database;
  AssayRows *public_rows;
  gint64 *groups;     /* as in AssayObservation */
  GPtrArray *repeats; /* of AssayRelease */
} AssayControlCase;

typedef struct {
  gboolean is_won;
  double share; /* of the control's secrets that were recovered; of a known epsilon, certified */
  gsize n;      /* secrets; runs or canaries */
} AssayControlOutcome;

typedef struct {
  const char *says; /* "a secret that is itself public is found" */
  /* Games with a guess: the case. In the game link its truth holds `partners`, in the game pair
   * `sources` (exchange.h); what is won there is a share of right first candidates, and the area
   * under the ROC curve. */
  gboolean (*make) (gconstpointer settings, AssayStreamKey stream, AssayControlCase *ret_case,
                    GError **error);
  /* Other games: a leak of known size, and a case without a leak on which it must stay silent. */
  gboolean (*play) (const AssayAttack *attack, const AssayAttackContext *context,
                    AssayControlOutcome *ret_outcome, GError **error);
  double at_least; /* share that must be recovered (certified) ... */
  double within;   /* ... reconstruct: to this relative error */
} AssayControl;

void assay_control_case_clear (AssayControlCase *control_case);

struct _AssayAttack {
  union {
    AssayPlugin plugin;
    struct {
      ASSAY_PLUGIN_COMMON;
    };
  };
  guint reads; /* set of AssayReleaseKind */
  guint needs; /* set of AssayGrant */
  AssayGame game; /* where `plays` is set, one of those that it may answer: all have a guess */
  /* The game that these settings play; NULL: `game`, whatever they are. */
  AssayGame (*plays) (gconstpointer settings);
  /* What its guess may hold beside what its game asks for; NULL: nothing. Equal arrays of several
   * attacks are one list. */
  const AssayArraySpec *writes;
  /* Further releases of the same secrets that it wants, where `repeats` are granted; NULL: none. */
  gsize (*repeats) (gconstpointer settings);
  /* Games with a guess. @ret_guess arrives empty; its arrays are checked afterwards (sizes, finite
   * values). */
  gboolean (*attack) (const AssayAttackContext *context, const AssayObservation *seen,
                      AssayGuess *ret_guess, GError **error);
  /* Game distinguish: learns on the oracle's training runs. NULL with an error. */
  AssayEvent *(*choose_event) (const AssayAttackContext *context, const AssayOracle *oracle,
                               GError **error);
  /* Game one-run: how many canaries it wants and how many of them it will guess, fixed in advance;
   * then one score each, higher where it rather was in the dataset. */
  void (*one_run_sizes) (gconstpointer settings, gsize *ret_canaries, gsize *ret_guesses);
  gboolean (*score_canaries) (const AssayAttackContext *context, const AssayOneRun *seen,
                              double *ret_scores, GError **error);
  /* The games distinguish and one-run: the delta that is audited; negative: the claimed one. */
  double (*delta) (gconstpointer settings);
  /* And what these settings need of a mechanism that it does not offer ("score = likelihood needs a
   * defense that knows its density"); NULL: nothing. The member may be NULL. */
  const char *(*why_not) (gconstpointer settings, const AssayMechanism *mechanism);
  AssayControl control; /* of an external guess only what it says */
  /* Of an external guess: as AssayDefense.look. It has no control, so that what it
   * recovered counts and what it did not proves nothing. */
  char *(*look) (gconstpointer settings, const AssayRunPosition *position, const AssayShape *shape,
                 GError **error);
};

/* The game that it plays with these settings. */
static inline AssayGame
assay_attack_plays (const AssayAttack *attack, gconstpointer settings)
{
  return attack->plays != NULL ? attack->plays (settings) : attack->game;
}

/* What it must be granted with these settings: whose game ends in public rows is given them. */
static inline guint
assay_attack_needs (const AssayAttack *attack, gconstpointer settings)
{
  return attack->needs
         | (assay_attack_plays (attack, settings) == ASSAY_GAME_LINK ? ASSAY_GRANT_PUBLIC : 0);
}

/* The kinds of release that it reads with these settings: only items of several secrets can
 * share one. */
static inline guint
assay_attack_reads (const AssayAttack *attack, gconstpointer settings)
{
  return assay_attack_plays (attack, settings) == ASSAY_GAME_PAIR
             ? attack->reads & assay_kinds_of_items (ASSAY_ITEMS_OF_SEVERAL_SECRETS)
             : attack->reads;
}

/* Whether it is known to win a case that can be won. */
static inline gboolean
assay_attack_has_control (const AssayAttack *attack)
{
  return attack->control.make != NULL || attack->control.play != NULL;
}

/* ---- Metrics ---- */

/* How the outcomes of the units (secrets) become one number with an interval. */
typedef enum {
  ASSAY_STATISTIC_RATE, /* outcomes are 0 or 1 */
  ASSAY_STATISTIC_MEAN,
  ASSAY_STATISTIC_LOWER_QUARTILE,
  ASSAY_STATISTIC_MEDIAN,
  ASSAY_STATISTIC_UPPER_QUARTILE,
  ASSAY_STATISTIC_EPSILON, /* a lower bound from the counts of audits, one unit a trial */
} AssayStatistic;

typedef struct {
  const char *name; /* as claims and results name it; NULL ends a list */
  guint series;     /* which of the metric's outcome series it summarises */
  AssayStatistic statistic;
  gboolean higher_is_worse; /* a higher value is worse for privacy */
  gboolean is_headline;  /* stands in the terminal's table */
  double low, high;      /* the range of possible values */
  const char *unit;
  const char *help;
  gboolean is_reach; /* a share of what the attack could have looked at: below 1, what it did not
                      * recover decides nothing */
} AssayMeasure;

typedef struct {
  gconstpointer settings;
  const AssayDataset *dataset; /* NULL where folders are measured */
  const AssayRelease *release; /* of which the guess was made; NULL where folders are measured
                                * without it. Utilities are given it with the truth. */
  AssayStreamKey stream;       /* of utilities that draw numbers (training) */
} AssayMetricContext;

#define ASSAY_MAX_SERIES 10
#define ASSAY_AUDIT_SERIES 5 /* of an audit as a unit: see assay_outcomes_take_audit */

/* Outcomes per unit: @n values a series, finite. A series that a case does not allow is left out
 * (NULL) with the reason, and its measures with it: claims that name one are inconclusive. The last
 * series of a metric that names units stays, and one other at least. */
typedef struct {
  gsize n;
  double *series[ASSAY_MAX_SERIES];
  char *left_out[ASSAY_MAX_SERIES]; /* why; NULL: it is there */
} AssayOutcomes;

void assay_outcomes_clear (AssayOutcomes *outcomes);

/* An audit as the one unit of a trial (kind, delta, runs, hits, mistakes: counts are exact in a
 * double up to 2^53), and the sum of @n such units. */
void assay_outcomes_take_audit (AssayOutcomes *ret_outcomes, const AssayAudit *audit);
AssayAudit assay_outcomes_audit (const double *const *series, gsize n);

/* All that a utility receives beside the dataset (context). The truth tells which secrets of the
 * dataset these are: their groups, labels and frames. */
typedef struct {
  const AssayRelease *release;
  const AssayTruth *truth;
} AssayReceived;

/* A metric, or a utility: one of `measure`, `audit` and `assess` is there. */
typedef struct {
  union {
    AssayPlugin plugin;
    struct {
      ASSAY_PLUGIN_COMMON;
    };
  };
  const char *const *reads_truth; /* arrays that must be there for the metric to apply; NULL ends */
  const char *const *reads_guess;
  guint reads;   /* utilities, and metrics that read the release: set of AssayReleaseKind */
  guint needs;   /* set of AssayHolding: what the dataset must have for it to apply */
  gboolean finds_order;   /* it finds out itself which estimate is of which secret */
  gboolean has_own_units; /* outcomes are of units that are independent and not the secrets:
                           * photographs, test rows, queries */
  gboolean names_units;   /* the last series numbers own units: equal numbers, also in different
                           * trials, belong together (the photograph); below 0: a unit alone */
  gboolean repeats_units; /* own units that are the same in every trial (test rows): several trials
                           * are several outcomes of each, not further units */
  gboolean on_request;    /* measured only where a [metric] of the scenario names it */
  guint n_series;
  const AssayMeasure *measures;
  /* What an honest receiver still gets from a release: a utility. */
  gboolean (*assess) (const AssayMetricContext *context, const AssayReceived *received,
                      AssayOutcomes *ret_outcomes, GError **error);
  /* Pictures of unit number @unit, as it was and as the guess has it, for contact sheets. May be
   * NULL, and set @ret_recovered to NULL where there is none of this unit. */
  gboolean (*show) (const AssayMetricContext *context, const AssayTruth *truth,
                    const AssayGuess *guess, gsize unit, AssayPhoto **ret_original,
                    AssayPhoto **ret_recovered, GError **error);
  /* Of a guess; or of what a game with a mechanism counted. */
  gboolean (*measure) (const AssayMetricContext *context, const AssayTruth *truth,
                       const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error);
  gboolean (*audit) (const AssayMetricContext *context, const AssayAudit *audit,
                     AssayOutcomes *ret_outcomes, GError **error);
} AssayMetric;

/* "higher leaks more", or of a utility "lower is more useful". */
const char *assay_measure_direction (const AssayMetric *metric, const AssayMeasure *measure);

G_END_DECLS
