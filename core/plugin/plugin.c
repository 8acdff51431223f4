/* What all plugins share: clearing what they fill in, the form in which audits are stored. */
#include "core/plugin/plugin.h"

ASSAY_CLEAR_FUNC (
    AssayControlCase, assay_control_case_clear, assay_drop (self->release, assay_release_free),
    assay_drop (self->truth, assay_truth_free), assay_drop (self->database, assay_rows_unref),
    assay_drop (self->public_rows, assay_rows_unref), assay_drop (self->groups, g_free),
    assay_drop (self->repeats, g_ptr_array_unref), assay_drop (self->shadow, assay_shadow_free),
    assay_drop (self->pairs, assay_pairs_free), assay_drop (self->records, assay_rows_unref),
    assay_drop (self->crossed, assay_release_free), assay_drop (self->public_groups, g_free),
    assay_drop (self->attribute_names, g_strfreev), assay_drop (self->features, assay_matrix_free),
    assay_drop (self->known_edges, assay_array_free),
    assay_drop (self->keypoints, assay_keypoints_free),
    assay_drop (self->public_keypoints, assay_keypoints_free))

gboolean
assay_outcomes_alloc (AssayOutcomes *outcomes, guint n_series, gsize n, GError **error)
{
  for (guint s = 0; s < n_series; s++) {
    outcomes->series[s] = assay_alloc (n, sizeof (double), "outcomes", error);
    if (outcomes->series[s] == NULL)
      return FALSE;
  }
  outcomes->n = n;
  return TRUE;
}

void
assay_outcomes_clear (AssayOutcomes *outcomes)
{
  for (guint i = 0; i < ASSAY_MAX_SERIES; i++) {
    g_clear_pointer (&outcomes->series[i], g_free);
    g_clear_pointer (&outcomes->omitted[i], g_free);
  }
  g_clear_pointer (&outcomes->says, g_free);
  outcomes->n = 0;
}

void
assay_outcomes_take_audit (AssayOutcomes *ret_outcomes, const AssayAudit *audit)
{
  const double fields[ASSAY_AUDIT_SERIES] = { (double) audit->kind, audit->delta,
                                            (double) audit->runs, (double) audit->hits,
                                            (double) audit->mistakes };

  ret_outcomes->n = 1;
  for (guint i = 0; i < ASSAY_AUDIT_SERIES; i++)
    ret_outcomes->series[i] = g_memdup2 (&fields[i], sizeof fields[i]);
}

AssayAudit
assay_outcomes_audit (const double *const *series, gsize n)
{
  AssayAudit audit = { .kind = (AssayAuditKind) series[0][0], .delta = series[1][0] };

  for (gsize i = 0; i < n; i++) {
    audit.runs += (guint64) series[2][i];
    audit.hits += (guint64) series[3][i];
    audit.mistakes += (guint64) series[4][i];
  }
  return audit;
}

const AssayMeasuring *
assay_measuring_of (const AssayPlugin *plugin)
{
  return plugin->type == ASSAY_PLUGIN_METRIC || plugin->type == ASSAY_PLUGIN_UTILITY
             ? (const AssayMeasuring *) plugin
             : NULL;
}

const char *
assay_measure_direction (const AssayMeasuring *measuring, const AssayMeasure *measure)
{
  if (measure->is_reach)
    return "below 1 the silence of the attack upholds no claim";
  if (measure->is_reference)
    return "for comparison, no leak by itself";
  if (measuring->type == ASSAY_PLUGIN_UTILITY && !measure->is_leak)
    return measure->higher_is_worse ? "lower is more useful" : "higher is more useful";
  return measure->higher_is_worse ? "higher leaks more" : "lower leaks more";
}

const AssayExternal *
assay_plugin_external (const AssayPlugin *plugin)
{
  const AssayDefense *defense = assay_defense_of (plugin);
  const AssayAttack *attack = assay_attack_of (plugin);

  return defense != NULL ? defense->external : attack != NULL ? attack->external : NULL;
}

AssayControlTerms
assay_control_terms (const AssayPlugin *plugin)
{
  const AssayAuditor *auditor = assay_auditor_of (plugin);
  const AssayAttack *attack = assay_attack_of (plugin);

  if (auditor != NULL)
    return (AssayControlTerms){ TRUE, auditor->control.says, auditor->control.at_least };
  return (AssayControlTerms){ attack->control.make != NULL, attack->control.says,
                              attack->control.at_least };
}
