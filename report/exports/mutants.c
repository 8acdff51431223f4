/* What an audit saw of mutants of its own defenses: for a terminal, and as a part of results.json.
 * */
#include <string.h>

#include "core/base/json.h"
#include "report/exports/exports.h"

static gboolean
is_seen (const AssayResultMutant *mutant)
{
  return mutant->verdict == ASSAY_MUTANT_SEEN || mutant->verdict == ASSAY_MUTANT_STOPPED;
}

/* The ids of those with @verdict, with ", " between. */
static char *
list_ids (const AssayResultMutants *mutants, AssayMutantVerdict verdict)
{
  GString *text = g_string_new (NULL);

  ASSAY_FOR_EACH_IN (const AssayResultMutant, one, mutants->all) {
    if (one->verdict == verdict)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", one->id);
  }
  return g_string_free (text, FALSE);
}

static void
append_ids (GString *text, const char *what, const AssayResultMutants *mutants,
            AssayMutantVerdict verdict)
{
  g_autofree char *ids = list_ids (mutants, verdict);

  if (*ids != '\0')
    g_string_append_printf (text, "  %s: %s\n", what, ids);
}

char *
assay_report_mutants_sentence (const AssayResultMutants *mutants)
{
  if (mutants->is_stale)
    return g_strdup (
        "the mutants beside this run are of another plan, of other claims or "
        "data, or by another version, and say nothing of it; expected 'assay selftest --mutants' "
        "again");
  return g_strdup_printf ("this audit would have seen %u of %u mutants", mutants->n_seen,
                          mutants->n_counted);
}

char *
assay_report_mutants_short (const AssayResultMutants *mutants)
{
  g_autofree char *sentence = assay_report_mutants_sentence (mutants);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%s\n", sentence);
  if (!mutants->is_stale) {
    append_ids (text, "could have seen", mutants, ASSAY_MUTANT_SEEN);
    append_ids (text, "would not have passed", mutants, ASSAY_MUTANT_STOPPED);
    append_ids (text, "not looked at", mutants, ASSAY_MUTANT_MISSED);
    if (mutants->note != NULL)
      g_string_append_printf (text, "  %s\n", mutants->note);
  }
  return g_string_free (text, FALSE);
}

char *
assay_report_mutants (const AssayResultMutants *mutants)
{
  GString *text = g_string_new (NULL);
  gsize width = 0;

  ASSAY_FOR_EACH_IN (const AssayResultMutant, one, mutants->all) {
    width = MAX (width, strlen (one->id));
  }
  ASSAY_FOR_EACH_IN (const AssayResultMutant, one, mutants->all) {
    g_string_append_printf (text, "%-14s %-*s  %s\n", assay_mutant_verdict_name (one->verdict),
                            (int) width, one->id, one->says);
    if (one->verdict == ASSAY_MUTANT_MISSED)
      g_string_append_printf (text, "%*s  what would see it: %s\n", (int) (14 + 1 + width), "",
                              one->seen_by);
    else if (!is_seen (one))
      g_string_append_printf (text, "%*s  %s\n", (int) (14 + 1 + width), "", one->reason);
  }
  g_string_append_printf (text, "\nthis audit would have seen %u of %u mutants\n", mutants->n_seen,
                          mutants->n_counted);
  if (mutants->note != NULL)
    g_string_append_printf (text, "  %s\n", mutants->note);
  return g_string_free (text, FALSE);
}

void
assay_report_mutants_json (const AssayResultMutants *mutants, AssayJson *json)
{
  assay_json_write (json, "mutants {stale %i seen %u counted %u all [", mutants->is_stale,
                    mutants->n_seen, mutants->n_counted);
  ASSAY_FOR_EACH_IN (const AssayResultMutant, one, mutants->all)
    assay_json_write (json, "{family %s id %s verdict %s claim %s}", one->family, one->id,
                      assay_mutant_verdict_name (one->verdict), one->claim);
  assay_json_write (json, "]}");
}

char *
assay_report_mutants_file (const AssayResultMutants *mutants)
{
  AssayJson *json = assay_json_new ();

  assay_json_write (json, "{format %s plan_sha256 %s claims_sha256 %s data_sha256 %s",
                    ASSAY_MUTANTS_FORMAT, mutants->plan_sha256, mutants->claims_sha256,
                    mutants->data_sha256);
  assay_json_write (json, "version %s note %s seen %u counted %u mutants [", mutants->version,
                    mutants->note, mutants->n_seen, mutants->n_counted);
  ASSAY_FOR_EACH_IN (const AssayResultMutant, one, mutants->all)
    assay_json_write (json,
                      "{family %s id %s says %s seen_by %s verdict %s claim %s reason %s}",
                      one->family, one->id, one->says, one->seen_by,
                      assay_mutant_verdict_name (one->verdict), one->claim, one->reason);
  assay_json_write (json, "]}");
  return assay_json_finish (json);
}
