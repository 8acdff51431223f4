/* Whether the pairs of inputs that were tried support a verdict. */
#include "runner/judge/earned/tried.h"

#include "core/plugin/registry.h"
#include "runner/judge/pool.h"
#include "runner/judge/reason.h"
#include "runner/plan/fit.h"
#include "runner/store/records.h"

/* Of the trial that tried the smallest share; NULL in @ret_record: none has pairs. */
static gboolean
find_fewest (const AssayQuestion *question, gsize first, AssayAuditRecord **ret_record,
             GError **error)
{
  g_autoptr (GArray) trials = assay_pool_trials (question->plan, first);
  g_autoptr (AssayAuditRecord) fewest = NULL;

  for (guint t = 0; t < trials->len; t++) {
    g_autoptr (AssayAuditRecord) record = NULL;

    if (!assay_audit_load (question->store, g_array_index (trials, gsize, t), &record, error))
      return FALSE;
    if (record == NULL || record->pairs.tried == 0)
      continue;
    if (fewest != NULL
        && (guint64) record->pairs.tried * MAX (fewest->pairs.offered, 1)
               >= (guint64) fewest->pairs.tried * MAX (record->pairs.offered, 1))
      continue;
    assay_audit_record_free (fewest);
    fewest = g_steal_pointer (&record);
  }
  *ret_record = g_steal_pointer (&fewest);
  return TRUE;
}

/* "1 of the defense and 6 made of its domain" */
static char *
describe_makers (const AssayPairsRecord *pairs)
{
  const guint made = pairs->offered - pairs->own;

  if (made == 0)
    return g_strdup_printf ("%s of the defense", pairs->own == 1 ? "that" : "those");
  return pairs->own == 0 ? g_strdup ("those made of the defense's domain")
                         : g_strdup_printf ("%u of the defense and %u made of its domain",
                                            pairs->own, made);
}

gboolean
assay_tried_note (const AssayQuestion *question, gsize first, char **ret_note, GError **error)
{
  g_autoptr (AssayAuditRecord) record = NULL;
  g_autofree char *makers = NULL;
  const AssayPairsRecord *pairs;

  *ret_note = NULL;
  if (!find_fewest (question, first, &record, error))
    return FALSE;
  if (record == NULL)
    return TRUE;
  pairs = &record->pairs;
  makers = describe_makers (pairs);
  *ret_note = g_strdup_printf ("; of %u pair%s of inputs (%s) %u %s tried%s, decisive: %s",
                               pairs->offered, pairs->offered == 1 ? "" : "s", makers,
                               pairs->tried, pairs->tried == 1 ? "was" : "were",
                               pairs->is_trusted ? ", none beyond the domain, as its bounds are "
                                                   "trusted"
                                                 : "",
                               pairs->decisive);
  return TRUE;
}

/* What the claim's worst case would be seen as: no more than a mechanism of Assay's own has by its
 * proof. Of programs and plugins of others the epsilon is what their makers declare, and one who
 * declares less than they claim would be asked for less. */
static double
worst_case (const AssayQuestion *question, const AssayResultHypothesis *hypothesis, gsize first)
{
  const AssayCell *cell = assay_plan_cell (question->plan, first);
  const AssayComponent *defense = assay_plan_defense (question->plan, cell);
  const gboolean is_of_others
      = defense->defense->external != NULL || assay_registry_origin (defense->plugin) != NULL;

  return is_of_others
             ? hypothesis->bound
             : MIN (hypothesis->bound, assay_plan_oracle (question->plan, cell).claimed.epsilon);
}

gboolean
assay_tried_check (const AssayQuestion *question, const AssayResultHypothesis *hypothesis,
                   gsize first, char **ret_lacks, GError **error)
{
  const double worst = worst_case (question, hypothesis, first);
  g_autoptr (AssayAuditRecord) record = NULL;

  *ret_lacks = NULL;
  if (!find_fewest (question, first, &record, error))
    return FALSE;
  if (record != NULL && record->pairs.tried < record->pairs.offered)
    *ret_lacks = assay_reason_few_pairs (question->result, hypothesis, record->pairs.tried,
                                         record->pairs.offered);
  else if (hypothesis->interval.lower < ASSAY_SHOWN_SHARE * worst)
    *ret_lacks
        = assay_reason_harmless (question->result, hypothesis, worst,
                                 !g_str_equal (hypothesis->interval.method, "one-run-bound"));
  return TRUE;
}
