/* Attacks: a release in, a guess out. Those that audit a mechanism are in auditor.h. */
#pragma once

#include "core/data/exchange.h"
#include "core/data/grant.h"
#include "core/data/photographs/keypoints.h"
#include "core/data/rows.h"
#include "core/plugin/common.h"
#include "core/plugin/external.h"
#include "core/plugin/shadow.h"

G_BEGIN_DECLS

typedef enum {
  ASSAY_GAME_RECONSTRUCT, /* the guess holds `estimates` of every secret, its `codes`, weights,
                           * or photographs (core/games/guesses) */
  ASSAY_GAME_LINK,        /* ... `candidates` for every released item, best first */
  ASSAY_GAME_PAIR,        /* ... `scores` of `pairs`: higher, the more likely they share a secret */
  ASSAY_GAME_INFER,       /* ... `class-scores` of every secret: which value its attribute has */
  ASSAY_GAME_MEMBER,      /* ... `member-scores` of `records`: higher, the more likely released */
  ASSAY_GAME_CROSS,       /* ... `cross-scores` of all items of two releases: higher, the more
                           * likely both are of one secret */
  ASSAY_GAME_EDGE,        /* ... `edge-scores` of pairs of secrets: higher, the more likely they are
                           * joined in the private graph */
} AssayGame;

/* All that an attack receives: the release, and one pointer a grant, NULL where not granted. Truth
 * of the secrets is in no type that an attack can name. */
typedef struct {
  const AssayRelease *release; /* without `labels` and hash function, unless they are granted,
                                * and without its public parameters where they are withheld */
  const AssayRows *database;
  const AssayRows *public_rows;
  const AssayRows *public_originals; /* pictures that these are features of, where they are known */
  const gint64 *groups; /* one number per secret; of mixtures one per image of the release */
  /* What was released of the other secrets of the cell: the release itself. Without it, a guess is
   * to be made from what was released of its own secret alone. */
  const AssayRelease *other_releases;
  /* Further releases of the same secrets with the same settings, each with fresh randomness. */
  const AssayRelease *const *repeats;
  gsize n_repeats;
  /* The defense, to be run on rows of the attacker's own; and rows beside what it released of them,
   * which are made once for all attacks that want them (AssayAttack.wants_pairs), or known from
   * elsewhere. */
  AssayShadow *shadow;
  const AssayPairs *pairs;
  /* In the game member: rows of which some are secrets of the release, in any order. */
  const AssayRows *records;
  const gint64 *record_labels; /* their classes: who asks for a record knows it; NULL: there are
                                * none, or several */
  /* In the game cross: what the same defense released of secrets of this release, in any order,
   * with randomness and a key of its own. */
  const AssayRelease *crossed;
  /* What the columns of `attributes` are called, of the dataset's secrets and public rows; NULL:
   * they have no names. */
  const char *const *attribute_names;
  /* Where a graph between the secrets is what is private: their rows, of which the columns before
   * @first_cols are of a first modality (0: one modality); and the edges between those of the first
   * half of them, numbered below n / 2. NULL: not granted. */
  const AssayView *features;
  gsize first_cols;
  const AssayArray *known_edges;
  /* With the grants `public` and `groups`: which public rows belong together, as keypoints of one
   * photograph do. One number per public row; NULL: not known. */
  const gint64 *public_groups;
  /* Where each secret was described, without the photographs; and with the grant `public`, where
   * public rows were, with theirs. NULL: not granted. */
  const AssayKeypoints *keypoints;
  const AssayKeypoints *public_keypoints;
} AssayObservation;

typedef struct {
  gconstpointer settings;
  AssayStreamKey stream;
  AssayRunPosition position; /* which release of the run it attacks */
} AssayAttackContext;

/* A case with a known outcome, made up by the attack itself. Knowledge that a case does not need
 * stays NULL. */
typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
  AssayRows *database;
  AssayRows *public_rows;
  gint64 *groups;     /* as in AssayObservation */
  GPtrArray *repeats; /* of AssayRelease */
  AssayShadow *shadow;
  AssayPairs *pairs;
  AssayRows *records;
  AssayRelease *crossed;
  char **attribute_names;
  AssayMatrix *features; /* of which the columns before first_cols are of a first modality */
  gsize first_cols;
  AssayArray *known_edges;
  gint64 *public_groups;
  AssayKeypoints *keypoints;
  AssayKeypoints *public_keypoints;
} AssayControlCase;

