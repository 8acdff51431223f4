/* Another program as the defense: `command = python3 my_defense.py`.
 *
 * Source: Assay; the folder and its formats stand in core/external/exec-folder.h and
 * core/data/exchange.h. The program is given secrets.npy (n x d), labels.npy where the secrets have
 * classes, and what `uses` names of the database and the public set, and writes release/.
 *
 * Attacks are matched with the kind of a release before anything runs: here the setting `produces`
 * says it (AssayDefense.kind), and a program that releases another kind is refused. One release is
 * one process, however many secrets there are. Refused are also a release of another number of
 * items than secrets (statistics are one for all, mixtures any number), and rows with another
 * number of columns, but for vectors: embeddings, projections and thumbnails (whose size the
 * release says) are attacked by who learns the way back from runs of the program, or compares with
 * what it makes of public rows. Results repeat if the program draws its random numbers from the
 * seed of the request alone.
 *
 * A program that claims epsilon is a mechanism too (exec-mechanism.h), whether or not it is ever
 * asked for a release. */
#include "core/math/column-units.h"
#include "core/external/exec-folder.h"
#include "core/plugin/callbacks.h"
#include "core/plugin/plugin.h"
#include "defenses/external/exec-canaries.h"
#include "defenses/external/exec-domain.h"
#include "defenses/external/exec-mechanism.h"

enum { USES_NOTHING, USES_DATABASE, USES_PUBLIC, USES_BOTH };

static const char *const materials[] = { "nothing", "database", "public", "both", NULL };

typedef struct {
  ExecMechanism mechanism;
  guint produces;
  guint uses;
} Exec;

ASSAY_OF_SETTINGS (AssayReleaseKind, kind, Exec,
                   assay_release_kind_from_name (assay_release_kinds[settings->produces]))

static guint
uses (gconstpointer data)
{
  static const guint grants[] = { [USES_NOTHING] = ASSAY_GRANT_NONE,
                                  [USES_DATABASE] = ASSAY_GRANT_DATABASE,
                                  [USES_PUBLIC] = ASSAY_GRANT_PUBLIC,
                                  [USES_BOTH] = ASSAY_GRANT_DATABASE | ASSAY_GRANT_PUBLIC };
  const Exec *settings = data;

  return grants[settings->uses];
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const Exec *settings = data;

  return assay_exec_check (&settings->mechanism.exec, error)
         && exec_mechanism_check (&settings->mechanism, error);
}

static void
locate (gpointer data, const char *folder)
{
  Exec *settings = data;

  assay_exec_locate (&settings->mechanism.exec, folder);
}

ASSAY_OF_SETTINGS (GPtrArray *, files, Exec, exec_mechanism_files (&settings->mechanism))

ASSAY_OF_SETTINGS (char *, confinement, Exec,
                   assay_confine_describe ((AssayConfine) settings->mechanism.exec.confine))

/* The program's own, copies of what it is given, and a batch of runs. */
static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const Exec *settings = data;
  const guint granted = uses (data);
  const guint64 rows = shape->n_secrets + (granted & ASSAY_GRANT_DATABASE ? shape->n_database : 0)
                       + (granted & ASSAY_GRANT_PUBLIC ? shape->n_public : 0);

  return ((guint64) settings->mechanism.exec.memory_limit << 20)
         + rows * shape->cols * sizeof (float) + exec_mechanism_memory (&settings->mechanism);
}

/* Rows in their own units (AssayGeometry); @rows NULL: nothing. */
static gboolean
add_rows (AssayExecFolder *folder, const char *name, const AssayRows *rows, const float *units,
          GError **error)
{
  g_autoptr (AssayMatrix) scaled = NULL;
  g_autoptr (AssayMatrix) own = NULL;

  if (rows == NULL || units == NULL)
    return assay_exec_folder_add_rows (folder, name, rows, error);
  scaled = assay_rows_matrix (rows, ASSAY_SCALE_NONE, error);
  own = scaled != NULL ? assay_columns_multiply (assay_matrix_view (scaled), units, error) : NULL;
  return own != NULL && assay_exec_folder_add_view (folder, name, assay_matrix_view (own), error);
}

