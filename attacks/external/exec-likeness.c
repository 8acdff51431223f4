/* The control of a program, made from what the program was handed in a cell: the same files with
 * the same names, shapes, kind, parameters and grants, so that neither size nor names say which of
 * the two it is. What the release tells of its secrets is everything:
 *
 *   vectors      reconstruct: the very numbers that were released, in another order; a secret is
 *                the row that stands for it. As releases go nothing tells this one from the real
 *                one. The secrets stand, a little changed, among public rows and database, and in
 *                pairs/ rows are released as they are.
 *   vector sets  the same; a secret is the mean of its set
 *   subspaces    planes of the same dimension in random directions through rows of the public set
 *                or the database, or without these through points that were released
 *   codes        with a hash function the codes of such rows; with pairs/, rows of these, as they
 *                were released there; otherwise the codes that were released, which then are the
 *                secrets themselves
 *   mixtures     images of one secret each, which are images that were released, with noise
 *   link         items are public rows with a little noise: vectors, planes, or mixtures of one
 *   pair         mixtures of one image each, several of a secret, with noise
 *
 * A little is a tenth of the rows' deviation. Of the other kinds none is made. That everything is
 * given away can be found out, by who finds it: a program that first breaks the release and then
 * hides what it found cannot be told from one that breaks this one alone. That is what the
 * reference of a claim is for (docs/what-a-verdict-means.md). */
#include "attacks/external/exec-likeness.h"

#include "attacks/external/likeness-parts.h"
#include "attacks/lifting/subspace-control.h"
#include "core/data/kinds/mixtures.h"
#include "core/math/hash-function.h"

enum { DECOYS = 64 };

typedef struct {
  const AssayObservation *seen;
  AssayStream stream;
  gsize n;
  AssayControlCase *ret_case;
} Making;

static gboolean
plant_all (Making *making, AssayView secrets, GError **error)
{
  const AssayRows *database = making->seen->database, *public_rows = making->seen->public_rows;
  AssayControlCase *ret_case = making->ret_case;

  if (database != NULL && assay_rows_cols (database) == secrets.cols)
    ret_case->database = likeness_plant (database, secrets, &making->stream, error);
  else
    database = NULL;
  if (public_rows != NULL && assay_rows_cols (public_rows) == secrets.cols)
    ret_case->public_rows = likeness_plant (public_rows, secrets, &making->stream, error);
  else
    public_rows = NULL;
  return (database == NULL || ret_case->database != NULL)
         && (public_rows == NULL || ret_case->public_rows != NULL);
}

static const AssayRows *
known_rows (const AssayObservation *seen, gsize cols)
{
  if (seen->public_rows != NULL && assay_rows_cols (seen->public_rows) == cols)
    return seen->public_rows;
  return seen->database != NULL && assay_rows_cols (seen->database) == cols ? seen->database : NULL;
}

/* ---- What the truth of the case holds ---- */

static gboolean
take_secrets (Making *making, AssayMatrix *secrets)
{
  making->ret_case->truth = assay_truth_new ();
  if (secrets != NULL)
    assay_arrays_take (&making->ret_case->truth->arrays, "secrets",
                       assay_array_take_matrix (secrets));
  return secrets != NULL;
}

static AssayView
secrets_of (const Making *making)
{
  return assay_array_view (assay_arrays_get (&making->ret_case->truth->arrays, "secrets"));
}

static void
take_numbers (Making *making, const char *name, gsize n, gint64 *numbers)
{
  if (making->ret_case->truth == NULL)
    making->ret_case->truth = assay_truth_new ();
  assay_arrays_take_rows (&making->ret_case->truth->arrays, name, ASSAY_INT64, n, 1, numbers);
}

/* ---- Releases of single secrets ---- */

/* Groups follow their secrets. */
static void
take_groups (Making *making, const gsize *order)
{
  const gint64 *groups = making->seen->groups;

  if (groups == NULL)
    return;
  making->ret_case->groups = g_new (gint64, making->n);
  for (gsize i = 0; i < making->n; i++)
    making->ret_case->groups[i] = groups[order[i]];
}

