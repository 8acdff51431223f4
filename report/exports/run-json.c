/* run.json: with what, when and under which confinement a run was made; and what results.json says
 * of it, too. */
#include <sys/utsname.h>
#include <unistd.h>

#include "config.h"
#include "core/base/json.h"
#include "report/exports/exports.h"

void
assay_report_write_version (AssayJson *json)
{
  assay_json_member_object (json, "assay");
  assay_json_member_string (json, "version", ASSAY_VERSION);
  assay_json_member_string (json, "commit", ASSAY_COMMIT);
  assay_json_end_object (json);
}

void
assay_report_write_plugins (AssayJson *json, const GArray *plugins, gboolean has_paths)
{
  if (plugins->len == 0)
    return;
  assay_json_member_array (json, "plugins");
  ASSAY_FOR_EACH_IN (const AssayLoaded, plugin, plugins) {
    assay_json_begin_object (json);
    assay_json_member_string (json, "type", plugin->type);
    assay_json_member_string (json, "id", plugin->id);
    assay_json_member_string (json, "sha256", plugin->sha256);
    if (has_paths)
      assay_json_member_string (json, "file", plugin->path);
    assay_json_end_object (json);
  }
  assay_json_end_array (json);
}

static void
write_time (AssayJson *json, const char *key, gint64 us)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (us / G_USEC_PER_SEC);
  /* A clock that was wrong may have said what is beyond the calendar. */
  g_autofree char *text = us != 0 && time != NULL ? g_date_time_format_iso8601 (time) : NULL;

  assay_json_member_string (json, key, text);
}

static gboolean
write_seconds (const AssayResultCell *cell, gpointer json, G_GNUC_UNUSED GError **error)
{
  assay_json_member_double (json, cell->id, cell->seconds);
  return TRUE;
}

gboolean
assay_report_write_run_json (const AssayResults *results, const AssayReportRun *run,
                             AssayJson *json, GError **error)
{
  g_autofree char *glib
      = g_strdup_printf ("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
  struct utsname machine = { 0 };

  uname (&machine);
  assay_json_begin_object (json);
  assay_json_member_string (json, "format", "assay-run/1");
  assay_report_write_version (json);
  assay_json_member_object (json, "machine");
  assay_json_member_string (json, "system", machine.sysname);
  assay_json_member_string (json, "release", machine.release);
  assay_json_member_string (json, "architecture", machine.machine);
  assay_json_member_int (json, "processors", sysconf (_SC_NPROCESSORS_ONLN));
  assay_json_end_object (json);
  assay_json_member_object (json, "libraries");
  assay_json_member_string (json, "blas", results->blas);
  assay_json_member_string (json, "glib", glib);
  assay_json_member_string (json, "sqlite", results->sqlite);
  assay_json_end_object (json);
  assay_report_write_plugins (json, results->plugins, TRUE);
  assay_report_confinement_json (results, json);
  assay_json_key (json, "threads");
  if (run->threads > 0)
    assay_json_int (json, run->threads);
  else
    assay_json_string (json, NULL);
  assay_json_member_int (json, "run", (gint64) results->serial);
  write_time (json, "start", run->started_us);
  write_time (json, "end", run->ended_us);
  assay_json_member_object (json, "seconds");
  if (!assay_results_each_cell (results, FALSE, write_seconds, json, error))
    return FALSE;
  assay_json_end_object (json);
  assay_json_end_object (json);
  return TRUE;
}
