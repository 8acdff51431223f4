#include "metrics/retrieval/paired-queries.h"

const char *const paired_queries_reads[] = { "image-layer1", "text-layer1", NULL };

/* The columns of one modality of the rows of the role test, as codes. */
static AssayCodes *
hash (const AssayRelease *release, const AssayDataset *dataset, gconstpointer data, GError **error)
{
  const AssayPairedSide side = *(const AssayPairedSide *) data;
  const gsize d = dataset->first_cols;
  g_autoptr (AssayMatrix) rows
      = assay_rows_matrix (dataset->test, assay_release_scale (release), error);
  g_autoptr (AssayArray) packed = NULL;
  AssayView view;

  if (rows == NULL || !assay_view_check_finite (assay_matrix_view (rows), "test rows", error))
    return NULL;
  view = (AssayView){ rows->rows, side == ASSAY_PAIRED_IMAGE ? d : rows->cols - d, rows->cols,
                      rows->data + (side == ASSAY_PAIRED_IMAGE ? 0 : d) };
  packed = assay_paired_hash (release, side, view, error);
  if (packed == NULL) {
    g_prefix_error (error, "queries cannot be hashed: ");
    return NULL;
  }
  return assay_codes_new (packed, release->bits, error);
}

gboolean
paired_queries_init (AssayPairedSide side, const AssayUtilityContext *context,
                     const AssayReceived *received, Retrieval *ret_retrieval, GError **error)
{
  const AssayPairedSide other
      = side == ASSAY_PAIRED_IMAGE ? ASSAY_PAIRED_TEXT : ASSAY_PAIRED_IMAGE;
  const RetrievalSource source
      = { .codes = assay_paired_codes[other], .hash = hash, .data = &side };

  return retrieval_init_from (context, received, &source, ret_retrieval, error);
}

gboolean
paired_queries_alloc (const Retrieval *retrieval, guint n_series, AssayOutcomes *outcomes,
                      GError **error)
{
  if (outcomes->n > 0)
    return TRUE;
  if (!assay_outcomes_alloc (outcomes, n_series, retrieval->queries->count, error))
    return FALSE;
  retrieval_fill_split (retrieval, n_series, outcomes->series);
  return TRUE;
}

gboolean
paired_queries_check (const AssayDataset *dataset, GError **error)
{
  return dataset->first_cols > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "expected a dataset with rows of two modalities (such as interactions)");
}
