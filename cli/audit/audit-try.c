/* Trying the defense before an audit of it is planned. */
#include "cli/audit/audit.h"
#include "cli/cli.h"
#include "core/plugin/external.h"
#include "runner/by-hand/steps-by-hand.h"
#include "runner/run/made.h"

/* What is protected to try it. */
typedef struct {
  AssaySecrets secrets;
  AssayKnowledge knowledge;
} Trying;

static AssayRelease *
protect_with (const CliAudit *audit, const Trying *trying, const char *key, GError **error)
{
  const AssayProtecting how = { .settings = audit->settings,
                                .stream = assay_stream_key (audit->seed, 0, "audit-try", ""),
                                .common = assay_stream_key (audit->seed, 0, "audit-try-key", key),
                                .knowledge = &trying->knowledge };
  g_autoptr (AssayTruth) truth = NULL;
  AssayRelease *release = NULL;

  return assay_step_protect (audit->defense, &how, &trying->secrets, &release, &truth, error)
             ? release
             : NULL;
}

/* Twice, on as many rows as a trial has: what is wrong with it shows here, before anything is
 * planned; and how long it takes, and whether another key makes another release. */
static gboolean
try_with (CliAudit *audit, const Trying *trying, GError **error)
{
  const AssayExternal *external = assay_plugin_external ((const AssayPlugin *) audit->defense);
  const gint64 began = g_get_monotonic_time ();
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayRelease) other = NULL;

  if (external != NULL && external->locate != NULL)
    external->locate ((gpointer) audit->settings->values, audit->folder);
  release = protect_with (audit, trying, "one", error);
  other = release != NULL ? protect_with (audit, trying, "another", error) : NULL;
  if (other == NULL)
    return FALSE;
  audit->run_seconds = (double) (g_get_monotonic_time () - began) / 2 / G_USEC_PER_SEC;
  audit->released_cols = assay_release_cols (release);
  /* The function that makes codes is granted by itself. */
  audit->has_key = audit->kind != ASSAY_RELEASE_CODES && !made_equals (release, other);
  return TRUE;
}

gboolean
cli_audit_try (CliAudit *audit, AssayView secrets, const CliAuditData *data, const gsize *order,
               GError **error)
{
  g_autoptr (AssayRows) public_rows = assay_rows_borrow (audit->public_rows);
  g_autoptr (AssayRows) database = NULL;
  g_autofree gint64 *classes = g_new0 (gint64, secrets.rows);
  Trying trying = { .secrets = { .rows = secrets, .n_classes = data->n_classes },
                    .knowledge = { .public_rows = public_rows } };

  trying.secrets.geometry = audit->geometry;
  if (!cli_open_rows (audit->database, "database", &database, error))
    return FALSE;
  trying.knowledge.database = database;
  for (gsize i = 0; data->labels != NULL && i < secrets.rows; i++)
    classes[i] = data->labels[order[i]];
  trying.secrets.labels = data->labels != NULL ? classes : NULL;
  return try_with (audit, &trying, error);
}
