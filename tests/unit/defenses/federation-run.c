/* Small federations, for the tests of defenses that release model updates. */
#include "tests/unit/defenses/federation-run.h"

#include <criterion/criterion.h>

#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"

#define ROWS FEDERATION_RUN_ROWS
#define COLS FEDERATION_RUN_COLS

static const char base[] = "users=4 steps=3 sparsity=0.5 start=zero standardise=no rate=0.05";

void
federation_run_clear (FederationRun *run)
{
  assay_release_free (run->release);
  assay_truth_free (run->truth);
}

gboolean
federation_run_play (const char *name, const char *more, FederationRun *ret_run, GError **error)
{
  g_autofree char *assignments = g_strdup_printf ("%s %s", base, more);

  return federation_run_play_alone (name, assignments, ret_run, error);
}

gboolean
federation_run_play_alone (const char *name, const char *assignments, FederationRun *ret_run,
                           GError **error)
{
  const AssayDefense *defense
      = (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, name, NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  AssayStream stream = assay_stream (assay_stream_key (8, 0, "test", "dphe"), 0);
  gint64 labels[ROWS];
  AssayDefenseContext context = { .settings = settings->values,
                                  .stream = assay_stream_key (9, 0, "defense", ""),
                                  .common_stream = assay_stream_key (9, 0, "common", ""),
                                  .labels = labels,
                                  .n_classes = FEDERATION_RUN_CLASSES };
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (ROWS, COLS, NULL);

  for (gsize i = 0; i < ROWS; i++) {
    labels[i] = (gint64) (i % FEDERATION_RUN_CLASSES);
    for (gsize j = 0; j < COLS; j++)
      secrets->data[i * COLS + j]
          = (float) (assay_stream_normal (&stream) + (j == i % FEDERATION_RUN_CLASSES ? 2 : 0));
  }
  ret_run->release = assay_release_new (ASSAY_RELEASE_UPDATES, name);
  ret_run->truth = assay_truth_new ();
  assay_arrays_take_rows (&ret_run->truth->arrays, "secrets", ASSAY_FLOAT32, ROWS, COLS,
                          g_memdup2 (secrets->data, ROWS * COLS * sizeof (float)));
  if (!defense->protect (&context, assay_matrix_view (secrets), ret_run->release, ret_run->truth,
                         error))
    return FALSE;
  cr_assert (assay_release_check (ret_run->release, error), "%s", (*error)->message);
  return TRUE;
}
