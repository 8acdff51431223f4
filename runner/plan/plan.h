/* A plan: the scenario with every setting resolved, checked and multiplied out into cells. What a
 * plan says is decided before anything is generated, protected or written (runner/plan/planner.h
 * makes it); this is what it says, and what can be asked of it. */
#pragma once

#include "core/base/each.h"
#include "core/plugin/plugin.h"
#include "runner/plan/plain.h"

/* What an attacker learns from (runner/plan/own-rows.h): runs of the defense on rows of their own,
 * with the grant `mechanism`; a folder; or rows that are in the release itself. */
typedef struct {
  char *pairs;    /* the folder's name; NULL: none */
  gsize known;    /* public rows that are protected together with the secrets; 0: none */
  guint64 runs;   /* of the defense, at most */
  gsize rows;     /* public rows that are protected in them, at most */
  double seconds; /* that they may take */
} AssayOwnTerms;

/* The orders of a value to another one that fulfil a comparison: a set of less, equal, greater. */
typedef enum {
  ASSAY_OP_LT = 1,
  ASSAY_OP_EQ = 2,
  ASSAY_OP_GT = 4,
  ASSAY_OP_LE = ASSAY_OP_LT | ASSAY_OP_EQ,
  ASSAY_OP_GE = ASSAY_OP_GT | ASSAY_OP_EQ,
  ASSAY_OP_NE = ASSAY_OP_LT | ASSAY_OP_GT,
} AssayOp;

/* "defense.dimension >= 8" */
typedef struct {
  char *role; /* "dataset", "defense", "attack" or "utility" */
  char *key;
  AssayOp op;
  char *value;
} AssayCondition;

/* Which cells something is about. */
typedef struct {
  char *defense; /* labels, "; " between them; NULL: all */
  char *attack;
  char *utility;
  GArray *conditions; /* AssayCondition; all must hold */
} AssaySelector;

/* One setting of one group: what a cell is put together from. */
typedef struct {
  const char *kind; /* of the group: "dataset", "defense", "attack", "utility", "metric" */
  char *label;
  char *name; /* "lifting dimension=4": the label and the settings that vary under it */
  union { /* of the group's type */
    const AssayPlugin *plugin;
    const AssayDatasetPlugin *dataset;
    const AssayDefense *defense;
    const AssayAttack *attack; /* unless it is an auditor, as the plugin's type says */
    const AssayAuditor *auditor;
    const AssayMeasuring *measuring;
    const AssayMetric *metric;
    const AssayUtility *utility;
  };
  AssaySettings *settings;   /* of a tuned attack: what is not tuned */
  guint line;                /* of the group */
  guint grants;              /* attacks: set of AssayGrant */
  AssayOwnTerms own;         /* attacks */
  AssaySelector *where;      /* attacks: the data and defenses that they are played on; NULL: all */
  GPtrArray *candidates;     /* attacks: AssaySettings to choose from, or NULL */
  char *tuned_keys;          /* attacks: "neighbours=100;1000 averaged=3;10", or NULL */
  char *tune_measure;
  char *canonical;           /* "label\nplugin\nsettings...": hashed into ids and streams */
} AssayComponent;

/* A cell has an attack or a utility, never both. */
typedef struct {
  guint dataset;
  guint trial;
  guint defense;
  guint attack;  /* ASSAY_NO_COMPONENT: it has a utility */
  guint utility; /* ASSAY_NO_COMPONENT: it has an attack */
} AssayCell;

#define ASSAY_NO_COMPONENT G_MAXUINT

/* A bound that the scenario states for a measure. */
typedef struct {
  char *id;
  char *says;
  char *source;
  const AssayUtility *utility; /* that assesses it; NULL: a metric measures it */
  guint metric; /* the number by which it measures cells (assay_plan_measuring) */
  const AssayMeasure *measure;
  AssaySelector *selector;
  gboolean is_at_most; /* otherwise at least */
  gboolean is_claimed; /* at-most = claimed: the bound is the defense's own epsilon */
  double bound;        /* otherwise */
  gboolean has_delta;  /* of epsilon: the delta that it speaks of must be the audited one */
  double delta;
  double confidence;
  double power_at; /* of epsilon: the multiple of the bound that an audit must be able to see */
  gboolean wants_adaptive; /* attackers = adaptive */
  guint beyond; /* the attack that others are compared with on the same units; then `measure` is */
  AssayMeasure difference; /* ... this: outcomes less those of that attack */
  guint line;
} AssayClaim;

