/* Running a defense on an attacker's rows, and keeping what it made of them. */
#include "runner/run/own/own-pairs.h"

#include <string.h>

#include "core/base/each.h"
#include "core/base/shared-work.h"
#include "runner/plan/own-rows.h"
#include "runner/run/own/own-runs.h"

struct _AssayOwnStore {
  GHashTable *pairs; /* of AssayPairs, by what they depend on beside the release */
  AssayOwnRuns *runs;
};

AssayOwnStore *
assay_own_store_new (void)
{
  AssayOwnStore *store = g_new (AssayOwnStore, 1);

  store->runs = assay_own_runs_new ();
  store->pairs
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) assay_pairs_free);
  return store;
}

ASSAY_FREE_FUNC (AssayOwnStore, assay_own_store_free, g_hash_table_unref (self->pairs),
                 assay_own_runs_free (self->runs))

gsize
assay_own_store_bytes (const AssayOwnStore *store)
{
  GHashTableIter iter;
  gpointer pairs;
  gsize bytes;

  if (store == NULL)
    return 0;
  /* What pairs share with runs counts twice. */
  bytes = assay_own_runs_bytes (store->runs);
  g_hash_table_iter_init (&iter, store->pairs);
  while (g_hash_table_iter_next (&iter, NULL, &pairs))
    bytes += assay_pairs_bytes (pairs);
  return bytes;
}

/* ---- One run of the defense ---- */

/* What a handle is made of: nothing in it was not granted, but the defense and its settings. */
typedef struct {
  AssayReleaseTerms terms;
  AssayCell cell; /* that of the terms */
  guint grants;
  AssayKnowledge knowledge;                       /* borrowed, as the dataset */
  const AssayRoleData *public_data, *record_data; /* borrowed */
  gsize n_public, n_classes;
  AssayGeometry geometry;
  AssayRelease *key_of; /* NULL: its key is not granted */
  AssayOwnRuns *made;   /* borrowed: runs that were made before */
} Run;

static ASSAY_FREE_FUNC (Run, run_free, assay_release_free (self->key_of))

/* Fresh randomness for each run, but for the key where that is granted. */
static AssayProtecting
protecting (const Run *run, guint64 number)
{
  const gboolean has_key = (run->grants & ASSAY_GRANT_KEY) != 0;

  return (AssayProtecting){
    .settings = assay_plan_defense (run->terms.plan, &run->cell)->settings,
    .stream = assay_release_terms_stream (&run->terms, "own-%" G_GUINT64_FORMAT, number),
    .common = has_key
                  ? assay_release_terms_stream (&run->terms, "defense")
                  : assay_release_terms_stream (&run->terms, "own-key-%" G_GUINT64_FORMAT, number),
    .knowledge = &run->knowledge,
    .key_of = run->key_of,
  };
}

/* What the attacker would see of it, if it were under attack. */
static AssayRelease *
seen_of (AssayRelease *release, guint grants)
{
  AssayRelease *seen = assay_release_granted (release, grants);

  assay_release_free (release);
  seen->owner = assay_shared_owner ();
  seen->is_copy = FALSE;
  return seen;
}

/* What is known of each of the public rows, or NULL. */
static const AssayArray *
of_all (const AssayArray *known, gsize n_public)
{
  return known != NULL && known->shape[0] == n_public ? known : NULL;
}

/* Of rows that have numbers, what is known of each of them; NULL where it is not of all. */
static gint64 *
known_of (const AssayOwnRows *own, const AssayArray *of_records, const AssayArray *of_public,
          gsize *ret_width)
{
  const gsize n = own->rows.rows;
  const AssayArray *any = own->n_records > 0 ? of_records : of_public;
  gint64 *known;

  if (own->numbers == NULL || any == NULL || (own->n_records < n && of_public == NULL))
    return NULL;
  *ret_width = any->n_dimensions > 1 ? any->shape[1] : 1;
  known = g_new (gint64, n * *ret_width);
  for (gsize i = 0; i < n; i++)
    memcpy (known + i * *ret_width,
            assay_array_int64 (i < own->n_records ? of_records : of_public)
                + own->numbers[i] * *ret_width,
            *ret_width * sizeof (gint64));
  return known;
}

/* Finds the run, or makes it. */
static gboolean
protect_once (const Run *run, guint64 number, const AssaySecrets *secrets,
              AssayShadowMade *ret_made, GError **error)
{
  const AssayComponent *component = assay_plan_defense (run->terms.plan, &run->cell);
  const AssayProtecting how = protecting (run, number);
  g_autofree char *name = assay_own_runs_name (number, run->grants, secrets);
  const gint64 start = g_get_monotonic_time ();
  AssayShadowMade kept;

  if (assay_own_runs_find (run->made, name, ret_made))
    return TRUE;
  if (!assay_step_protect (component->defense, &how, secrets, &ret_made->release, &ret_made->truth,
                           error))
    return FALSE;
  kept = *ret_made;
  kept.seconds = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  assay_own_runs_keep (run->made, name, &kept);
  return TRUE;
}

