/* Scripts that count an event again. */
#include "runner/witness/witness-files.h"

#include "core/base/error.h"
#include "core/base/output-file.h"
#include "core/data/npy.h"

static gboolean
write_array (const char *place, const char *name, const AssayArray *array, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s-%s.npy", place, name);

  return assay_npy_write (path, array, error);
}

static gboolean
write_script (const char *place, const AssayAuditRecord *audit, const char *python, GError **error)
{
  g_autofree char *path = g_strconcat (place, ".py", NULL);
  g_autoptr (GString) says = g_string_new (audit->says);
  g_autofree char *text = NULL;
  g_autoptr (GError) problem = NULL;

  g_string_replace (says, "\\", "\\\\", 0);
  g_string_replace (says, "\"", "'", 0);
  text = g_strdup_printf (
      "\"\"\"Counts again how often the event of an audit was seen.\n\n%s\n\"\"\"\n%s%s"
      "\nFIRST = %u  # whose event it is\n%s",
      says->str, assay_witness_head, python != NULL ? python : "", audit->is_swapped ? 1u : 0u,
      assay_witness_count);
  return g_file_set_contents (path, text, -1, &problem)
         || assay_fail (error, ASSAY_ERROR_IO, "%s: %s", path, problem->message);
}

gboolean
assay_witness_files_write (const char *place, const AssayAuditRecord *audit,
                           const AssayCounted *counted, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (place);

  return assay_output_folder_make (folder, error)
         && write_array (place, "first", counted->outputs[0], error)
         && write_array (place, "second", counted->outputs[1], error)
         && write_array (place, "events", counted->marks, error)
         && write_script (place, audit, counted->python, error);
}