/* A contact sheet: pictures of a run that the scenario wants to be kept. */
typedef struct {
  char *name;
  guint line;
  gsize count;           /* units that are shown, the first of trial 0 */
  guint metric;          /* whose pictures: its number in the plan */
  gboolean has_released; /* also what was released of each unit, where that is an image */
  AssaySelector *selector;
} AssayContactSheet;

typedef struct {
  char *scenario; /* its file */
  char *scenario_sha256;
  char *text;         /* of the scenario, as it was read */
  char **assignments; /* of --set */
  char *canonical; /* everything that cells depend on, a line each */
  char *sha256;    /* of it: what identifies a run's folder */
  char *title;
  char *reference;
  guint64 seed;
  gsize trials;
  guint starts; /* of each attack that draws numbers which all secrets share */
  double confidence;
  gsize secrets;         /* per cell; 0: whole groups are drawn */
  gsize secret_groups;   /* per cell; 0: secrets are drawn one by one */
  gboolean takes_all;    /* secrets: all that the dataset has, in equal parts */
  gboolean keeps_order;  /* secrets are drawn in the order of the dataset */
  gboolean repeats_secrets; /* every trial takes the same ones */
  char *external;        /* sha256 of an external release or guess; NULL: none, or not verified */
  gsize tune_secrets;    /* set apart for tuning; 0 when nothing is tuned */
  GPtrArray *datasets;  /* AssayComponent, as the four below */
  GPtrArray *defenses;
  GPtrArray *attacks;
  GPtrArray *utilities;
  GPtrArray *metrics;
  GPtrArray *claims;  /* AssayClaim; not part of the hash: they judge what is stored already */
  GPtrArray
      *sheets; /* AssayContactSheet; part of the hash: their pictures are made with the cells */
  GArray *cells;      /* AssayCell, in the order of results */
  GPtrArray *skipped; /* AssaySkip */
  AssayProbe *probes; /* one for each dataset */
  guint64 memory;     /* bytes at the peak, estimated */
  gboolean is_changed; /* by --set: then lines of the file do not tell all */
  char **folders;     /* where data files are looked for */
} AssayPlan;

ASSAY_DECLARE_FREE (AssayPlan, assay_plan_free)

static inline const AssayComponent *
assay_plan_component (const GPtrArray *components, guint index)
{
  return (const AssayComponent *) g_ptr_array_index (components, index);
}

/* The settings with which a component may be played, one after the other: a tuned attack's
 * candidates, else its own. NULL: there are no more. */
static inline const AssaySettings *
assay_component_choice (const AssayComponent *component, guint index)
{
  if (component->candidates == NULL)
    return index == 0 ? component->settings : NULL;
  return index < component->candidates->len ? component->candidates->pdata[index] : NULL;
}

/* Further releases that an attack wants with @settings, and is granted. */
static inline gsize
assay_component_repeats (const AssayComponent *component, const AssaySettings *settings)
{
  const AssayAttack *attack = assay_attack_of (component->plugin);

  return attack != NULL && attack->repeats != NULL && (component->grants & ASSAY_GRANT_REPEATS)
             ? attack->repeats (settings->values)
             : 0;
}

/* The components of @cell; an attack or a utility where it has one. */
static inline const AssayComponent *
assay_plan_dataset (const AssayPlan *plan, const AssayCell *cell)
{
  return assay_plan_component (plan->datasets, cell->dataset);
}

static inline const AssayComponent *
assay_plan_defense (const AssayPlan *plan, const AssayCell *cell)
{
  return assay_plan_component (plan->defenses, cell->defense);
}

static inline const AssayComponent *
assay_plan_attack (const AssayPlan *plan, const AssayCell *cell)
{
  return assay_plan_component (plan->attacks, cell->attack);
}