static AssayMatrix *
means_of_sets (const AssayRelease *release, GError **error)
{
  const AssayArray *sets = assay_arrays_get (&release->arrays, "sets");
  const AssayView dictionary = assay_array_view (assay_arrays_get (&release->arrays, "dictionary"));
  const gsize n = sets->shape[0], w = sets->shape[1];
  AssayMatrix *means = assay_matrix_new (n, dictionary.cols, error);

  for (gsize i = 0; means != NULL && i < n; i++)
    for (gsize k = 0; k < w; k++)
      for (gsize j = 0; j < dictionary.cols; j++)
        assay_matrix_row (means, i)[j]
            += assay_view_row (dictionary, (gsize) assay_array_int64 (sets)[i * w + k])[j]
               / (float) w;
  return means;
}

/* The bits of codes as numbers. */
static AssayMatrix *
signs_of_codes (const AssayRelease *release, GError **error)
{
  const AssayArray *codes = assay_arrays_get (&release->arrays, "codes");
  AssayMatrix *signs = assay_matrix_new (codes->shape[0], release->bits, error);

  for (gsize i = 0; signs != NULL && i < signs->rows; i++)
    for (gsize j = 0; j < signs->cols; j++)
      assay_matrix_row (signs, i)[j]
          = codes->data[i * codes->shape[1] + j / 8] >> (j % 8) & 1 ? 1 : -1;
  return signs;
}

/* What the items themselves say is what they are of. */
static AssayMatrix *
what_items_say (const AssayRelease *release, GError **error)
{
  switch (release->kind) {
  case ASSAY_RELEASE_VECTORS:
    return assay_matrix_copy (assay_array_view (assay_arrays_get (&release->arrays, "vectors")),
                              error);
  case ASSAY_RELEASE_VECTOR_SETS:
    return means_of_sets (release, error);
  default:
    return signs_of_codes (release, error);
  }
}

/* Rows of the program's own released as they are, in place of what the defense made of them. */
static gboolean
release_pairs_as_they_are (Making *making, GError **error)
{
  const AssayPairs *pairs = making->seen->pairs;

  making->ret_case->pairs = assay_pairs_new (pairs->has_key);
  for (guint i = 0; i < pairs->releases->len; i++) {
    const AssayOwnRelease *own = assay_pairs_get (pairs, i);
    AssayTruth *truth = assay_truth_new ();
    AssayRelease *release = likeness_release (own->release);
    AssayMatrix *copy = assay_matrix_copy (assay_own_rows (own), error);

    assay_arrays_copy (&truth->arrays, &own->known);
    if (copy != NULL)
      assay_arrays_take (&release->arrays, "vectors", assay_array_take_matrix (copy));
    g_ptr_array_add (making->ret_case->pairs->releases,
                     assay_own_release_new (release, truth, NULL));
    if (copy == NULL)
      return FALSE;
  }
  return TRUE;
}

/* Items of the first of the pairs' releases: their secrets stand beside them in pairs/. */
static gboolean
make_from_pairs (Making *making, GError **error)
{
  const AssayOwnRelease *own = assay_pairs_get (making->seen->pairs, 0);
  const AssayView rows = assay_own_rows (own);
  g_autofree gsize *chosen = likeness_choose (rows.rows, making->n, &making->stream);
  g_autoptr (AssayRows) all = assay_rows_borrow (rows);
  const AssayArray *codes;

  making->ret_case->release
      = likeness_of_items (making->seen->release, own->release, chosen, making->n, error);
  if (making->ret_case->release == NULL
      || !take_secrets (making, likeness_gather (all, chosen, making->n, ASSAY_SCALE_NONE, error)))
    return FALSE;
  codes = assay_arrays_get (&making->ret_case->release->arrays, "codes");
  if (codes != NULL)
    assay_arrays_take (&making->ret_case->truth->arrays, "codes", assay_array_copy (codes));
  return TRUE;
}

static gboolean
make_from_items (Making *making, GError **error)
{
  const AssayRelease *real = making->seen->release;
  const AssayPairs *pairs = making->seen->pairs;
  g_autofree gsize *order = likeness_choose (making->n, making->n, &making->stream);
  AssayControlCase *ret_case = making->ret_case;

  if (pairs != NULL
      && (real->kind != ASSAY_RELEASE_VECTORS
          || assay_own_rows (assay_pairs_get (pairs, 0)).cols != assay_release_cols (real)))
    return make_from_pairs (making, error);
  ret_case->release = likeness_of_items (real, real, order, making->n, error);
  if (ret_case->release == NULL
      || !take_secrets (making, what_items_say (ret_case->release, error)))
    return FALSE;
  take_groups (making, order);
  if (real->kind == ASSAY_RELEASE_CODES)
    assay_arrays_take (&ret_case->truth->arrays, "codes",
                       assay_array_copy (assay_arrays_get (&ret_case->release->arrays, "codes")));
  return plant_all (making, secrets_of (making), error)
         && (pairs == NULL || release_pairs_as_they_are (making, error));
}

