/* Generated secrets for mechanisms, whose inputs are numbers of a stated kind: bits, whole numbers
 * of 0 .. values - 1, or reals of [low, high], all uniform and independent. What a mechanism claims
 * holds for every input, so that a distribution nearer to life would show nothing more.
 *
 * Row i draws from a stream of its own: a larger pool begins with the rows of a smaller one. */
#include "core/plugin/plugin.h"

typedef enum { BITS, WHOLE, REAL } Kind;

static const char *const kinds[] = { "bits", "whole", "real", NULL };

typedef struct {
  gint64 count;
  gint64 columns;
  guint kind;
  gint64 values;
  double low;
  double high;
} Values;

static float
draw (const Values *settings, AssayStream *stream)
{
  switch ((Kind) settings->kind) {
  case BITS:
    return (float) (assay_stream_u32 (stream) & 1);
  case WHOLE:
    return (float) assay_stream_below_u32 (stream, (guint32) settings->values);
  case REAL:
    break;
  }
  return (float) assay_stream_between (stream, settings->low, settings->high);
}

static gboolean
open_values (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Values *settings = context->settings;
  const gsize count = (gsize) settings->count, cols = (gsize) settings->columns;
  AssayMatrix *secrets = assay_matrix_new (count, cols, error);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  if (secrets == NULL)
    return FALSE;
  for (gsize i = 0; i < count; i++) {
    AssayStream stream = assay_stream (context->stream, i);

    for (gsize j = 0; j < cols; j++)
      assay_matrix_row (secrets, i)[j] = draw (settings, &stream);
  }
  g_checksum_update (checksum, (const guchar *) secrets->data,
                     (gssize) (count * cols * sizeof (float)));
  *ret_dataset = (AssayDataset){ .secrets = assay_rows_take_matrix (secrets),
                                 .sha256 = g_strdup (g_checksum_get_string (checksum)) };
  return TRUE;
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, G_GNUC_UNUSED GError **error)
{
  const Values *settings = context->settings;
  const guint64 numbers = (guint64) settings->count * (guint64) settings->columns;

  *ret_probe = (AssayProbe){ .n_secrets = (gsize) settings->count,
                               .cols = (gsize) settings->columns,
                               .memory = numbers * sizeof (float) };
  return TRUE;
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const Values *settings = data;

  if (settings->low >= settings->high)
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "low = %g: expected less than high = %g",
                       settings->low, settings->high);
  return TRUE;
}

ASSAY_DATASET (values, "values",
  .summary = "Generated numbers: bits, whole numbers or reals, as mechanisms take them",
  .reference = { "Assay", "uniform and independent numbers" },
  ASSAY_SETTINGS (Values,
    ASSAY_PARAM_INT (Values, count, 1000, 1, 1000000000, "rows",
                     "How many rows there are to draw secrets from"),
    ASSAY_PARAM_INT (Values, columns, 1, 1, 65536, "", "Numbers in a secret"),
    ASSAY_PARAM_CHOICE (Values, kind, WHOLE, kinds,
                        "Bits, whole numbers from 0 to values - 1, or reals from low to high"),
    ASSAY_PARAM_INT (Values, values, 200, 2, 16777216, "",
                     "How many whole numbers there are (kind = whole)"),
    ASSAY_PARAM_REAL (Values, low, 0, -1e30, 1e30, "", "Smallest real (kind = real)"),
    ASSAY_PARAM_REAL (Values, high, 1, -1e30, 1e30, "", "Largest real (kind = real)")),
  .check = check,
  .probe = probe,
  .open = open_values);
