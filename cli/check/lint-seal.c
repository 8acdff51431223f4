/* Whether the claims are those that a run of the plan began with. */
#include <unistd.h>

#include "cli/check/lint.h"
#include "runner/store/folder.h"
#include "runner/store/manifest.h"
#include "runner/store/seal.h"

static gboolean
check_seal (AssayStore *store, const AssayPlan *plan, const char *folder, GPtrArray *doubts,
            GError **error)
{
  g_autofree char *sha256 = NULL;
  g_autofree char *sealed = NULL;
  AssaySeal seal;

  if (!assay_store_get (store, ASSAY_META_PLAN, &sha256, error))
    return FALSE;
  if (g_strcmp0 (sha256, plan->sha256) != 0) /* the run of another plan, which 'run' refuses */
    return TRUE;
  if (!assay_seal_read (store, plan, &seal, &sealed, error))
    return FALSE;
  if (seal == ASSAY_SEAL_BROKEN)
    assay_doubt (doubts,
                 "the claims are not those that the run in %s was begun with, so that it could not "
                 "be gone on with to exit code 0; expected those, or a new run",
                 folder);
  return TRUE;
}

gboolean
assay_lint_seal (const AssayPlan *plan, const char *out, GPtrArray *inout_doubts, GError **error)
{
  g_autofree char *folder = out != NULL ? g_strdup (out) : assay_folder_default (plan);
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  AssayStore *store = NULL;
  gboolean is_ok = FALSE;
  int lock = 0;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (assay_folder_hold (folder, TRUE, &lock, error))
    store = assay_store_open (folder, FALSE, error);
  if (store != NULL)
    is_ok = check_seal (store, plan, folder, inout_doubts, error);
  assay_store_close (store);
  if (lock != 0)
    close (lock);
  return is_ok;
}