/* ---- Rows that go through the map of the release ---- */

/* Planes through @rows, of the release's dimension. */
static AssayRelease *
planes_through (const AssayRelease *like, AssayView rows, AssayStream *stream, GError **error)
{
  g_autoptr (AssayRelease) planes = subspace_control_release (
      rows, NULL, 0, assay_release_subspaces (like).dimension, stream, error);
  AssayRelease *release = planes != NULL ? likeness_release (like) : NULL;

  if (release != NULL)
    assay_arrays_copy (&release->arrays, &planes->arrays);
  return release;
}

static AssayRelease *
codes_of (const AssayRelease *like, AssayView rows, GError **error)
{
  g_autoptr (AssayHashFunction) function = assay_hash_function_from (like, error);
  AssayArray *codes = function != NULL ? assay_hash_function_codes (function, rows, error) : NULL;
  AssayRelease *release = codes != NULL ? likeness_release (like) : NULL;

  if (release != NULL)
    assay_arrays_take (&release->arrays, "codes", codes);
  return release;
}

/* Rows for secrets: known ones, or points that were released. */
static AssayMatrix *
rows_for_secrets (Making *making, GError **error)
{
  const AssayRelease *real = making->seen->release;
  const gsize cols = assay_release_cols (real);
  const AssayRows *known = known_rows (making->seen, cols);
  const AssayArray *points = assay_arrays_get (&real->arrays, "translation");
  g_autoptr (AssayRows) released
      = known == NULL && points != NULL ? assay_rows_borrow (assay_array_view (points)) : NULL;
  const AssayRows *from = known != NULL ? known : released;
  g_autofree gsize *chosen
      = from != NULL ? likeness_choose (assay_rows_count (from), making->n, &making->stream) : NULL;
  AssayMatrix *rows;

  if (from != NULL)
    return likeness_gather (from, chosen, making->n, assay_release_scale (real), error);
  rows = assay_matrix_new (making->n, cols, error);
  for (gsize i = 0; rows != NULL && i < making->n * cols; i++)
    rows->data[i] = (float) assay_stream_normal (&making->stream);
  return rows;
}

static gboolean
make_from_rows (Making *making, GError **error)
{
  const AssayRelease *real = making->seen->release;
  AssayControlCase *ret_case = making->ret_case;

  if (making->seen->pairs != NULL)
    return make_from_pairs (making, error);
  if (!take_secrets (making, rows_for_secrets (making, error)))
    return FALSE;
  if (real->kind == ASSAY_RELEASE_SUBSPACES) {
    ret_case->release = planes_through (real, secrets_of (making), &making->stream, error);
    return ret_case->release != NULL;
  }
  ret_case->release = codes_of (real, secrets_of (making), error);
  if (ret_case->release != NULL)
    assay_arrays_take (&ret_case->truth->arrays, "codes",
                       assay_array_copy (assay_arrays_get (&ret_case->release->arrays, "codes")));
  return ret_case->release != NULL;
}

/* ---- Mixtures ---- */

/* The release with other images. */
static gboolean
take_images (Making *making, AssayMatrix *images)
{
  making->ret_case->release = likeness_release (making->seen->release);
  assay_arrays_take (&making->ret_case->release->arrays, "images",
                     assay_array_take_matrix (images));
  return TRUE;
}

/* How many secrets so many images are of: at least two, each in two images or more. */
static gsize
count_secrets (const AssayRelease *release, gsize n)
{
  const gint64 *epochs = ASSAY_PARAMETER (release, AssayMixturesParameters, epochs);

  return CLAMP (n / (epochs != NULL && *epochs > 2 ? (gsize) *epochs : 2), 2, n / 2);
}

/* Images of one secret each: the first of the released images in a random order. Some of the others
 * are the rows that they are held against. */
