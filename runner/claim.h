/* Claims: bounds that a scenario states for a measure, and which of its cells they are about. */
#pragma once

#include "runner/plan.h"

G_BEGIN_DECLS

typedef enum {
  ASSAY_OP_EQ,
  ASSAY_OP_NE,
  ASSAY_OP_LE,
  ASSAY_OP_LT,
  ASSAY_OP_GE,
  ASSAY_OP_GT,
} AssayOp;

/* "defense.dimension >= 8" */
typedef struct {
  char *role; /* "dataset", "defense" or "attack" */
  char *key;
  AssayOp op;
  char *value;
} AssayCondition;

struct _AssayClaim {
  char *id;
  char *says;
  char *source;
  guint metric; /* the plan's metric part that measures it */
  const AssayMeasure *measure;
  char *defense; /* labels; NULL: all */
  char *attack;
  GArray *conditions; /* AssayCondition */
  gboolean is_at_most; /* otherwise at least */
  double bound;
  double confidence;
  guint line;
};

/* Reads [claim ID]. ASSAY_ERROR_SCENARIO, _PARAMETER with file, line and key. */
AssayClaim *assay_claim_new (const AssayPlan *plan, const AssayScenario *scenario,
                             const AssayGroup *group, GError **error);
void assay_claim_free (AssayClaim *claim);

/* Whether the claim is about the cells of these parts. */
gboolean assay_claim_selects (const AssayClaim *claim, const AssayPart *dataset,
                              const AssayPart *defense, const AssayPart *attack,
                              const AssaySettings *attack_settings);

/* ASSAY_ERROR_SCENARIO where selectors and conditions match no cell of the plan: that would be a
 * claim about nothing. */
gboolean assay_claim_check_cells (const AssayPlan *plan, const AssayClaim *claim, GError **error);

G_END_DECLS
