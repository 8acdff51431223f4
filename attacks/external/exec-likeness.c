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
 *   mixtures     images of one secret each, which are images that were released, with noise; of
 *                fewer than four all of one secret
 *   statistics   likeness-statistics.c
 *   link         likeness-link.c
 *   pair         mixtures of one image each, several of a secret, with noise
 *   infer, member, cross   likeness-own.c
 *
 * A little is a tenth of the rows' deviation. Where none can be made the release is left NULL: the
 * small control is played, and upholds nothing (runner/judge/cells.c). That everything is
 * given away can be found out, by who finds it: a program that first breaks the release and then
 * hides what it found cannot be told from one that breaks this one alone. That is what the
 * reference of a claim is for (docs/what-a-verdict-means.md). */
#include "attacks/external/exec-likeness.h"

#include "attacks/external/likeness-cases.h"
#include "core/data/kinds/mixtures.h"

enum { DECOYS = 64, LEAST_MIXTURES = 4 };

static gboolean
plant_all (Likeness *making, AssayView secrets, GError **error)
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

/* ---- Releases of single secrets ---- */

/* Groups follow their secrets. */
static void
take_groups (Likeness *making, const gsize *order)
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

/* Items of the first of the pairs' releases: their secrets stand beside them in pairs/. */
static gboolean
make_from_pairs (Likeness *making, GError **error)
{
  const AssayOwnRelease *own = assay_pairs_get (making->seen->pairs, 0);
  const AssayView rows = assay_own_rows (own);
  g_autofree gsize *chosen = likeness_choose (rows.rows, making->n, &making->stream);
  g_autoptr (AssayRows) all = assay_rows_borrow (rows);
  const AssayArray *codes;

  making->ret_case->release
      = likeness_of_items (making->seen->release, own->release, chosen, making->n, error);
  if (making->ret_case->release == NULL
      || !likeness_take_secrets (making,
                                 likeness_gather (all, chosen, making->n, ASSAY_SCALE_NONE, error)))
    return FALSE;
  codes = assay_arrays_get (&making->ret_case->release->arrays, "codes");
  if (codes != NULL)
    assay_arrays_take (&making->ret_case->truth->arrays, "codes", assay_array_copy (codes));
  return TRUE;
}

static gboolean
make_from_items (Likeness *making, GError **error)
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
      || !likeness_take_secrets (making, what_items_say (ret_case->release, error)))
    return FALSE;
  take_groups (making, order);
  if (real->kind == ASSAY_RELEASE_CODES)
    assay_arrays_take (&ret_case->truth->arrays, "codes",
                       assay_array_copy (assay_arrays_get (&ret_case->release->arrays, "codes")));
  return plant_all (making, likeness_secrets (making), error)
         && (pairs == NULL || likeness_pairs_as_they_are (making, error));
}

/* ---- Rows that go through the map of the release ---- */

/* Rows for secrets: known ones, or points that were released. */
static AssayMatrix *
rows_for_secrets (Likeness *making, GError **error)
{
  const AssayRelease *real = making->seen->release;
  const gsize cols = assay_release_cols (real);
  const AssayRows *known = likeness_known_rows (making->seen, cols);
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
make_from_rows (Likeness *making, GError **error)
{
  const AssayRelease *real = making->seen->release;
  AssayControlCase *ret_case = making->ret_case;

  if (making->seen->pairs != NULL)
    return make_from_pairs (making, error);
  if (!likeness_take_secrets (making, rows_for_secrets (making, error)))
    return FALSE;
  if (real->kind == ASSAY_RELEASE_SUBSPACES) {
    ret_case->release = likeness_planes (real, likeness_secrets (making), &making->stream, error);
    return ret_case->release != NULL;
  }
  ret_case->release = likeness_codes (real, likeness_secrets (making), error);
  if (ret_case->release != NULL)
    assay_arrays_take (&ret_case->truth->arrays, "codes",
                       assay_array_copy (assay_arrays_get (&ret_case->release->arrays, "codes")));
  return ret_case->release != NULL;
}

/* ---- Mixtures ---- */

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
make_mixtures (Likeness *making, GError **error)
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
  if (!likeness_take_secrets (making,
                              likeness_gather (all, order, n_secrets, ASSAY_SCALE_NONE, error))) {
    g_free (sources);
    assay_matrix_free (decoys);
    return FALSE;
  }
  likeness_take_numbers (making, "sources", n, sources);
  mixed = likeness_gather (all, chosen, n, ASSAY_SCALE_NONE, error);
  if (decoys != NULL)
    assay_arrays_take (&making->ret_case->truth->arrays, "decoys",
                       assay_array_take_matrix (decoys));
  if (decoys == NULL || mixed == NULL) {
    assay_matrix_free (mixed);
    return FALSE;
  }
  likeness_change (mixed, &making->stream);
  return likeness_take_images (making, mixed);
}