static gboolean
run_defense (gconstpointer data, guint64 number, const AssayOwnRows *own, AssayShadowMade *ret_made,
             GError **error)
{
  const Run *run = data;
  gsize one = 1, q = 0;
  g_autofree gint64 *labels = known_of (own, run->record_data->labels,
                                        of_all (run->public_data->labels, run->n_public), &one);
  g_autofree gint64 *attributes = known_of (
      own, run->record_data->attributes, of_all (run->public_data->attributes, run->n_public), &q);
  const AssaySecrets secrets = {
    .rows = own->rows,
    .labels = own->labels != NULL ? own->labels : labels,
    .attributes = own->attributes != NULL ? own->attributes : attributes,
    .n_attributes = own->attributes != NULL ? own->n_attributes : q,
    .n_classes = run->n_classes,
    .geometry = run->geometry,
  };

  if (!protect_once (run, number, &secrets, ret_made, error))
    return FALSE;
  ret_made->release = seen_of (ret_made->release, run->grants);
  return TRUE;
}

/* ---- Handles ---- */

static const AssayComponent *
attack_of (const AssayOwnGrant *grant)
{
  return assay_plan_attack (grant->terms->plan, grant->terms->cell);
}

/* Whoever holds the hash function of a release uses it in runs of their own. */
static AssayRelease *
key_release (const AssayOwnGrant *grant, guint grants)
{
  AssayRelease *seen;

  if (!(grants & (ASSAY_GRANT_KEY | ASSAY_GRANT_HASH_FUNCTION)))
    return NULL;
  seen = assay_release_granted (grant->release, grants | ASSAY_GRANT_HASH_FUNCTION);
  if (assay_release_holds (seen) & ASSAY_GRANT_HASH_FUNCTION)
    return seen;
  assay_release_free (seen);
  return NULL;
}

static gboolean
knows_key (const AssayOwnGrant *grant, guint grants)
{
  return (grants & ASSAY_GRANT_KEY)
         || ((grants & ASSAY_GRANT_HASH_FUNCTION)
             && (assay_release_holds (grant->release) & ASSAY_GRANT_HASH_FUNCTION));
}

/* @spent: runs that were made before. */
static AssayShadow *
new_shadow (const AssayOwnStore *store, const AssayOwnGrant *grant, guint64 spent)
{
  const AssayComponent *attack = attack_of (grant);
  const AssayDataset *dataset = grant->terms->dataset;
  const gboolean has_database = (attack->grants & ASSAY_GRANT_DATABASE) != 0;
  Run *run = g_new (Run, 1);

  *run = (Run){ .terms = *grant->terms,
                .cell = *grant->terms->cell,
                .grants = attack->grants,
                .knowledge = { .database = has_database ? dataset->database : dataset->public_rows,
                               .public_rows = dataset->public_rows,
                               .public_labels = assay_role_labels (&dataset->public_data) },
                .public_data = &dataset->public_data,
                .record_data = grant->records,
                .n_public = assay_rows_count (dataset->public_rows),
                .n_classes = dataset->n_classes,
                .geometry = dataset->geometry,
                .key_of = key_release (grant, attack->grants),
                .made = store->runs };
  run->terms.cell = &run->cell;
  return assay_shadow_new (
      &(AssayShadowTerms){ .run = run_defense,
                           .data = run,
                           .free_data = (GDestroyNotify) run_free,
                           .runs = attack->own.runs,
                           .spent = spent,
                           .seconds = attack->own.seconds,
                           .choice = assay_release_terms_stream (&run->terms, "own-choice-0"),
                           .n_secrets = grant->terms->secrets->rows.rows,
                           .has_key = knows_key (grant, attack->grants) });
}

static gboolean
can_run (const AssayOwnGrant *grant)
{
  const AssayExternal *external
      = assay_plugin_external (assay_plan_defense (grant->terms->plan, grant->terms->cell)->plugin);

  return (attack_of (grant)->grants & ASSAY_GRANT_MECHANISM) != 0
         && (external == NULL || external->verify == NULL)
         && grant->terms->dataset->public_rows != NULL;
}

/* ---- Pairs ---- */

static AssayPairs *
make_pairs (const AssayOwnStore *store, const AssayOwnGrant *grant, GError **error)
{
  const gsize n_public = assay_rows_count (grant->terms->dataset->public_rows);
  const AssayRoleData *known = &grant->terms->dataset->public_data;
  const AssayArray *labels = of_all (known->labels, n_public);
  g_autoptr (AssayShadow) shadow = new_shadow (store, grant, 0);

  return assay_shadow_pairs (
      shadow,
      &(AssayOwnPool){ .rows = grant->terms->dataset->public_rows,
                       .labels = labels != NULL ? assay_array_int64 (labels) : NULL,
                       .attributes = of_all (known->attributes, n_public),
                       .most = attack_of (grant)->own.rows,
                       .order = assay_release_terms_stream (grant->terms, "own") },
      error);
}

