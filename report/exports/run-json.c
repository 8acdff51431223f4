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
  assay_json_write (json, "assay {version %s commit %s}", ASSAY_VERSION, ASSAY_COMMIT);
}

void
assay_report_write_plugins (AssayJson *json, const GArray *plugins, gboolean has_paths)
{
  if (plugins->len == 0)
    return;
  assay_json_write (json, "plugins [");
  ASSAY_FOR_EACH_IN (const AssayLoaded, plugin, plugins) {
    assay_json_write (json, "{type %s id %s sha256 %s", plugin->type, plugin->id, plugin->sha256);
    if (has_paths)
      assay_json_write (json, "file %s", plugin->path);
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
  assay_json_write (json, "{format %s", "assay-run/1");
  assay_report_write_version (json);
  assay_json_write (json, "machine {system %s release %s architecture %s processors %ld}",
                    machine.sysname, machine.release, machine.machine,
                    sysconf (_SC_NPROCESSORS_ONLN));
  assay_json_write (json, "libraries {blas %s glib %s sqlite %s}", results->blas, glib,
                    results->sqlite);
  assay_report_write_plugins (json, results->plugins, TRUE);
  assay_report_warnings_json (results, json);
  assay_report_unrepeated_json (results, json);
  if (run->threads > 0)
    assay_json_write (json, "threads %u", run->threads);
  else
    assay_json_member_string (json, "threads", NULL);
  assay_json_write (json, "run %zu", results->serial);
  write_time (json, "start", run->started_us);
  write_time (json, "end", run->ended_us);
  assay_json_write (json, "seconds {");
  if (!assay_results_each_cell (results, FALSE, write_seconds, json, error))
    return FALSE;
  assay_json_write (json, "}}");
  return TRUE;
}
