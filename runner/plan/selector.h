/* Which cells of a plan something is about: the keys defense, attack, utility and where of a group
 * of the scenario. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/plan/scenario.h"

/* Reads those of the keys that stand in @group. ASSAY_ERROR_SCENARIO, _PARAMETER with file, line
 * and key. */
AssaySelector *assay_selector_new (const AssayPlan *plan, const AssayGroup *group, GError **error);

/* Of the group of an attack its key `where` alone, which says on which data and against which
 * defenses it is played; NULL without an error: it has none. */
gboolean assay_selector_of_attack (const AssayPlan *plan, const AssayGroup *group,
                                   AssaySelector **ret_selector, GError **error);

/* The number of the attack that @key of @group names; ASSAY_NO_COMPONENT: the key is not there.
 * ASSAY_ERROR_SCENARIO: there is no such attack, or it has several settings. */
gboolean assay_selector_one_attack (const AssayPlan *plan, const AssayGroup *group, const char *key,
                                    guint *ret_attack, GError **error);

/* Whether it selects @cell, whose attack (or utility) has @settings. */
gboolean assay_selector_selects (const AssayPlan *plan, const AssaySelector *selector,
                                 const AssayCell *cell, const AssaySettings *settings);
/* The same before anything is tuned: whether there are settings with which it would. */
gboolean assay_selector_may_select (const AssayPlan *plan, const AssaySelector *selector,
                                    const AssayCell *cell);

/* Whether it selects the data and the defense of @cell, whatever it says of attacks. */
gboolean assay_selector_selects_defense (const AssayPlan *plan, const AssaySelector *selector,
                                         const AssayCell *cell);

/* "defense=lifting attack= utility= where=defense.dimension>=8": equal for equal selections. */
char *assay_selector_canonical (const AssaySelector *selector);
