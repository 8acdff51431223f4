/* Shadow releases for programs. */
#include "attacks/external/exec-shadows.h"

#include "attacks/adaptive/cross-runs.h"
#include "attacks/adaptive/member-runs.h"

/* Each record is in half of the runs, and the runs of both halves of them. */
#define RUNS_TOGETHER 4

static gboolean
write_run (AssayExecFolder *folder, gsize run, const AssayOwnRelease *own, GError **error)
{
  g_autofree char *name = g_strdup_printf ("shadows/%zu", run);

  return assay_exec_folder_add_release (folder, name, own->release, error);
}

static AssayArray *
members_of (const MemberRuns *runs)
{
  const gsize shape[] = { runs->n_runs, runs->n_records };
  gint64 *is_in = g_new (gint64, shape[0] * shape[1]);

  for (gsize i = 0; i < shape[0] * shape[1]; i++)
    is_in[i] = runs->is_in[i];
  return assay_array_take (ASSAY_INT64, 2, shape, is_in);
}

gboolean
exec_shadows_of_records (AssayExecFolder *folder, const AssayObservation *seen, GError **error)
{
  const gsize n_runs
      = seen->shadow != NULL
            ? (gsize) (assay_shadow_left (seen->shadow) / RUNS_TOGETHER * RUNS_TOGETHER)
            : 0;
  g_auto (MemberRuns) runs = { 0 };
  g_autoptr (AssayArray) members = NULL;

  if (n_runs == 0)
    return TRUE;
  if (!member_runs_init (&runs, seen, n_runs, error))
    return FALSE;
  members = members_of (&runs);
  for (gsize r = 0; r < n_runs; r++) {
    g_autoptr (AssayOwnRelease) own = member_runs_play (&runs, runs.is_in, r, error);

    if (own == NULL || !write_run (folder, r, own, error))
      return FALSE;
  }
  return assay_exec_folder_add_array (folder, "members", members, error);
}

gboolean
exec_shadows_of_keys (AssayExecFolder *folder, const AssayObservation *seen, GError **error)
{
  g_autoptr (GPtrArray) runs = NULL;

  if (seen->shadow == NULL || seen->public_rows == NULL || assay_shadow_left (seen->shadow) < 2)
    return TRUE;
  runs = cross_runs_make (seen, error);
  for (guint r = 0; runs != NULL && r < runs->len; r++)
    if (!write_run (folder, r, runs->pdata[r], error))
      return FALSE;
  return runs != NULL;
}