static inline const AssayComponent *
assay_plan_utility (const AssayPlan *plan, const AssayCell *cell)
{
  return assay_plan_component (plan->utilities, cell->utility);
}

static inline const AssayCell *
assay_plan_cell (const AssayPlan *plan, gsize index)
{
  return &g_array_index (plan->cells, AssayCell, index);
}

/* Whether secrets of a dataset are drawn by groups. */
static inline gboolean
assay_plan_has_groups (const AssayPlan *plan)
{
  for (guint i = 0; i < plan->datasets->len; i++)
    if (plan->probes[i].n_groups > 0)
      return TRUE;
  return FALSE;
}

/* Whether anything is done with a release; otherwise how many secrets there are says nothing. */
gboolean assay_plan_has_releases (const AssayPlan *plan);

/* What measures a cell: the plan's metrics, or its one utility. Outcomes are stored by these
 * numbers. */
guint assay_plan_n_measuring (const AssayPlan *plan, const AssayCell *cell);
const AssayComponent *assay_plan_measuring (const AssayPlan *plan, const AssayCell *cell,
                                            guint index);

/* What the cell has beside a defense: its attack or its utility. */
const AssayComponent *assay_plan_attack_or_utility (const AssayPlan *plan, const AssayCell *cell);

/* 16 hexadecimal digits that name the cell in results; a trial of ASSAY_ALL_TRIALS names what is
 * pooled over them. */
#define ASSAY_ALL_TRIALS G_MAXUINT
char *assay_plan_cell_id (const AssayPlan *plan, const AssayCell *cell);

static inline gsize
assay_plan_index (const AssayPlan *plan, const AssayCell *cell)
{
  return (gsize) (cell - assay_plan_cell (plan, 0));
}

const AssayCell *assay_plan_find_cell (const AssayPlan *plan, const char *id); /* NULL: none */

/* How often the attack of @cell is played with @settings: once unless it draws numbers that all
 * secrets share. A claim can rest on it if that is ASSAY_ENOUGH_STARTS or more. */
#define ASSAY_ENOUGH_STARTS 3
guint assay_plan_starts (const AssayPlan *plan, const AssayCell *cell,
                         const AssaySettings *settings);

/* The stream of @role ("data", "secrets", "defense", "attack", "utility", "metric") in a cell,
 * keyed by the settings upstream of that role. @attack is the resolved settings' text of the attack
 * (where tuning chose them) or of the utility; NULL for roles before it. */
AssayStreamKey assay_plan_stream (const AssayPlan *plan, const AssayCell *cell, const char *role,
                                  const char *attack);

/* Whether trials take the secrets of dataset @index in its order, not in a random one. */
gboolean assay_plan_keeps_order (const AssayPlan *plan, guint index);

/* How often secrets are drawn: for each trial, or once for all of them. */
gsize assay_plan_draws (const AssayPlan *plan);

/* How trials take secrets, as `order` in [dataset] says it: "random", "file" or "same". */
const char *assay_plan_order (const AssayPlan *plan);

/* The sizes of a cell on the dataset with this probe. */
AssayShape assay_plan_shape (const AssayPlan *plan, const AssayProbe *probe);

/* What of @needs (set of AssayHolding) the first dataset that lacks some does not have; 0: all have
 * all. */
guint assay_plan_lacks (const AssayPlan *plan, guint needs);

/* Secrets that the plan takes from the pool: all trials and what is set apart for tuning. */
gsize assay_plan_secrets_needed (const AssayPlan *plan);

/* @settings are taken over. What else there is to say of it, the caller adds. */
AssayComponent *assay_component_new (const char *kind, const char *label, const AssayPlugin *plugin,
                                     AssaySettings *settings);
void assay_component_free (AssayComponent *component);
void assay_skip_free (AssaySkip *skip);
ASSAY_DECLARE_FREE (AssaySelector, assay_selector_free)
ASSAY_DECLARE_FREE (AssayClaim, assay_claim_free)
ASSAY_DECLARE_FREE (AssayContactSheet, assay_contact_sheet_free)
