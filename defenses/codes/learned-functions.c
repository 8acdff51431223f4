/* Hash functions that were learned. */
#include "defenses/codes/learned-functions.h"

#include "core/base/shared-work.h"

/* One for the process: what is learned depends on its key alone. */
static guint64
find_owner (void)
{
  static gsize is_set;
  static guint64 owner;

  if (g_once_init_enter (&is_set)) {
    owner = assay_shared_owner ();
    g_once_init_leave (&is_set, 1);
  }
  return owner;
}

char *
learned_function_key (HashMethod method, const HashSettings *settings, const HashTraining *training)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *text = g_strdup_printf (
      "%u bits %" G_GINT64_FORMAT " iterations %" G_GINT64_FORMAT " anchors %" G_GINT64_FORMAT
      " labelled %" G_GINT64_FORMAT " width %a lambda %a nu %a stream %u %u rows %" G_GSIZE_FORMAT
      " x %" G_GSIZE_FORMAT " classes %" G_GSIZE_FORMAT "\n",
      (guint) method, settings->bits, settings->iterations, settings->anchors, settings->labelled,
      settings->width, settings->lambda, settings->nu, training->stream.word[0],
      training->stream.word[1], training->rows.rows, training->rows.cols, training->n_classes);

  g_checksum_update (checksum, (const guchar *) text, -1);
  for (gsize i = 0; i < training->rows.rows; i++)
    g_checksum_update (checksum, (const guchar *) assay_view_row (training->rows, i),
                       (gssize) (training->rows.cols * sizeof (float)));
  if (training->labels != NULL)
    g_checksum_update (checksum, (const guchar *) training->labels,
                       (gssize) (training->rows.rows * sizeof (gint64)));
  return g_strdup (g_checksum_get_string (checksum));
}

static AssayMatrix *
copy_matrix (const AssayMatrix *matrix)
{
  return matrix != NULL ? assay_matrix_copy (assay_matrix_view (matrix), NULL) : NULL;
}

/* NULL where memory is short: then it is learned again. */
static AssayHashFunction *
copy_function (const AssayHashFunction *function)
{
  g_autoptr (AssayHashFunction) copy = assay_hash_function_new ();

  copy->mean = copy_matrix (function->mean);
  copy->projection = copy_matrix (function->projection);
  copy->anchors = copy_matrix (function->anchors);
  copy->waves = copy_matrix (function->waves);
  copy->width = function->width;
  if (copy->mean == NULL || copy->projection == NULL
      || (copy->anchors == NULL) != (function->anchors == NULL)
      || (copy->waves == NULL) != (function->waves == NULL))
    return NULL;
  return g_steal_pointer (&copy);
}

static gsize
bytes_of (const AssayHashFunction *function)
{
  const AssayMatrix *matrices[]
      = { function->mean, function->projection, function->anchors, function->waves };
  gsize bytes = 0;

  for (guint i = 0; i < G_N_ELEMENTS (matrices); i++)
    if (matrices[i] != NULL)
      bytes += matrices[i]->rows * matrices[i]->cols * sizeof (float);
  return bytes;
}

AssayHashFunction *
learned_function_find (const char *key)
{
  g_autoptr (AssayShared) kept = assay_shared_find (find_owner (), key);

  return kept != NULL ? copy_function (assay_shared_value (kept)) : NULL;
}

void
learned_function_keep (const char *key, const AssayHashFunction *function)
{
  AssayHashFunction *copy = copy_function (function);

  if (copy != NULL)
    assay_shared_release (assay_shared_add (find_owner (), key, copy, bytes_of (copy),
                                            (GDestroyNotify) assay_hash_function_free));
}
