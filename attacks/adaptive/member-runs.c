/* Runs of a defense with and without each of some records. */
#include "attacks/adaptive/member-runs.h"

ASSAY_CLEAR_FUNC (MemberRuns, member_runs_clear, g_free (self->is_in), g_free (self->numbers),
                  assay_matrix_free (self->rows))

static gboolean
check_rows (const AssayObservation *seen, gsize n_records, GError **error)
{
  const gsize n = assay_shadow_secrets (seen->shadow);
  const gsize n_public = seen->public_rows != NULL ? assay_rows_count (seen->public_rows) : 0;

  return n_records / 2 + n_public >= n
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "shadow releases are made of %zu rows, and half of the %zu records are "
                        "%zu; expected %zu public rows at least to fill up, found %zu",
                        n, n_records, n_records / 2, n - n_records / 2, n_public);
}

static void
draw_halves (MemberRuns *runs, gsize most)
{
  const gsize n = runs->n_records, half = MIN (n / 2, most);
  g_autofree gsize *order = g_new (gsize, n);

  for (gsize r = 0; r < runs->n_runs; r += 2) {
    AssayStream stream = assay_stream (runs->key, r);

    assay_stream_permutation (&stream, n, order);
    for (gsize i = 0; i < half; i++) {
      runs->is_in[r * n + order[i]] = 1;
      runs->is_in[(r + 1) * n + order[n - 1 - i]] = 1;
    }
  }
}

gboolean
member_runs_init (MemberRuns *runs, const AssayObservation *seen, gsize n_runs, GError **error)
{
  const gsize n_secrets = assay_shadow_secrets (seen->shadow);

  runs->seen = seen;
  runs->n_runs = n_runs;
  runs->n_records = assay_rows_count (seen->records);
  runs->key = assay_shadow_choice (seen->shadow);
  runs->is_in = assay_alloc (n_runs, runs->n_records, "shadow releases", error);
  runs->numbers = assay_alloc (n_secrets, sizeof (gsize), "rows of a run", error);
  runs->rows = assay_matrix_new (n_secrets, assay_rows_cols (seen->records), error);
  if (runs->is_in == NULL || runs->numbers == NULL || runs->rows == NULL
      || !check_rows (seen, runs->n_records, error))
    return FALSE;
  draw_halves (runs, n_secrets);
  return TRUE;
}

/* The records that are in, then public rows. */
static AssayOwnRows
rows_of_run (MemberRuns *runs, const guint8 *is_in, gsize run)
{
  const AssayObservation *seen = runs->seen;
  const gsize n = runs->n_records;
  AssayStream stream = assay_stream (runs->key, runs->n_runs + run);
  gsize in = 0;

  for (gsize i = 0; i < n; i++)
    if (is_in[run * n + i])
      runs->numbers[in++] = i;
  assay_rows_gather (seen->records, runs->numbers, in, ASSAY_SCALE_NONE, runs->rows->data);
  if (in < runs->rows->rows) {
    const gsize missing = runs->rows->rows - in;

    assay_stream_sample (&stream, assay_rows_count (seen->public_rows), missing,
                         runs->numbers + in);
    assay_rows_gather (seen->public_rows, runs->numbers + in, missing, ASSAY_SCALE_NONE,
                       assay_matrix_row (runs->rows, in));
  }
  return (AssayOwnRows){ .rows = assay_matrix_view (runs->rows),
                         .numbers = runs->numbers,
                         .n_records = in };
}

AssayOwnRelease *
member_runs_play (MemberRuns *runs, const guint8 *is_in, gsize run, GError **error)
{
  const AssayOwnRows own = rows_of_run (runs, is_in, run);

  return assay_shadow_run (runs->seen->shadow, run, &own, error);
}
