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
