/* What a table holds. Rows are compared by the first 128 bits of their SHA-256, which are 16 bytes
 * a row instead of the row: that two different ones of n rows share them has a probability below
 * n^2 / 2^129, 10^-21 for a billion rows. */
#include "datasets/tables/table-summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "datasets/tables/table-value.h"

#define DIGEST 16
#define SHA256_BYTES 32
#define WIDEST 8 /* bytes of a number */

typedef struct {
  AssayTableSummary *summary;
  const AssayTableInfo *info;
  guint8 least[WIDEST], most[WIDEST]; /* numbers of the table's type */
  double sum;
  GChecksum *row;  /* of one row */
  GChecksum *rows; /* of all */
  guint8 *digests; /* count x DIGEST */
  gsize n_digests;
} Scan;

ASSAY_LOCAL_CLEAR (Scan, clear_scan, assay_drop (self->row, g_checksum_free),
                   assay_drop (self->rows, g_checksum_free), assay_drop (self->digests, g_free))

static gboolean
is_less (const AssayTableValue *a, const AssayTableValue *b)
{
  return a->is_whole ? a->whole < b->whole : a->value < b->value;
}

static void
scan_number (Scan *scan, const guint8 *row, gsize j)
{
  const AssayType type = scan->info->type;
  const gsize size = assay_type_size (type);
  const AssayTableValue number = assay_table_value (type, row, j);
  const double value = number.is_whole ? (double) number.whole : number.value;
  AssayTableSummary *summary = scan->summary;
  AssayTableValue least, most;

  if (!isfinite (value)) {
    summary->n_not_finite++;
    summary->is_whole = FALSE;
    return;
  }
  least = assay_table_value (type, scan->least, 0);
  most = assay_table_value (type, scan->most, 0);
  if (summary->n_finite == 0 || is_less (&number, &least))
    memcpy (scan->least, row + j * size, size);
  if (summary->n_finite == 0 || is_less (&most, &number))
    memcpy (scan->most, row + j * size, size);
  summary->is_whole &= value == trunc (value);
  summary->n_finite++;
  scan->sum += value;
}

static void
scan_row (Scan *scan, const guint8 *row, const guint8 *labels)
{
  const gsize length = scan->info->cols * assay_type_size (scan->info->type);
  AssayTableSummary *summary = scan->summary;
  guint8 digest[SHA256_BYTES];
  gsize n_bytes = sizeof digest;

  for (gsize j = 0; j < scan->info->cols; j++)
    scan_number (scan, row, j);
  for (guint k = 0; k < scan->info->n_labels; k++) {
    const gboolean is_first = scan->n_digests == 0;

    summary->least_label[k] = is_first ? labels[k] : MIN (summary->least_label[k], labels[k]);
    summary->most_label[k] = MAX (summary->most_label[k], labels[k]);
  }
  g_checksum_update (scan->rows, row, (gssize) length);
  g_checksum_reset (scan->row);
  g_checksum_update (scan->row, row, (gssize) length);
  g_checksum_get_digest (scan->row, digest, &n_bytes);
  memcpy (scan->digests + scan->n_digests++ * DIGEST, digest, DIGEST);
}

static int
compare_digests (const void *a, const void *b)
{
  return memcmp (a, b, DIGEST);
}

static gsize
count_duplicates (Scan *scan)
{
  gsize n = 0;

  qsort (scan->digests, scan->n_digests, DIGEST, compare_digests);
  for (gsize i = 1; i < scan->n_digests; i++)
    n += memcmp (scan->digests + (i - 1) * DIGEST, scan->digests + i * DIGEST, DIGEST) == 0;
  return n;
}

static gboolean
scan_all (Scan *scan, AssayTable *table, gboolean (*is_cancelled) (void), GError **error)
{
  const gsize piece = assay_table_piece (table);
  const gsize length = scan->info->cols * assay_type_size (scan->info->type);
  g_autofree guint8 *values = assay_alloc (piece, length, "rows", error);
  g_autofree guint8 *labels = g_malloc (piece * ASSAY_TABLE_MAX_LABELS);

  if (values == NULL)
    return FALSE;
  for (gsize i = 0; i < scan->info->count; i += piece) {
    const gsize n = MIN (piece, scan->info->count - i);

    if (is_cancelled != NULL && is_cancelled ())
      return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
    if (!assay_table_read (table, n, values, labels, error))
      return FALSE;
    for (gsize k = 0; k < n; k++)
      scan_row (scan, values + k * length, labels + k * scan->info->n_labels);
  }
  return TRUE;
}

AssayTableSummary *
assay_table_summarise (AssayTable *table, gboolean (*is_cancelled) (void), GError **error)
{
  g_autoptr (AssayTableSummary) summary = g_new0 (AssayTableSummary, 1);
  g_auto (Scan) scan = { .summary = summary, .info = &table->info };

  summary->is_whole = TRUE;
  scan.row = g_checksum_new (G_CHECKSUM_SHA256);
  scan.rows = g_checksum_new (G_CHECKSUM_SHA256);
  scan.digests = assay_alloc (scan.info->count, DIGEST, "digests of rows", error);
  if (scan.digests == NULL || !scan_all (&scan, table, is_cancelled, error))
    return NULL;
  if (summary->n_finite > 0) {
    summary->least = assay_table_number (scan.info->type, scan.least, 0);
    summary->most = assay_table_number (scan.info->type, scan.most, 0);
    summary->mean = scan.sum / (double) summary->n_finite;
  }
  summary->n_duplicates = count_duplicates (&scan);
  summary->file_sha256 = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, table->file);
  summary->rows_sha256 = g_strdup (g_checksum_get_string (scan.rows));
  return g_steal_pointer (&summary);
}

ASSAY_FREE_FUNC (AssayTableSummary, assay_table_summary_free, g_free (self->least),
                 g_free (self->most), g_free (self->file_sha256), g_free (self->rows_sha256))
