/* Runs of a defense on an attacker's rows, made once. */
#include "runner/run/own/own-runs.h"

struct _AssayOwnRuns {
  GMutex mutex;
  GHashTable *made; /* of AssayShadowMade, by name */
  gsize bytes;
};

static ASSAY_FREE_FUNC (AssayShadowMade, made_free, assay_release_free (self->release),
                        assay_truth_free (self->truth))

AssayOwnRuns *
assay_own_runs_new (void)
{
  AssayOwnRuns *runs = g_new0 (AssayOwnRuns, 1);

  g_mutex_init (&runs->mutex);
  runs->made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) made_free);
  return runs;
}

ASSAY_FREE_FUNC (AssayOwnRuns, assay_own_runs_free, g_hash_table_unref (self->made),
                 g_mutex_clear (&self->mutex))

gsize
assay_own_runs_bytes (AssayOwnRuns *runs)
{
  gsize bytes;

  g_mutex_lock (&runs->mutex);
  bytes = runs->bytes;
  g_mutex_unlock (&runs->mutex);
  return bytes;
}

/* NULL is another text than any values. */
static void
add_values (GChecksum *checksum, gconstpointer values, gsize bytes)
{
  const guint8 is_there = values != NULL;

  g_checksum_update (checksum, &is_there, 1);
  if (is_there && bytes > 0)
    g_checksum_update (checksum, values, (gssize) bytes);
}

char *
assay_own_runs_name (guint64 number, guint grants, const AssaySecrets *secrets)
{
  const gsize n = secrets->rows.rows, q = secrets->n_attributes;
  const guint changing
      = grants & (ASSAY_GRANT_KEY | ASSAY_GRANT_HASH_FUNCTION | ASSAY_GRANT_DATABASE);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  add_values (checksum, secrets->rows.data, n * secrets->rows.cols * sizeof (float));
  add_values (checksum, secrets->labels, n * sizeof (gint64));
  add_values (checksum, secrets->attributes, n * q * sizeof (gint64));
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %x %zu %zu %s", number, changing, n, q,
                          g_checksum_get_string (checksum));
}

/* The same numbers, in a release and a truth of their own. */
static AssayShadowMade
view_of (const AssayShadowMade *made)
{
  AssayShadowMade view = { .seconds = made->seconds };

  view.release = assay_release_granted (made->release, (guint) ~ASSAY_GRANT_NO_PARAMETERS);
  view.truth = assay_truth_new ();
  view.truth->geometry = made->truth->geometry;
  assay_arrays_copy (&view.truth->arrays, &made->truth->arrays);
  return view;
}

gboolean
assay_own_runs_find (AssayOwnRuns *runs, const char *name, AssayShadowMade *ret_made)
{
  const AssayShadowMade *made;

  g_mutex_lock (&runs->mutex);
  made = g_hash_table_lookup (runs->made, name);
  if (made != NULL)
    *ret_made = view_of (made);
  g_mutex_unlock (&runs->mutex);
  return made != NULL;
}

void
assay_own_runs_keep (AssayOwnRuns *runs, const char *name, const AssayShadowMade *made)
{
  const gsize bytes
      = assay_arrays_bytes (&made->release->arrays) + assay_arrays_bytes (&made->truth->arrays);

  g_mutex_lock (&runs->mutex);
  if (runs->bytes + bytes <= ASSAY_OWN_RUNS_BYTES && !g_hash_table_contains (runs->made, name)) {
    const AssayShadowMade view = view_of (made);

    g_hash_table_insert (runs->made, g_strdup (name), g_memdup2 (&view, sizeof view));
    runs->bytes += bytes;
  }
  g_mutex_unlock (&runs->mutex);
}
