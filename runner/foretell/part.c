/* A small part of a run: the same cells, with fewer secrets in each, and fewer runs of audits. */
#include "runner/foretell/part.h"

#include <math.h>

#include "core/base/text.h"

/* Settings of audits that count runs, or canaries; below so many an audit may be refused. */
static const char *const counts[] = { "runs", "training" };
#define LEAST_RUNS 1000

static gboolean
counts_runs (const AssayComponent *component, const AssayParam **ret_param, guint index)
{
  *ret_param = assay_param_find (component->settings->table, counts[index]);
  return component->plugin->type == ASSAY_PLUGIN_AUDITOR && *ret_param != NULL
         && (*ret_param)->type == ASSAY_PARAM_TYPE_INT;
}

static gint64
value_of (const AssayComponent *component, const AssayParam *param)
{
  return G_STRUCT_MEMBER (gint64, component->settings->values, param->offset);
}

static gint64
part_of (gint64 full, double share, gint64 least)
{
  return MIN (full, MAX ((gint64) ceil (share * (double) full), least));
}

/* The values that audits of the label of @first have of @param, made smaller: one, or those of a
 * sweep. NULL where two of a sweep would become the same. */
static char *
smaller_runs (const AssayPlan *plan, const AssayComponent *first, const AssayParam *param,
              double share)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) smaller = g_ptr_array_new_with_free_func (g_free);

  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks) {
    const gint64 full = value_of (component, param);
    const gint64 part = part_of (full, share, LEAST_RUNS);

    if (!g_str_equal (component->label, first->label)
        || !assay_names_take (all, g_strdup_printf ("%" G_GINT64_FORMAT, full)))
      continue;
    if (!assay_names_take (smaller, g_strdup_printf ("%" G_GINT64_FORMAT, part)))
      return NULL;
  }
  g_ptr_array_add (smaller, NULL);
  return g_strjoinv ("; ", (char **) smaller->pdata);
}

static void
add_audits (const AssayPlan *plan, double share, GPtrArray *assignments)
{
  const char *done = NULL;

  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks) {
    const AssayParam *param;

    if (g_strcmp0 (component->label, done) == 0) /* those of one group follow each other */
      continue;
    done = component->label;
    for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
      g_autofree char *values = counts_runs (component, &param, i)
                                    ? smaller_runs (plan, component, param, share)
                                    : NULL;

      if (values != NULL)
        g_ptr_array_add (assignments, g_strdup_printf ("%s %s.%s=%s", component->kind,
                                                       component->label, param->name, values));
    }
  }
}

static void
add_secrets (const AssayPlan *plan, double share, GPtrArray *assignments)
{
  const gboolean takes_groups = plan->secret_groups > 0;
  const gsize full = takes_groups ? plan->secret_groups : plan->secrets;

  g_ptr_array_add (assignments, g_strdup_printf ("dataset.%s=%" G_GINT64_FORMAT,
                                                 takes_groups ? "secret_groups" : "secrets",
                                                 part_of ((gint64) full, share, 1)));
  if (plan->tune_secrets > 0)
    g_ptr_array_add (assignments,
                     g_strdup_printf ("dataset.tune_secrets=%" G_GINT64_FORMAT,
                                      part_of ((gint64) plan->tune_secrets, share, 1)));
}

char **
assay_part_assignments (const AssayPlan *plan, double share)
{
  GPtrArray *assignments = g_ptr_array_new ();

  if (assay_plan_has_releases (plan))
    add_secrets (plan, share, assignments);
  add_audits (plan, share, assignments);
  g_ptr_array_add (assignments, NULL);
  return (char **) g_ptr_array_free (assignments, FALSE);
}

double
assay_part_share (const AssayPlan *plan, const AssayPlan *part, const AssayCell *cell)
{
  const AssayComponent *full
      = cell->attack != ASSAY_NO_COMPONENT ? assay_plan_attack (plan, cell) : NULL;
  const AssayParam *runs;

  if (full != NULL && full->plugin->type == ASSAY_PLUGIN_AUDITOR)
    return counts_runs (full, &runs, 0) ? (double) value_of (assay_plan_attack (part, cell), runs)
                                              / (double) value_of (full, runs)
                                        : 1;
  return plan->secret_groups > 0 ? (double) part->secret_groups / (double) plan->secret_groups
                                 : (double) part->secrets / (double) plan->secrets;
}