typedef struct {
  const char *says; /* "a secret that is itself public is found" */
  /* In the game link the truth of the case holds `partners`, in the game pair `sources`
   * (core/data/kinds), in the game member `members`, in the game cross `mates`, in the game edge
   * `edges`; what is won is a share of right first candidates, the area under the ROC curve, and in
   * the game infer a share of right values. */
  gboolean (*make) (gconstpointer settings, AssayStreamKey stream, AssayControlCase *ret_case,
                    GError **error);
  double at_least; /* share that must be recovered ... */
  double within;   /* ... reconstruct: to this relative error */
  /* One like what it was handed in a cell; @ret_case left without a release: of this none can be
   * made. NULL: none. Of a program, which could recognise the case above, everything is given away
   * in it (core/games/control-like.h), and it is played in place of that. Of other attacks it is
   * another case of the cell's own shape, played where the cell's game gave less than `like_above`
   * and `like_at_least` ask for. */
  gboolean (*make_like) (gconstpointer settings, AssayStreamKey stream,
                         const AssayObservation *seen, AssayControlCase *ret_case, GError **error);
  const char *like_says; /* "public images come back ..."; NULL: that of programs */
  double like_above;     /* absolute correlation from which on a secret counts as recovered ... */
  double like_at_least;  /* ... and the share that must be */
} AssayControl;

void assay_control_case_clear (AssayControlCase *control_case);

typedef struct {
  union {
    AssayPlugin plugin;
    struct {
      ASSAY_PLUGIN_COMMON;
    };
  };
  guint reads;                     /* set of AssayReleaseKind */
  guint needs;                     /* set of AssayGrant */
  const char *const *reads_arrays; /* of the release, without which it has nothing to read where
                                    * its kind may do without them; NULL: none */
  gboolean reads_gradients; /* of model updates: it has nothing to read where users make none */
  /* It takes what is released for the secret, or for something near it, whatever the defense does:
   * that attacks of this kind alone recover little is no evidence. */
  gboolean is_generic;
  /* It learns from what the very defense makes of rows of its own: what it recovers little of is
   * evidence whatever the defense is. */
  gboolean adapts;
  gboolean wants_pairs; /* AssayObservation.pairs, where it is granted them */
  /* Set of AssayHolding without which its dataset gives it nothing to learn from or to be right
   * about; NULL: none. */
  guint (*wants) (gconstpointer settings);
  AssayGame game; /* where `plays` is set, one of those that it may answer */
  /* The game that these settings play; NULL: `game`, whatever they are. */
  AssayGame (*plays) (gconstpointer settings);
  /* What its guess may hold beside what its game asks for; NULL: nothing. Equal arrays of several
   * attacks are one list. */
  const AssayArraySpec *writes;
  /* Whether it draws numbers with these settings that all secrets share: what one start finds,
   * another may miss. It then tells how sure it is of its guess, where it can. NULL: never. */
  gboolean (*draws) (gconstpointer settings);
  /* Further releases of the same secrets that it wants, where `repeats` are granted; NULL: none. */
  gsize (*repeats) (gconstpointer settings);
  /* @ret_guess arrives empty; its arrays are checked afterwards (sizes, finite values). */
  gboolean (*attack) (const AssayAttackContext *context, const AssayObservation *seen,
                      AssayGuess *ret_guess, GError **error);
  AssayControl control;          /* of an external guess only what it says */
  const AssayExternal *external; /* NULL: nothing of it is */
} AssayAttack;

ASSAY_PLUGIN_DEFINE_CAST (AssayAttack, attack, ATTACK)

static inline gboolean
assay_attack_draws (const AssayAttack *attack, gconstpointer settings)
{
  return attack->draws != NULL && attack->draws (settings);
}

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

/* Whether it learns from pairs with these settings: who compares runs with and without a record, or
 * two releases, makes runs of its own. */
static inline gboolean
assay_attack_wants_pairs (const AssayAttack *attack, gconstpointer settings)
{
  const AssayGame game = assay_attack_plays (attack, settings);

  return attack->wants_pairs && game != ASSAY_GAME_MEMBER && game != ASSAY_GAME_CROSS;
}

/* The kinds of release that it reads with these settings: only items of several secrets can
 * share one, and an attribute is of the one secret of an item. */
static inline guint
assay_attack_reads (const AssayAttack *attack, gconstpointer settings)
{
  switch (assay_attack_plays (attack, settings)) {
  case ASSAY_GAME_PAIR:
    return attack->reads & assay_kinds_of_items (ASSAY_ITEMS_OF_SEVERAL_SECRETS);
  case ASSAY_GAME_INFER:
    return attack->reads & assay_kinds_of_items (ASSAY_ITEM_OF_EACH_SECRET);
  default:
    return attack->reads;
  }
}

#define ASSAY_ATTACK(symbol, name, ...)                                                            \
  const AssayAttack assay_attack_##symbol = { .type = ASSAY_PLUGIN_ATTACK, .id = name, __VA_ARGS__ }

G_END_DECLS
