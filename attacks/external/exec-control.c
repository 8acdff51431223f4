/* Cases that a program of other games than reconstruct must win.
 *
 * link: 64 public rows, of which 8, drawn at random, are released as they are: as vectors, as
 * planes through them, or as mixtures of one image each. Which rows they are must be looked for:
 * numbers of items say nothing.
 *
 * pair: 8 secret images, each released three times with noise of a tenth of their deviation, in
 * random order.
 *
 * Rows are images of 32 x 32 normal pixels. The inner product of two that share their image is
 * 1024 with a deviation of 45, of two that do not 0 with one of 32; their distances (squares: 0.02
 * chi^2_1024 against 2 chi^2_1024) and correlations are as far apart. Every pair of the one kind
 * stands above every pair of the other, whichever of these a program ranks by: the area under the
 * ROC curve is 1.
 *
 * infer: rows of two classes, whose numbers are all 8 or all -8, with noise of 1; the class is
 * their label and each of 8 further attributes, and the median of each number divides them.
 * member: 64 records, of which half are released, with noise of 0.001 in each run.
 * cross: 64 rows, released twice with such noise. */
#include "attacks/external/exec-control.h"

#include "attacks/lifting/subspace-control.h"
#include "core/games/control-case.h"

enum { PUBLIC = 64, SECRETS = 8, SIDE = 32, COLS = SIDE * SIDE, PLANE = 2, COPIES = 3 };

#define NOISE 0.1

static void
take_numbers (AssayTruth *truth, const char *name, gsize n, gint64 *numbers)
{
  assay_arrays_take (&truth->arrays, name,
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ n, 1 }, numbers));
}

/* Rows as vectors, or as mixtures of one image each. */
static AssayRelease *
released_rows (AssayMatrix *rows, gboolean is_mixture)
{
  AssayRelease *release
      = assay_release_new (is_mixture ? ASSAY_RELEASE_MIXTURES : ASSAY_RELEASE_VECTORS, "control");

  if (is_mixture)
    release->geometry = (AssayGeometry){ .height = SIDE, .width = SIDE, .channels = 1 };
  assay_arrays_take (&release->arrays, is_mixture ? "images" : "vectors",
                     assay_array_take_matrix (rows));
  return release;
}

gboolean
exec_control_link (AssayReleaseKind release_kind, AssayStreamKey key, AssayControlCase *ret_case,
                   GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  AssayMatrix *public_rows = assay_control_normals (PUBLIC, COLS, &stream, error);
  g_autoptr (AssayMatrix) secrets = NULL;
  AssayMatrix *copy;
  gsize chosen[SECRETS];
  gint64 *partners;

  if (public_rows == NULL)
    return FALSE;
  ret_case->public_rows = assay_rows_take_matrix (public_rows);
  assay_stream_choose (&stream, PUBLIC, SECRETS, chosen);
  secrets = assay_matrix_new (SECRETS, COLS, error);
  if (secrets == NULL)
    return FALSE;
  partners = g_new (gint64, SECRETS);
  for (gsize i = 0; i < SECRETS; i++) {
    partners[i] = (gint64) chosen[i];
    assay_rows_read (ret_case->public_rows, chosen[i], 1, ASSAY_SCALE_NONE,
                     assay_matrix_row (secrets, i));
  }
  ret_case->truth = assay_truth_new ();
  take_numbers (ret_case->truth, "partners", SECRETS, partners);
  if (release_kind == ASSAY_RELEASE_SUBSPACES) {
    ret_case->release
        = subspace_control_release (assay_matrix_view (secrets), NULL, 0, PLANE, &stream, error);
  } else {
    copy = assay_matrix_copy (assay_matrix_view (secrets), error);
    ret_case->release
        = copy != NULL ? released_rows (copy, release_kind == ASSAY_RELEASE_MIXTURES) : NULL;
  }
  return ret_case->release != NULL;
}

gboolean
exec_control_pair (AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const gsize n = SECRETS * COPIES;
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) secrets = assay_control_normals (SECRETS, COLS, &stream, error);
  AssayMatrix *images = secrets != NULL ? assay_matrix_new (n, COLS, error) : NULL;
  gsize order[SECRETS * COPIES];
  gint64 *sources;

  if (images == NULL)
    return FALSE;
  sources = g_new (gint64, n);
  assay_stream_permutation (&stream, n, order);
  for (gsize i = 0; i < n; i++) {
    const gsize secret = order[i] % SECRETS;

    sources[i] = (gint64) secret;
    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (images, i)[j]
          = assay_matrix_row (secrets, secret)[j] + (float) (NOISE * assay_stream_normal (&stream));
  }
  ret_case->truth = assay_truth_new ();
  take_numbers (ret_case->truth, "sources", n, sources);
  ret_case->release = released_rows (images, TRUE);
  return TRUE;
}

/* ---- Rows that are released as they are ---- */

enum { ROWS = 64, WIDTH = 8, PAIRS = 512, RUNS = 8 };

#define APART 8
#define NEARLY_NONE 0.001

/* Rows of two classes, with these as labels and attributes. */
static gboolean
make_classes (gsize n, AssayStream *stream, AssayArrays *known, AssayMatrix **ret_rows,
              GError **error)
{
  AssayMatrix *rows = assay_control_normals (n, WIDTH, stream, error);
  gint64 *labels = g_new (gint64, n), *attributes = g_new (gint64, n * WIDTH);

  for (gsize i = 0; i < n; i++) {
    labels[i] = (gint64) assay_stream_below (stream, 2);
    for (gsize j = 0; j < WIDTH; j++) {
      attributes[i * WIDTH + j] = labels[i];
      if (rows != NULL)
        assay_matrix_row (rows, i)[j] += labels[i] == 1 ? APART : -APART;
    }
  }
  assay_arrays_take (known, "labels", assay_array_take (ASSAY_INT64, 1, &n, labels));
  assay_arrays_take_rows (known, "attributes", ASSAY_INT64, n, WIDTH, attributes);
  *ret_rows = rows;
  return rows != NULL;
}

gboolean
exec_control_infer (AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  AssayTruth *known = assay_truth_new ();
  AssayMatrix *own = NULL, *secrets = NULL;
  AssayRelease *release;

  ret_case->truth = assay_truth_new ();
  if (!make_classes (PAIRS, &stream, &known->arrays, &own, error)
      || (release = assay_control_vectors (assay_matrix_view (own), error)) == NULL) {
    assay_truth_free (known);
    assay_matrix_free (own);
    return FALSE;
  }
  assay_arrays_take_matrix (&known->arrays, "secrets", &own);
  ret_case->pairs = assay_pairs_new (TRUE);
  g_ptr_array_add (ret_case->pairs->releases, assay_own_release_new (release, known, NULL));
  if (!make_classes (ROWS, &stream, &ret_case->truth->arrays, &secrets, error))
    return FALSE;
  ret_case->release = assay_control_vectors (assay_matrix_view (secrets), error);
  assay_arrays_take_matrix (&ret_case->truth->arrays, "secrets", &secrets);
  return ret_case->release != NULL;
}

gboolean
exec_control_member (AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  return assay_control_members (&(AssayControlNoise){ .key = key, .noise = NEARLY_NONE }, ROWS,
                                WIDTH, RUNS, ret_case, error);
}

gboolean
exec_control_cross (AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  return assay_control_mates (&(AssayControlNoise){ .key = key, .noise = NEARLY_NONE }, ROWS, WIDTH,
                              RUNS, ret_case, error);
}
