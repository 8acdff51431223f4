/* Affine lifting draws from cluster centres: 256,000 of 10 million descriptors, by spherical
 * k-means (LDP-FEAT, Pittaluga and Zhuang 2023, section 6.1). What lies near a subspace depends on
 * that: docs/papers/ldp-feat.md has figures for rows and for centres. */
#include "datasets/tables/centres.h"

#include "core/base/error.h"
#include "core/search/dictionary.h"

/* Of 120,000 SIFT rows and 16,384 centres, the eighth iteration moves the mean cosine between rows
 * and centres by 2e-5. */
#define ITERATIONS 10

AssayRows *
centres_of_rows (const AssayRows *rows, gsize count, GError **error)
{
  const AssayDictionarySpec spec = { .entries = count,
                                     .iterations = ITERATIONS,
                                     .scale = ASSAY_SCALE_UNIT,
                                     .stream = assay_stream_key (1, 0, "centres", "") };
  g_autoptr (AssayArray) array = assay_dictionary (rows, &spec, error);

  return array != NULL ? assay_rows_from_array (array) : NULL;
}

gboolean
centres_check (gsize count, gsize n_rows, GError **error)
{
  return count <= n_rows
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "database_centres = %zu: expected at most the %zu rows of the database",
                        count, n_rows);
}

guint64
centres_memory (gsize n_rows, gsize cols, gsize count)
{
  return count > 0 ? assay_dictionary_memory (n_rows, cols, count) : 0;
}
