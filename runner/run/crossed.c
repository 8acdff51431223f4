/* The second release of the game cross. */
#include "runner/run/records.h"

#include <string.h>

#define MOST (gsize) 1000 /* items, whose pairs with all of the first release are scored */

static AssayStreamKey
key_of (const AssayRecordsDraw *draw, const char *role)
{
  g_autofree char *name = g_strdup_printf ("%s%s", draw->is_tuning ? "tune-" : "", role);
  AssayCell keyed = *draw->cell;

  if (draw->is_tuning)
    keyed.trial = 0;
  return assay_plan_stream (draw->plan, &keyed, name, NULL);
}

/* Protects the secrets @mates, in this order, with randomness and a key of their own. */
static gboolean
protect (const AssayRecordsDraw *draw, const gint64 *mates, gsize m, Made *made, GError **error)
{
  const AssayComponent *component = assay_plan_defense (draw->plan, draw->cell);
  const AssaySecrets *all = draw->secrets;
  g_autoptr (AssayMatrix) rows = assay_matrix_new (m, all->rows.cols, error);
  g_autofree gint64 *labels = all->labels != NULL ? g_new (gint64, m) : NULL;
  AssaySecrets secrets = { .labels = labels,
                           .n_classes = all->n_classes,
                           .geometry = all->geometry,
                           .position = draw->position };
  const AssayProtecting how = { .settings = component->settings,
                                .stream = key_of (draw, "crossed"),
                                .common = key_of (draw, "crossed-key"),
                                .knowledge = draw->knowledge };
  AssayTruth *truth = NULL;
  gboolean is_ok;

  if (rows == NULL)
    return FALSE;
  for (gsize j = 0; j < m; j++) {
    memcpy (assay_matrix_row (rows, j), assay_view_row (all->rows, (gsize) mates[j]),
            rows->cols * sizeof (float));
    if (labels != NULL)
      labels[j] = all->labels[mates[j]];
  }
  secrets.rows = assay_matrix_view (rows);
  is_ok = assay_step_protect (component->defense, &how, &secrets, &made->crossed, &truth, error);
  assay_truth_free (truth);
  return is_ok || assay_prefix (error, "second release: ");
}

static gboolean
draw_crossed (const AssayRecordsDraw *draw, Made *made, GError **error)
{
  const AssayExternal *external
      = assay_plugin_external (assay_plan_defense (draw->plan, draw->cell)->plugin);
  const gsize n = draw->secrets->rows.rows, m = MIN (n, MOST);
  AssayStream stream = assay_stream (key_of (draw, "crossed-order"), 0);
  g_autofree gsize *chosen = g_new (gsize, n);
  gint64 *mates;

  if (external != NULL && external->verify != NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the game cross asks for a second release under another key, which an "
                       "external release has not; expected a defense that can be run");
  assay_stream_permutation (&stream, n, chosen);
  mates = g_new (gint64, m);
  for (gsize j = 0; j < m; j++)
    mates[j] = (gint64) chosen[j];
  if (!protect (draw, mates, m, made, error)) {
    g_free (mates);
    return FALSE;
  }
  assay_arrays_take (&made->truth->arrays, "mates", assay_array_take (ASSAY_INT64, 1, &m, mates));
  return TRUE;
}

gboolean
assay_crossed_grant (const AssayRecordsDraw *draw, Made *made, const AssayRelease **ret_crossed,
                     GError **error)
{
  const AssayComponent *component = assay_plan_attack (draw->plan, draw->cell);
  const AssayAttack *attack = assay_attack_of (component->plugin);
  const gboolean is_played
      = attack != NULL
        && assay_attack_plays (attack, component->settings->values) == ASSAY_GAME_CROSS;

  if (is_played && made->crossed == NULL && !draw_crossed (draw, made, error))
    return FALSE;
  *ret_crossed = is_played ? made->crossed : NULL;
  return TRUE;
}
