/* What a run keeps beside outcomes. */
#include "runner/store/records.h"

#include <math.h>

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/base/text.h"

/* ---- Audits ---- */

ASSAY_FREE_FUNC (AssayAuditRecord, assay_audit_record_free, g_free (self->says),
                 g_free (self->dependent), g_free (self->pairs.decisive))

/* "tried offered own is-trusted inputs" */
static char *
write_pairs (const AssayPairsRecord *pairs)
{
  return g_strdup_printf ("%u %u %u %d %s", pairs->tried, pairs->offered, pairs->own,
                          pairs->is_trusted, pairs->decisive != NULL ? pairs->decisive : "");
}

static AssayPairsRecord
read_pairs (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", " ", 5);

  if (g_strv_length (words) != 5)
    return (AssayPairsRecord){ 0 };
  return (AssayPairsRecord){ .tried = (guint) g_ascii_strtoull (words[0], NULL, 10),
                             .offered = (guint) g_ascii_strtoull (words[1], NULL, 10),
                             .own = (guint) g_ascii_strtoull (words[2], NULL, 10),
                             .is_trusted = g_str_equal (words[3], "1"),
                             .decisive = *words[4] != '\0' ? g_strdup (words[4]) : NULL };
}

static const char own[] = "draws numbers of its own";

gboolean
assay_audit_store (AssayStore *store, gsize cell, const AssayAuditRecord *record, GError **error)
{
  g_autofree char *pairs = write_pairs (&record->pairs);
  g_autofree char *text
      = g_strdup_printf ("%u %d %" G_GUINT64_FORMAT " %s\n%s\n%s\n%s", record->pair,
                         record->is_swapped, record->trained_on, record->says,
                         record->dependent != NULL ? record->dependent : "", pairs,
                         record->draws_own ? own : "");

  return assay_store_set_of (store, text, error, "audit.%zu", cell);
}

gboolean
assay_audit_load (AssayStore *store, gsize cell, AssayAuditRecord **ret_record, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;
  g_auto (GStrv) lines = NULL;
  AssayAuditRecord *record;
  guint n_lines;

  if (!assay_store_get_of (store, &text, error, "audit.%zu", cell))
    return FALSE;
  *ret_record = NULL;
  words = text != NULL ? g_strsplit (text, " ", 4) : NULL;
  if (words == NULL || g_strv_length (words) != 4)
    return TRUE;
  record = g_new0 (AssayAuditRecord, 1);
  record->pair = (guint) g_ascii_strtoull (words[0], NULL, 10);
  record->is_swapped = g_str_equal (words[1], "1");
  record->trained_on = g_ascii_strtoull (words[2], NULL, 10);
  lines = g_strsplit (words[3], "\n", 4);
  n_lines = g_strv_length (lines);
  record->says = g_strdup (n_lines > 0 ? lines[0] : "");
  record->dependent = n_lines > 1 && *lines[1] != '\0' ? g_strdup (lines[1]) : NULL;
  record->pairs = read_pairs (n_lines > 2 ? lines[2] : NULL);
  record->draws_own = n_lines > 3 && g_str_equal (lines[3], own);
  *ret_record = record;
  return TRUE;
}

/* ---- Injected leaks ---- */

gboolean
assay_leaks_store (AssayStore *store, gsize cell, const GArray *leaks, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  ASSAY_FOR_EACH_IN (const AssayLeakRecord, leak, leaks) {
    const double numbers[] = { leak->epsilon, leak->hit, leak->mistake };

    for (guint j = 0; j < G_N_ELEMENTS (numbers); j++) {
      g_autofree char *number = assay_text_number (numbers[j]);

      g_string_append_printf (text, "%s%c", number, j + 1 < G_N_ELEMENTS (numbers) ? ' ' : '\n');
    }
  }
  return assay_store_set_of (store, text->str, error, "leaks.%zu", cell);
}

gboolean
assay_leaks_load (AssayStore *store, gsize cell, GArray **ret_leaks, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GArray *leaks;

  if (!assay_store_get_of (store, &text, error, "leaks.%zu", cell))
    return FALSE;
  leaks = g_array_new (FALSE, FALSE, sizeof (AssayLeakRecord));
  lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) words = g_strsplit (lines[i], " ", -1);
    AssayLeakRecord leak;

    if (g_strv_length (words) == 3 && assay_text_to_double (words[0], &leak.epsilon)
        && assay_text_to_double (words[1], &leak.hit)
        && assay_text_to_double (words[2], &leak.mistake))
      g_array_append_val (leaks, leak);
  }
  *ret_leaks = leaks;
  return TRUE;
}

/* ---- Attacks ---- */

gboolean
assay_run_attack_settings (const AssayPlan *plan, AssayStore *store, const AssayCell *cell,
                           const AssaySettings **ret_settings, guint *ret_candidate, GError **error)
{
  const AssayComponent *component = assay_plan_attack_or_utility (plan, cell);
  g_autofree double *estimates = NULL;
  AssayTuning tuning;

  *ret_candidate = 0;
  *ret_settings = component->settings;
  if (component->candidates == NULL)
    return TRUE;
  if (!assay_store_tuning (store, cell, &tuning, error))
    return FALSE;
  estimates = tuning.estimates;
  *ret_candidate = tuning.chosen;
  if (estimates != NULL && tuning.n != component->candidates->len)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "attack %s: the run store has estimates of %u candidates; expected %u",
                       component->label, tuning.n, component->candidates->len);
  *ret_settings = estimates != NULL ? component->candidates->pdata[*ret_candidate] : NULL;
  return TRUE;
}

