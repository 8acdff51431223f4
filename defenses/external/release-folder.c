/* An external release, which was made outside Assay: `folder = mine/release`.
 *
 * Source: Assay; the folder is one of core/data/exchange.h (release.json and .npy files). Nothing
 * is protected here: the secrets of the cell are those that the folder is a release of, in the
 * order of their rows. The dataset must therefore keep its order ([dataset] order = file, or the
 * dataset truth-folder), and several trials need a folder each (folder = releases/{trial}).
 *
 * `truth` names a truth folder with what games need to know beside the secrets: adversarial rows,
 * sources, partners, owners and coefficients of mixtures, codes before they were randomised. Its
 * secrets must be those of the cell, number by number: that is what tells a truth in another order
 * from one that belongs to the release.
 *
 * Attacks are matched with the kind of a release when a scenario is loaded, without its files where
 * a run is reported later: here the setting `produces` says it, and a folder of another kind is
 * refused. */
#include <string.h>

#include "core/data/kinds/mixtures.h"
#include "core/external/external-folder.h"
#include "core/plugin/callbacks.h"
#include "core/plugin/plugin.h"

typedef struct {
  char *folder;
  char *truth;
  guint produces;
} Folder;

ASSAY_OF_SETTINGS (AssayReleaseKind, kind, Folder,
                   assay_release_kind_from_name (assay_release_kinds[settings->produces]))

/* ---- The release ---- */

static AssayRelease *
read_release (const Folder *settings, const AssayRunPosition *position, gsize n_secrets, gsize cols,
              GError **error)
{
  g_autofree char *path = assay_external_folder_find (settings->folder, position, error);
  g_autoptr (AssayRelease) release = path != NULL ? assay_release_read (path, error) : NULL;

  if (release == NULL)
    return NULL;
  if (assay_release_check_answer (release, kind (settings), n_secrets, cols, error))
    return g_steal_pointer (&release);
  g_prefix_error (error, "%s: ", path);
  return NULL;
}

/* ---- The truth ---- */

static gboolean
check_truth (const AssayTruth *truth, gsize n_secrets, gsize cols, GError **error)
{
  const AssayView rows = assay_array_view (assay_arrays_get (&truth->arrays, "secrets"));

  return (rows.rows == n_secrets && rows.cols == cols)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "the truth holds %zu x %zu secrets, expected the %zu x %zu of the cell",
                        rows.rows, rows.cols, n_secrets, cols);
}

/* NULL without an error: none was named. */
static gboolean
read_truth (const Folder *settings, const AssayRunPosition *position, gsize n_secrets, gsize cols,
            AssayTruth **ret_truth, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  AssayRunPosition first = *position;

  if (*settings->truth == '\0')
    return TRUE;
  first.repeat = 0; /* one truth for all releases of the same secrets */
  path = assay_external_folder_find (settings->truth, &first, error);
  truth = path != NULL ? assay_truth_read (path, error) : NULL;
  if (truth == NULL)
    return FALSE;
  if (!check_truth (truth, n_secrets, cols, error)) {
    g_prefix_error (error, "%s: ", path);
    return FALSE;
  }
  *ret_truth = g_steal_pointer (&truth);
  return TRUE;
}

static gboolean
check_same_secrets (const char *folder, const AssayTruth *truth, AssayView secrets, GError **error)
{
  const AssayView rows = assay_array_view (assay_arrays_get (&truth->arrays, "secrets"));

  for (gsize i = 0; i < secrets.rows; i++)
    if (memcmp (assay_view_row (rows, i), assay_view_row (secrets, i),
                secrets.cols * sizeof (float))
        != 0)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "%s: secret %zu is not that of the cell; expected the same secrets in the "
                         "same order",
                         folder, i);
  return TRUE;
}

/* What the truth knows and the dataset does not. */
static void
add_truth (const AssayTruth *made, AssayTruth *truth)
{
  for (guint i = 0; i < made->arrays.names->len; i++) {
    const char *name = made->arrays.names->pdata[i];

    if (assay_arrays_get (&truth->arrays, name) == NULL || g_str_equal (name, "partners"))
      assay_arrays_take (&truth->arrays, name, assay_array_copy (made->arrays.arrays->pdata[i]));
  }
}

/* ---- Callbacks ---- */

static char *
verify (gconstpointer data, const AssayRunPosition *position, const AssayShape *shape,
        GError **error)
{
  const Folder *settings = data;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (AssayRelease) release
      = read_release (settings, position, shape->n_secrets, shape->cols, error);
  g_autoptr (AssayTruth) truth = NULL;

  if (release == NULL
      || !read_truth (settings, position, shape->n_secrets, shape->cols, &truth, error))
    return NULL;
  assay_external_hash (checksum, "release", &release->arrays);
  if (truth != NULL)
    assay_external_hash (checksum, "truth", &truth->arrays);
  return g_strdup (g_checksum_get_string (checksum));
}

/* By the release itself: what does not read is told by `verify`. */
static void
release_shape (gconstpointer data, const AssayRunPosition *position, AssayShape *inout_shape)
{
  const Folder *settings = data;
  g_autoptr (AssayRelease) release
      = read_release (settings, position, inout_shape->n_secrets, inout_shape->cols, NULL);
  const AssayArray *labels;
  const gint64 *k;

  if (release == NULL || release->kind != ASSAY_RELEASE_MIXTURES)
    return;
  k = ASSAY_PARAMETER (release, AssayMixturesParameters, k);
  labels = assay_arrays_get (&release->arrays, "labels");
  inout_shape->n_released = assay_release_count (release);
  inout_shape->n_members = k != NULL ? (gsize) *k : 0;
  if (labels != NULL)
    inout_shape->n_classes = labels->shape[1];
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Folder *settings = context->settings;
  g_autoptr (AssayRelease) made
      = read_release (settings, &context->position, secrets.rows, secrets.cols, error);
  g_autoptr (AssayTruth) truth = NULL;

  if (made == NULL
      || !read_truth (settings, &context->position, secrets.rows, secrets.cols, &truth, error)
      || (truth != NULL && !check_same_secrets (settings->truth, truth, secrets, error)))
    return FALSE;
  assay_release_take_answer (ret_release, made);
  /* What its maker says of it, for people. */
  g_free (ret_release->defense);
  g_free (ret_release->settings);
  ret_release->defense = g_steal_pointer (&made->defense);
  ret_release->settings = g_steal_pointer (&made->settings);
  if (truth != NULL)
    add_truth (truth, ret_truth);
  return TRUE;
}

static const AssayExternal external = { .verify = verify, .release_shape = release_shape };

ASSAY_DEFENSE (release_folder, "release-folder",
  .summary = "An external release, read from a folder of .npy files",
  .reference = { "Assay", "core/data/exchange.h" },
  ASSAY_SETTINGS (Folder,
    ASSAY_PARAM_STRING (Folder, folder, NULL,
                        "The release folder; {trial} and {repeat} stand for numbers from 0: repeat "
                        "0 is attacked, the others are further releases"),
    ASSAY_PARAM_STRING (Folder, truth, "",
                        "Truth folder with what games need beside the secrets: adversarial, "
                        "sources, partners, owners, coefficients, codes"),
    ASSAY_PARAM_CHOICE (Folder, produces, 0, assay_release_kinds,
                        "Kind of the release in the folder")),
  .produces = ASSAY_RELEASE_ANY,
  .kind = kind,
  .protect = protect,
  .external = &external);
