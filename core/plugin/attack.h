/* Attacks: a release in, a guess out; or a mechanism in, and an event or scores that audit it. */
#pragma once

#include "core/data/exchange.h"
#include "core/data/grant.h"
#include "core/data/rows.h"
#include "core/plugin/common.h"
#include "core/plugin/mechanism.h"
#include "core/plugin/oracle.h"

G_BEGIN_DECLS

typedef struct _AssayAttack AssayAttack;

typedef enum {
  ASSAY_GAME_RECONSTRUCT, /* the guess holds `estimates` of every secret, or its `codes` */
  ASSAY_GAME_LINK,        /* ... `candidates` for every released item, best first */
  ASSAY_GAME_PAIR,        /* ... `scores` of `pairs`: higher, the rather they share a secret */
  ASSAY_GAME_DISTINGUISH, /* an event that tells two neighbouring inputs apart */
  ASSAY_GAME_ONE_RUN,     /* which canaries were in the dataset of one release */
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
   * `sources` (core/data/kinds); what is won there is a share of right first candidates, and the
   * area under the ROC curve. */
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
  guint reads;    /* set of AssayReleaseKind */
  guint needs;    /* set of AssayGrant */
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

#define ASSAY_ATTACK(symbol, name, ...)                                                            \
  const AssayAttack assay_attack_##symbol = { .id = name, __VA_ARGS__ }

G_END_DECLS