static guint
hash_row (gconstpointer data)
{
  const AssayView *row = data;
  const guint8 *bytes = (const guint8 *) row->data;
  guint hash = 5381;

  for (gsize i = 0; i < row->cols * sizeof (float); i++)
    hash = hash * 33 + bytes[i];
  return hash;
}

static gboolean
are_equal (gconstpointer a, gconstpointer b)
{
  const AssayView *first = a, *second = b;

  return first->cols == second->cols
         && memcmp (first->data, second->data, first->cols * sizeof (float)) == 0;
}

/* Who learns from a secret under attack has not broken anything. */
static gboolean
check_apart (const AssayPairs *pairs, AssayView secrets, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (hash_row, are_equal, g_free, NULL);

  for (gsize i = 0; i < secrets.rows; i++) {
    const AssayView row = assay_view_rows (secrets, i, 1);

    g_hash_table_insert (known, g_memdup2 (&row, sizeof row), GSIZE_TO_POINTER (i + 1));
  }
  for (guint r = 0; r < pairs->releases->len; r++) {
    const AssayView rows = assay_own_rows (assay_pairs_get (pairs, r));

    for (gsize i = 0; i < rows.rows; i++) {
      const AssayView row = assay_view_rows (rows, i, 1);
      const gsize secret = GPOINTER_TO_SIZE (g_hash_table_lookup (known, &row));

      if (secret > 0)
        return assay_fail (error, ASSAY_ERROR_MISMATCH,
                           "pairs: row %zu of release %u is secret %zu under attack; expected rows "
                           "of other people",
                           i, r, secret - 1);
    }
  }
  return TRUE;
}

static AssayPairs *
read_pairs (const AssayOwnGrant *grant, GError **error)
{
  const AssayRunPosition position = assay_release_terms_position (grant->terms, 0);
  g_autoptr (AssayPairs) pairs = assay_own_rows_read (attack_of (grant), &position, error);

  /* As they came, and as the defense protects them. */
  if (pairs == NULL || !check_apart (pairs, grant->terms->secrets->rows, error)
      || !check_apart (
          pairs, assay_array_view (assay_arrays_get (&grant->truth->arrays, "secrets")), error))
    return NULL;
  ASSAY_FOR_EACH (AssayOwnRelease, own, pairs->releases) {
    own->release = seen_of (own->release, attack_of (grant)->grants);
  }
  return g_steal_pointer (&pairs);
}

/* The rows of the attacker's own that are in the release. */
static AssayPairs *
take_known (const AssayOwnGrant *grant, GError **error)
{
  const guint grants = attack_of (grant)->grants;
  const gsize n = assay_own_rows (grant->known).rows;
  g_autoptr (AssayPairs) pairs = assay_pairs_new (TRUE);
  AssayTruth *truth = assay_truth_new ();

  truth->geometry = grant->truth->geometry;
  assay_arrays_copy (&truth->arrays, &grant->known->known);
  g_ptr_array_add (pairs->releases,
                   assay_own_release_new (assay_release_granted (grant->known->release, grants),
                                          truth,
                                          g_memdup2 (grant->known->numbers, n * sizeof (gsize))));
  return check_apart (pairs, grant->terms->secrets->rows, error) ? g_steal_pointer (&pairs) : NULL;
}

/* What pairs beside a release depend on. */
static char *
pairs_name (const AssayOwnGrant *grant)
{
  const AssayComponent *attack = attack_of (grant);
  g_autofree char *terms = assay_own_terms_canonical (&attack->own, attack->grants);
  g_autofree char *grants = assay_grants_describe (attack->grants);

  return g_strdup_printf ("%s%s", terms, grants);
}

gboolean
assay_own_store_grant (AssayOwnStore *store, const AssayOwnGrant *grant, AssayShadow **ret_shadow,
                       const AssayPairs **ret_pairs, GError **error)
{
  const AssayComponent *component = attack_of (grant);
  const AssayAttack *attack = assay_attack_of (component->plugin);
  const gboolean is_run = attack != NULL && can_run (grant);
  const gboolean is_read = component->own.pairs != NULL, is_known = grant->known != NULL;
  g_autofree char *name = pairs_name (grant);
  AssayPairs *pairs = NULL;
  guint64 spent = 0;

  if (attack != NULL && assay_attack_wants_pairs (attack, component->settings->values)
      && (is_run || is_read || is_known)) {
    pairs = g_hash_table_lookup (store->pairs, name);
    if (pairs == NULL) {
      pairs = is_known  ? take_known (grant, error)
              : is_read ? read_pairs (grant, error)
                        : make_pairs (store, grant, error);
      if (pairs == NULL)
        return FALSE;
      g_hash_table_insert (store->pairs, g_strdup (name), pairs);
    }
  }
  *ret_pairs = pairs;
  if (pairs != NULL && !is_read && !is_known)
    spent = pairs->releases->len;
  *ret_shadow = is_run ? new_shadow (store, grant, spent) : NULL;
  return TRUE;
}
