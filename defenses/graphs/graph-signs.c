/* No defense, but what an attack on codes of a private graph's nodes can find at best: codes that
 * are made of the graph itself, in both modalities the signs, about their median, of its leading
 * eigenvectors. Hash functions of features that are trained on a graph can have less of it in them;
 * where `code-link` finds nothing in their codes, this is the release in which it does. There are
 * no functions, and so no codes of queries. */
#include "core/data/codes.h"
#include "core/graph/edge-array.h"
#include "core/learn/sign-codes.h"
#include "core/plugin/plugin.h"

typedef struct {
  gint64 bits;
} GraphSigns;

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const gsize bits = (gsize) ((const GraphSigns *) context->settings)->bits;
  const gsize bytes = assay_code_bytes (bits);
  g_autoptr (AssayGraph) graph = NULL;
  guint8 *codes;

  if (context->edges == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with a private graph between the secrets (such as "
                       "interactions)");
  graph = assay_edge_array_graph (items.rows, context->edges, error);
  codes = graph != NULL ? assay_graph_sign_codes (graph, bits, error) : NULL;
  if (codes == NULL)
    return FALSE;
  ret_release->bits = bits;
  assay_arrays_take_rows (&ret_release->arrays, "image-codes", ASSAY_UINT8, items.rows, bytes,
                          g_memdup2 (codes, items.rows * bytes));
  assay_arrays_take_rows (&ret_release->arrays, "text-codes", ASSAY_UINT8, items.rows, bytes,
                          codes);
  return TRUE;
}

/* ---- Descriptor ---- */

/* Nobody is given a function: the codes are of the items' places in the graph, which others have
 * not. */
static const char *const *
lacks (G_GNUC_UNUSED gconstpointer settings)
{
  static const char *const functions[]
      = { "image-layer1", "text-layer1", "image-layer2", "text-layer2", NULL };

  return functions;
}

/* The matrix, LAPACK's copy of it, and the eigenvectors. */
ASSAY_MEMORY (memory, GraphSigns,
              sizeof (double) * shape->n_secrets
                  * (2 * shape->n_secrets + (guint64) settings->bits))

ASSAY_DEFENSE (graph_signs, "graph-signs",
  .summary = "Hash codes of two modalities that show a private graph: signs of its eigenvectors (a "
             "control)",
  .reference = { "Assay; Weiss, Torralba and Fergus 2008, Spectral Hashing",
                 "a control for code-link; section 2" },
  ASSAY_SETTINGS (GraphSigns,
    ASSAY_PARAM_INT (GraphSigns, bits, 32, 1, 1024, "bits", "Length of either code")),
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .lacks = lacks,
  .protect = protect);