static gboolean
make_mixtures (Making *making, GError **error)
{
  const gsize n = making->n, n_secrets = count_secrets (making->seen->release, n);
  const AssayArray *images = assay_arrays_get (&making->seen->release->arrays, "images");
  g_autofree gsize *order = likeness_choose (n, n, &making->stream);
  g_autofree gsize *places = likeness_choose (n, n, &making->stream);
  g_autofree gsize *chosen = g_new (gsize, n);
  gint64 *sources = g_new (gint64, n);
  AssayMatrix *mixed;
  g_autoptr (AssayRows) all = assay_rows_borrow (assay_array_view (images));
  AssayMatrix *decoys = likeness_gather (all, order + n_secrets, MIN (DECOYS, n - n_secrets),
                                         ASSAY_SCALE_NONE, error);

  for (gsize i = 0; i < n; i++) {
    sources[i] = (gint64) (places[i] % n_secrets);
    chosen[i] = order[places[i] % n_secrets];
  }
  if (!take_secrets (making, likeness_gather (all, order, n_secrets, ASSAY_SCALE_NONE, error))) {
    g_free (sources);
    assay_matrix_free (decoys);
    return FALSE;
  }
  take_numbers (making, "sources", n, sources);
  mixed = likeness_gather (all, chosen, n, ASSAY_SCALE_NONE, error);
  if (decoys != NULL)
    assay_arrays_take (&making->ret_case->truth->arrays, "decoys",
                       assay_array_take_matrix (decoys));
  if (decoys == NULL || mixed == NULL) {
    assay_matrix_free (mixed);
    return FALSE;
  }
  likeness_change (mixed, &making->stream);
  return take_images (making, mixed);
}

/* ---- Link ---- */

static gboolean
make_link (Making *making, GError **error)
{
  const AssayRelease *real = making->seen->release;
  const AssayRows *rows = making->seen->public_rows;
  g_autofree gsize *chosen = likeness_choose (assay_rows_count (rows), making->n, &making->stream);
  AssayMatrix *items = likeness_gather (rows, chosen, making->n, assay_release_scale (real), error);
  gint64 *partners;

  if (items == NULL)
    return FALSE;
  partners = g_new (gint64, making->n);
  for (gsize i = 0; i < making->n; i++)
    partners[i] = (gint64) chosen[i];
  take_numbers (making, "partners", making->n, partners);
  if (real->kind == ASSAY_RELEASE_SUBSPACES) {
    making->ret_case->release
        = planes_through (real, assay_matrix_view (items), &making->stream, error);
    assay_matrix_free (items);
    return making->ret_case->release != NULL;
  }
  likeness_change (items, &making->stream);
  if (real->kind == ASSAY_RELEASE_MIXTURES)
    return take_images (making, items);
  making->ret_case->release = likeness_release (real);
  assay_arrays_take (&making->ret_case->release->arrays, "vectors",
                     assay_array_take_matrix (items));
  return TRUE;
}

static gboolean
can_link (const AssayObservation *seen)
{
  const guint kinds = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_MIXTURES;

  return (seen->release->kind & kinds) != 0 && seen->public_rows != NULL && seen->pairs == NULL
         && assay_rows_cols (seen->public_rows) == assay_release_cols (seen->release);
}

gboolean
exec_likeness_make (AssayGame game, AssayStreamKey key, const AssayObservation *seen,
                    AssayControlCase *ret_case, GError **error)
{
  Making making = { seen, assay_stream (key, 0), assay_release_count (seen->release), ret_case };

  if (game == ASSAY_GAME_LINK)
    return !can_link (seen) || make_link (&making, error);
  switch (seen->release->kind) {
  case ASSAY_RELEASE_VECTORS:
  case ASSAY_RELEASE_VECTOR_SETS:
    return make_from_items (&making, error);
  case ASSAY_RELEASE_CODES:
    return assay_arrays_get (&seen->release->arrays, "projection") != NULL
               ? make_from_rows (&making, error)
               : make_from_items (&making, error);
  case ASSAY_RELEASE_SUBSPACES:
    return make_from_rows (&making, error);
  case ASSAY_RELEASE_MIXTURES:
    return making.n < 4 || make_mixtures (&making, error);
  default:
    return TRUE;
  }
}
