/* What cells that ended well say. */
#include "core/base/each.h"
#include "core/base/text.h"
#include "report/exports/exports.h"

static void
said_free (gpointer data)
{
  AssayReportSaid *said = data;

  g_string_free (said->attacks, TRUE);
  g_free (said->message);
  g_free (said);
}

GPtrArray *
assay_report_said (const AssayResults *results)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (said_free);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    g_autofree char *key = g_strdup_printf ("%s\n%s", cell->defense->name, cell->message);
    AssayReportSaid *said = g_hash_table_lookup (known, key);

    if (cell->status != ASSAY_RESULT_OK || *cell->message == '\0')
      continue;
    if (said != NULL) {
      g_string_append_printf (said->attacks, ", %s", cell->attack_or_utility->name);
      continue;
    }
    said = g_new (AssayReportSaid, 1);
    *said = (AssayReportSaid){ .attacks = g_string_new (cell->attack_or_utility->name),
                               .defense = cell->defense->name,
                               .message = assay_text_plain (cell->message) };
    g_ptr_array_add (all, said);
    g_hash_table_insert (known, g_steal_pointer (&key), said);
  }
  return all;
}