gboolean
assay_store_set_starts (AssayStore *store, gsize cell, const AssayStartsRecord *record,
                        GError **error)
{
  g_autofree char *confidence = isnan (record->confidence)
                                    ? g_strdup ("unsaid")
                                    : assay_text_number (record->confidence);
  g_autofree char *text = g_strdup_printf ("%u %u %s", record->n, record->chosen, confidence);

  return assay_store_set_of (store, text, error, "starts %zu", cell);
}

gboolean
assay_store_starts (AssayStore *store, gsize cell, AssayStartsRecord *ret_record, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;
  AssayStartsRecord record = { .confidence = NAN };
  double n, chosen;

  *ret_record = record;
  if (!assay_store_get_of (store, &text, error, "starts %zu", cell))
    return FALSE;
  words = g_strsplit (text != NULL ? text : "", " ", -1);
  if (g_strv_length (words) != 3 || !assay_text_to_double (words[0], &n)
      || !assay_text_to_double (words[1], &chosen) || !(n >= 1 && n < 0x10000)
      || !(chosen >= 0 && chosen < n))
    return TRUE;
  record.n = (guint) n;
  record.chosen = (guint) chosen;
  if (!assay_text_to_double (words[2], &record.confidence))
    record.confidence = NAN;
  *ret_record = record;
  return TRUE;
}

gboolean
assay_store_set_suspect (AssayStore *store, gsize cell, const char *why, GError **error)
{
  return assay_store_set_of (store, why, error, "suspect %zu", cell);
}

gboolean
assay_store_suspect (AssayStore *store, gsize cell, char **ret_why, GError **error)
{
  return assay_store_get_of (store, ret_why, error, "suspect %zu", cell);
}

gboolean
assay_store_set_unrepeated (AssayStore *store, guint defense, GError **error)
{
  return assay_store_set_of (store, "yes", error, "unrepeated %u", defense);
}

gboolean
assay_store_unrepeated (AssayStore *store, const AssayPlan *plan, char **ret_lines, GError **error)
{
  g_autoptr (GString) lines = g_string_new (NULL);

  for (guint d = 0; d < plan->defenses->len; d++) {
    g_autofree char *kept = NULL;

    if (!assay_store_get_of (store, &kept, error, "unrepeated %u", d))
      return FALSE;
    if (kept != NULL)
      g_string_append_printf (lines, "%s%s", lines->len > 0 ? "\n" : "",
                              assay_plan_component (plan->defenses, d)->label);
  }
  *ret_lines = lines->len > 0 ? g_strdup (lines->str) : NULL;
  return TRUE;
}

char *
assay_run_control_key (guint attack, guint candidate)
{
  return g_strdup_printf ("control.%u.%u", attack, candidate);
}

char *
assay_run_like_control_key (guint attack, gsize cell)
{
  return g_strdup_printf ("control.%u.like.%zu", attack, cell);
}

/* "won share n" */
gboolean
assay_store_set_control (AssayStore *store, const char *key, const AssayControlOutcome *outcome,
                         GError **error)
{
  g_autofree char *share = assay_text_number (outcome->share);
  g_autofree char *text
      = g_strdup_printf ("%s %s %zu", outcome->is_won ? "won" : "lost", share, outcome->n);

  return assay_store_set (store, key, text, error);
}

gboolean
assay_store_control (AssayStore *store, const char *key, AssayControlOutcome *ret_outcome,
                     gboolean *ret_is_there, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;

  if (!assay_store_get (store, key, &text, error))
    return FALSE;
  words = g_strsplit (text != NULL ? text : "", " ", 3);
  *ret_is_there = g_strv_length (words) == 3;
  if (*ret_is_there)
    *ret_outcome = (AssayControlOutcome){ .is_won = g_str_equal (words[0], "won"),
                                          .share = g_ascii_strtod (words[1], NULL),
                                          .n = g_ascii_strtoull (words[2], NULL, 10) };
  return TRUE;
}

/* ---- Data ---- */

char *
assay_store_dataset_key (guint index)
{
  return g_strdup_printf ("dataset.%u.sha256", index);
}

gboolean
assay_store_dataset (AssayStore *store, guint index, char **ret_sha256, GError **error)
{
  g_autofree char *key = assay_store_dataset_key (index);

  return assay_store_get (store, key, ret_sha256, error);
}

gboolean
assay_store_set_units (AssayStore *store, guint index, const AssayUnits *units, GError **error)
{
  g_autofree char *effective = assay_text_number (units->n_effective);
  g_autofree char *text
      = g_strdup_printf ("%zu %zu %zu %d %zu %zu %zu %s", units->n, units->n_labelled,
                         units->n_equal, units->is_by_chance, units->n_near, units->n_units,
                         units->n_clusters, effective);

  return assay_store_set_of (store, text, error, "dataset.%u.units", index);
}

gboolean
assay_store_units (AssayStore *store, guint index, AssayUnits *ret_units, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;
  double values[8];

  *ret_units = (AssayUnits){ 0 };
  if (!assay_store_get_of (store, &text, error, "dataset.%u.units", index))
    return FALSE;
  words = g_strsplit (text != NULL ? text : "", " ", -1);
  if (g_strv_length (words) != G_N_ELEMENTS (values))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (!assay_text_to_double (words[i], &values[i]) || !(values[i] >= 0 && values[i] < 0x1p53))
      return TRUE;
  *ret_units = (AssayUnits){ .n = (gsize) values[0],
                             .n_labelled = (gsize) values[1],
                             .n_equal = (gsize) values[2],
                             .is_by_chance = values[3] != 0,
                             .n_near = (gsize) values[4],
                             .n_units = (gsize) values[5],
                             .n_clusters = (gsize) values[6],
                             .n_effective = values[7] };
  return TRUE;
}
