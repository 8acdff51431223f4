/* graph-signs: its bits against eigenvectors of a path, which have a closed form; its errors. */
#include <math.h>
#include <stdlib.h>

#include "core/base/vectors.h"
#include "core/data/codes.h"
#include "core/data/kinds/paired-codes.h"
#include "runner/run/steps.h"
#include "tests/unit/mechanism-case.h"

enum { N = 24 };

/* Of the path 0 - 1 - .. - 23. */
static gboolean
release_with (const char *assignments, gboolean has_graph, AssayRelease **ret_release,
              GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, "graph-signs", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  g_autoptr (AssayMatrix) items = fixture_normal (N, 4, 3);
  gint64 *links = g_new (gint64, 2 * (N - 1));
  g_autoptr (AssayArray) path
      = assay_array_take (ASSAY_INT64, 2, (const gsize[]){ N - 1, 2 }, links);
  const AssayStreamKey key = assay_stream_key (4, 0, "release", "");
  const AssayKnowledge nothing = { .database = NULL };
  const AssaySecrets secrets
      = { .rows = assay_matrix_view (items), .edges = has_graph ? path : NULL };
  g_autoptr (AssayTruth) truth = NULL;

  for (gint64 i = 0; i < N - 1; i++) {
    links[2 * i] = i;
    links[2 * i + 1] = i + 1;
  }
  return assay_step_protect (
      (const AssayDefense *) plugin,
      &(AssayProtecting){
          .settings = settings, .stream = key, .common = key, .knowledge = &nothing },
      &secrets, ret_release, &truth, error);
}

/* Nodes whose bit is not that of @vector, where it is clear which one that is. */
static guint
count_wrong (const AssayPairedCodes *codes, gsize bit, const double *vector)
{
  double sorted[N];
  guint wrong = 0;

  memcpy (sorted, vector, sizeof sorted);
  qsort (sorted, N, sizeof *sorted, assay_compare_doubles);
  for (gsize i = 0; i < N; i++)
    wrong
        += fabs (vector[i] - sorted[N / 2]) > 1e-9
           && assay_code_bit (codes->first + i * codes->bytes, bit) != (vector[i] > sorted[N / 2]);
  return wrong;
}

/* D^-1/2 A D^-1/2 of a path has the eigenvalues cos (pi k / (N - 1)) and the eigenvectors
 * sqrt (d_i) cos (pi k i / (N - 1)); either sign of one will do. */
Test (graph_signs, bits_are_those_of_eigenvectors)
{
  g_autoptr (AssayRelease) release = NULL;
  AssayPairedCodes codes;

  cr_assert (release_with ("bits=11", TRUE, &release, NULL));
  codes = assay_release_paired_codes (release);
  cr_assert (codes.bits == 11 && codes.bytes == 2 && codes.n == N);
  cr_assert (memcmp (codes.first, codes.second, N * codes.bytes) == 0);
  for (gsize bit = 0; bit < codes.bits; bit++) {
    double vector[N], negative[N];

    for (gsize i = 0; i < N; i++) {
      vector[i] = sqrt (i == 0 || i == N - 1 ? 1 : 2)
                  * cos (G_PI * (double) (bit + 1) * (double) i / (N - 1));
      negative[i] = -vector[i];
    }
    cr_assert (count_wrong (&codes, bit, vector) == 0 || count_wrong (&codes, bit, negative) == 0,
               "bit %zu: %u and %u wrong", bit, count_wrong (&codes, bit, vector),
               count_wrong (&codes, bit, negative));
  }
}

Test (graph_signs, needs_a_graph_with_more_nodes_than_bits)
{
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (GError) error = NULL;

  cr_assert_not (release_with ("bits=8", FALSE, &release, &error));
  cr_assert (strstr (error->message, "expected a dataset with a private graph"), "%s",
             error->message);
  g_clear_error (&error);
  cr_assert_not (release_with ("bits=24", TRUE, &release, &error));
  cr_assert (strstr (error->message, "a graph of 24 nodes has no 24 eigenvectors beside the first"),
             "%s", error->message);
}