/* Rows that could be secrets as well: known ones, else a released image with its pixels in other
 * places. */
static AssayMatrix *
decoys_of (Likeness *making, AssayView image, GError **error)
{
  const AssayRows *known = likeness_known_rows (making->seen, image.cols);
  AssayMatrix *decoys;

  if (known != NULL && assay_rows_count (known) >= DECOYS) {
    g_autofree gsize *chosen = likeness_choose (assay_rows_count (known), DECOYS, &making->stream);

    return likeness_gather (known, chosen, DECOYS, ASSAY_SCALE_NONE, error);
  }
  decoys = assay_matrix_new (DECOYS, image.cols, error);
  for (gsize i = 0; decoys != NULL && i < DECOYS; i++) {
    g_autofree gsize *order = likeness_choose (image.cols, image.cols, &making->stream);

    for (gsize j = 0; j < image.cols; j++)
      assay_matrix_row (decoys, i)[j] = assay_view_row (image, 0)[order[j]];
  }
  return decoys;
}

/* All of one secret, which is one of them. */
static gboolean
make_few_mixtures (Likeness *making, GError **error)
{
  const AssayView images
      = assay_array_view (assay_arrays_get (&making->seen->release->arrays, "images"));
  const gsize first = (gsize) assay_stream_below (&making->stream, images.rows);
  g_autofree gsize *chosen = g_new (gsize, making->n);
  g_autoptr (AssayRows) all = assay_rows_borrow (images);
  AssayMatrix *decoys, *mixed;

  for (gsize i = 0; i < making->n; i++)
    chosen[i] = first;
  if (!likeness_take_secrets (making, likeness_gather (all, chosen, 1, ASSAY_SCALE_NONE, error)))
    return FALSE;
  decoys = decoys_of (making, assay_view_rows (images, first, 1), error);
  if (decoys == NULL)
    return FALSE;
  assay_arrays_take (&making->ret_case->truth->arrays, "decoys", assay_array_take_matrix (decoys));
  mixed = likeness_gather (all, chosen, making->n, ASSAY_SCALE_NONE, error);
  if (mixed == NULL)
    return FALSE;
  likeness_change (mixed, &making->stream);
  return likeness_take_images (making, mixed);
}

gboolean
exec_likeness_make (AssayGame game, AssayStreamKey key, const AssayObservation *seen,
                    AssayControlCase *ret_case, GError **error)
{
  Likeness making = { seen, assay_stream (key, 0), assay_release_count (seen->release), ret_case };

  switch (game) {
  case ASSAY_GAME_LINK:
    return likeness_link (&making, error);
  case ASSAY_GAME_INFER:
    return likeness_infer (&making, error);
  case ASSAY_GAME_MEMBER:
    return likeness_member (&making, error);
  case ASSAY_GAME_CROSS:
    return likeness_cross (&making, error);
  default:
    break;
  }
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
    if (making.n >= LEAST_MIXTURES)
      return make_mixtures (&making, error);
    /* Which of so few share a secret is guessed too easily. */
    return game == ASSAY_GAME_PAIR || make_few_mixtures (&making, error);
  case ASSAY_RELEASE_STATISTICS:
    return likeness_statistics (&making, error);
  default:
    return TRUE;
  }
}