/* What was released of rows in their own units, in those of the dataset: vectors that still have
 * the columns of the secrets. Codes, statistics and updates have none of them. */
static gboolean
scale_answer (AssayRelease *made, AssayReleaseKind released, gsize cols, const float *units,
              GError **error)
{
  const AssayArray *vectors = assay_arrays_get (&made->arrays, "vectors");
  g_autoptr (AssayMatrix) scaled = NULL;

  if (units == NULL || assay_release_cols (made) != cols)
    return TRUE;
  if (released != ASSAY_RELEASE_VECTORS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "scale = columns is not for releases of kind %s: expected vectors, or "
                       "another scale in [dataset]",
                       assay_release_kind_name (released));
  scaled = assay_columns_divide (assay_array_view (vectors), units, error);
  if (scaled == NULL)
    return FALSE;
  assay_arrays_take_matrix (&made->arrays, "vectors", &scaled);
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const Exec *settings = context->settings;
  const AssayExecRequest request = { .role = "defense",
                                     .stream = context->stream,
                                     .key = context->common_stream,
                                     .n = secrets.rows,
                                     .cols = secrets.cols,
                                     .geometry = &context->geometry,
                                     .kind = kind (settings) };
  const float *units = context->geometry.units;
  g_autoptr (AssayMatrix) own = NULL;
  g_autoptr (AssayExecFolder) folder = NULL;
  g_autoptr (AssayRelease) made = NULL;

  if (units != NULL) {
    own = assay_columns_multiply (secrets, units, error);
    if (own == NULL)
      return FALSE;
    secrets = assay_matrix_view (own);
  }
  if (secrets.rows == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "there are no secrets; expected some");
  if (!exec_domain_check_secrets (&settings->mechanism, secrets, error))
    return FALSE;
  folder = assay_exec_folder_new (&request, &settings->mechanism.exec, error);
  if (folder == NULL || !assay_exec_folder_add_view (folder, "secrets", secrets, error)
      || !assay_exec_folder_add_numbers (folder, "labels", context->labels, secrets.rows, error)
      || !add_rows (folder, "database", context->database, units, error)
      || !add_rows (folder, "public", context->public_rows, units, error)
      || (context->key_of != NULL
          && !assay_exec_folder_add_release (folder, "key", context->key_of, error)))
    return FALSE;
  made = assay_exec_folder_run_defense (folder, error);
  if (made == NULL
      || !assay_release_check_answer (made, request.kind, secrets.rows, secrets.cols, error)
      || !scale_answer (made, request.kind, secrets.cols, units, error))
    return FALSE;
  assay_release_take_answer (ret_release, made);
  return TRUE;
}

static const AssayExternal external
    = { .locate = locate, .files = files, .confinement = confinement };

ASSAY_DEFENSE (exec, "exec",
  .summary = "Another program as the defense, in any language: reads and writes .npy files",
  .reference = { "Assay", "core/external/exec-folder.h" },
  ASSAY_SETTINGS (Exec,
    ASSAY_EXEC_PARAMETERS,
    ASSAY_PARAM_CHOICE (Exec, produces, 0, assay_release_kinds,
                        "Kind of what the program releases"),
    ASSAY_PARAM_CHOICE (Exec, uses, USES_NOTHING, materials,
                        "What the program is given beside the secrets"),
    EXEC_MECHANISM_PARAMETERS,
    EXEC_DOMAIN_PARAMETERS,
    EXEC_CANARY_PARAMETERS),
  .check = check,
  .memory = memory,
  .external = &external,
  .produces = ASSAY_RELEASE_ANY,
  .kind = kind,
  .claim = "what the settings epsilon and delta say, of the pairs of inputs in a file",
  .mechanism = &exec_mechanism,
  .uses = uses,
  .protect = protect);
