/* Running a defense on rows of an attacker's own. */
#include "core/plugin/shadow.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/progress/loop.h"

struct _AssayShadow {
  AssayShadowTerms terms;
  GMutex mutex;
  guint64 spent; /* runs */
  double seconds;
};

AssayShadow *
assay_shadow_new (const AssayShadowTerms *terms)
{
  AssayShadow *shadow = g_new0 (AssayShadow, 1);

  shadow->terms = *terms;
  shadow->spent = MIN (terms->spent, terms->runs);
  g_mutex_init (&shadow->mutex);
  return shadow;
}

AssayShadow *
assay_shadow_again (const AssayShadow *shadow)
{
  AssayShadowTerms terms = shadow->terms;

  terms.free_data = NULL;
  return assay_shadow_new (&terms);
}

void
assay_shadow_free (AssayShadow *shadow)
{
  if (shadow == NULL)
    return;
  if (shadow->terms.free_data != NULL)
    shadow->terms.free_data (shadow->terms.data);
  g_mutex_clear (&shadow->mutex);
  g_free (shadow);
}

guint64
assay_shadow_left (const AssayShadow *shadow)
{
  return shadow->terms.runs - shadow->spent;
}

guint64
assay_shadow_runs (const AssayShadow *shadow)
{
  return shadow->terms.runs - MIN (shadow->terms.spent, shadow->terms.runs);
}

gboolean
assay_shadow_has_key (const AssayShadow *shadow)
{
  return shadow->terms.has_key;
}

AssayStreamKey
assay_shadow_choice (const AssayShadow *shadow)
{
  return shadow->terms.choice;
}

gsize
assay_shadow_secrets (const AssayShadow *shadow)
{
  return shadow->terms.n_secrets;
}

/* ---- Runs ---- */

static gboolean
spend_run (AssayShadow *shadow, GError **error)
{
  const AssayShadowTerms *terms = &shadow->terms;
  gboolean is_ok = TRUE;

  g_mutex_lock (&shadow->mutex);
  if (shadow->spent >= terms->runs)
    is_ok = assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "all %" G_GUINT64_FORMAT " runs of the defense that the attacker may make "
                        "are spent; expected more mechanism_runs",
                        terms->runs);
  else if (terms->seconds > 0 && shadow->seconds > terms->seconds)
    is_ok = assay_fail (error, ASSAY_ERROR_NUMERIC,
                        "the first %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                        " runs of the defense on rows of the attacker's own took %.0f s, more than "
                        "mechanism_time = %g; expected fewer mechanism_runs, or more time",
                        shadow->spent, terms->runs, shadow->seconds, terms->seconds);
  else
    shadow->spent++;
  g_mutex_unlock (&shadow->mutex);
  return is_ok;
}

/* A run that was made before takes as long as it took, so that the time of an attack does not
 * depend on which attacks came first. */
static void
add_seconds (AssayShadow *shadow, gint64 start, double before)
{
  const double now = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;

  g_mutex_lock (&shadow->mutex);
  shadow->seconds += MAX (now, before);
  g_mutex_unlock (&shadow->mutex);
}

AssayOwnRelease *
assay_shadow_run (AssayShadow *shadow, guint64 number, const AssayOwnRows *own, GError **error)
{
  const gint64 start = g_get_monotonic_time ();
  AssayShadowMade made = { 0 };
  gboolean is_ok;

  if (!spend_run (shadow, error))
    return NULL;
  is_ok = shadow->terms.run (shadow->terms.data, shadow->terms.spent + number, own, &made, error);
  add_seconds (shadow, start, made.seconds);
  if (!is_ok)
    return assay_prefix_null (
        error,
        "run %" G_GUINT64_FORMAT " of the defense on %zu rows of the attacker's own: ", number + 1,
        own->rows.rows);
  return assay_own_release_new (made.release, made.truth,
                                own->numbers != NULL && own->n_records == 0
                                    ? g_memdup2 (own->numbers, own->rows.rows * sizeof (gsize))
                                    : NULL);
}

/* ---- Pairs ---- */

static guint64
count_runs (const AssayShadow *shadow, gsize rows)
{
  const guint64 like_it = rows / MAX (shadow->terms.n_secrets, 1);
  const guint64 least = shadow->terms.has_key ? 1 : 2;

  return CLAMP (like_it, least, MAX (assay_shadow_left (shadow), 1));
}

/* One release of the rows @numbers. */
static AssayOwnRelease *
run_on (AssayShadow *shadow, const AssayOwnPool *pool, guint64 number, const gsize *numbers,
        gsize count, GError **error)
{
  g_autoptr (AssayMatrix) rows = assay_matrix_new (count, assay_rows_cols (pool->rows), error);
  const gsize q = pool->attributes != NULL ? pool->attributes->shape[1] : 0;
  g_autofree gint64 *labels = pool->labels != NULL ? g_new (gint64, count) : NULL;
  g_autofree gint64 *attributes = q > 0 ? g_new (gint64, count * q) : NULL;
  AssayOwnRows own
      = { .labels = labels, .attributes = attributes, .n_attributes = q, .numbers = numbers };

  if (rows == NULL)
    return NULL;
  assay_rows_gather (pool->rows, numbers, count, ASSAY_SCALE_NONE, rows->data);
  for (gsize i = 0; labels != NULL && i < count; i++)
    labels[i] = pool->labels[numbers[i]];
  for (gsize i = 0; attributes != NULL && i < count; i++)
    memcpy (attributes + i * q, assay_array_int64 (pool->attributes) + numbers[i] * q,
            q * sizeof (gint64));
  own.rows = assay_matrix_view (rows);
  return assay_shadow_run (shadow, number, &own, error);
}

AssayPairs *
assay_shadow_pairs (AssayShadow *shadow, const AssayOwnPool *pool, GError **error)
{
  const gsize available = assay_rows_count (pool->rows), used = MIN (available, pool->most);
  const guint64 runs = count_runs (shadow, used);
  g_autofree gsize *order = assay_alloc (available, sizeof *order, "order of rows", error);
  g_autoptr (AssayPairs) pairs = assay_pairs_new (shadow->terms.has_key);
  AssayStream stream = assay_stream (pool->order, 0);
  g_auto (AssayLoop) loop = { "own run of the defense", .turns = runs };

  if (order == NULL)
    return NULL;
  if (used < 2 * runs)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "%zu public rows for %" G_GUINT64_FORMAT
                            " runs of the defense; expected two a run "
                            "at least",
                            used, runs);
  assay_stream_permutation (&stream, available, order);
  for (guint64 r = 0; r < runs; r++) {
    const gsize first = (gsize) (r * used / runs), end = (gsize) ((r + 1) * used / runs);
    AssayOwnRelease *own;

    assay_loop_at (&loop, r);
    own = run_on (shadow, pool, r, order + first, end - first, error);
    if (own == NULL)
      return NULL;
    g_ptr_array_add (pairs->releases, own);
  }
  return g_steal_pointer (&pairs);
}
