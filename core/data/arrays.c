/* Named arrays, and the rules for them. */
#include "core/data/arrays.h"

#include <string.h>

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/base/text.h"

void
assay_arrays_init (AssayArrays *arrays)
{
  arrays->names = g_ptr_array_new_with_free_func (g_free);
  arrays->arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_array_free);
}

ASSAY_CLEAR_FUNC (AssayArrays, assay_arrays_clear, g_ptr_array_unref (self->names),
                  g_ptr_array_unref (self->arrays))

void
assay_arrays_take (AssayArrays *arrays, const char *name, AssayArray *array)
{
  guint place;

  if (g_ptr_array_find_with_equal_func (arrays->names, name, g_str_equal, &place)) {
    g_ptr_array_remove_index (arrays->names, place);
    g_ptr_array_remove_index (arrays->arrays, place);
  }
  g_ptr_array_add (arrays->names, g_strdup (name));
  g_ptr_array_add (arrays->arrays, array);
}

void
assay_arrays_take_matrix (AssayArrays *arrays, const char *name, AssayMatrix **matrix)
{
  if (*matrix != NULL)
    assay_arrays_take (arrays, name, assay_array_take_matrix (g_steal_pointer (matrix)));
}

void
assay_arrays_take_rows (AssayArrays *arrays, const char *name, AssayType type, gsize rows,
                        gsize cols, gpointer values)
{
  assay_arrays_take (arrays, name,
                     assay_array_take (type, 2, (const gsize[]){ rows, cols }, values));
}

const AssayArray *
assay_arrays_get (const AssayArrays *arrays, const char *name)
{
  guint place;

  return g_ptr_array_find_with_equal_func (arrays->names, name, g_str_equal, &place)
             ? arrays->arrays->pdata[place]
             : NULL;
}

void
assay_arrays_copy (AssayArrays *arrays, const AssayArrays *from)
{
  for (guint i = 0; i < from->names->len; i++)
    assay_arrays_take (arrays, from->names->pdata[i], assay_array_copy (from->arrays->pdata[i]));
}

gsize
assay_arrays_bytes (const AssayArrays *arrays)
{
  gsize bytes = 0;

  ASSAY_FOR_EACH (const AssayArray, array, arrays->arrays) {
    bytes += assay_array_count (array) * assay_type_size (array->type);
  }
  return bytes;
}

/* ---- Checks ---- */

/* What each letter stands for; G_MAXSIZE: not known yet. */
typedef struct {
  gsize sizes[128];
} Sizes;

/* A list begins: its own letters are free again. */
static void
forget_own_letters (Sizes *letters)
{
  for (guint i = 0; i < G_N_ELEMENTS (letters->sizes); i++)
    if (i != 'n' && i != 'N' && i != 'd')
      letters->sizes[i] = G_MAXSIZE;
}

static gboolean
check_array (const AssayArraySpec *spec, const AssayArray *array, Sizes *letters, GError **error)
{
  g_autofree char *found = assay_array_describe (array);
  const gsize least = strcspn (spec->dimensions, "-");
  const char *rest = spec->dimensions[least] == '-' ? spec->dimensions + least + 1 : "";

  if (array->type != spec->type
      || (array->n_dimensions != least && array->n_dimensions != least + strlen (rest)))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "array '%s': expected %s of %zu dimensions, found %s", spec->name,
                       assay_type_name (spec->type), least, found);
  for (guint i = 0; i < array->n_dimensions; i++) {
    const char letter = i < least ? spec->dimensions[i] : rest[i - least];
    gsize *size = &letters->sizes[(guchar) letter];

    if (*size == G_MAXSIZE)
      *size = array->shape[i];
    if (*size != array->shape[i])
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "array '%s' is %s, but %c = %zu by the arrays before it", spec->name,
                         found, letter, *size);
  }
  return array->type != ASSAY_FLOAT32
         || assay_view_check_finite (assay_array_view (array), spec->name, error);
}

static gboolean
check_list (const AssayArraySpec *list, const AssayArrays *arrays, Sizes *letters, GError **error)
{
  for (const AssayArraySpec *spec = list; spec->name != NULL; spec++) {
    const AssayArray *array = assay_arrays_get (arrays, spec->name);

    if (array == NULL && !spec->is_optional)
      return assay_fail (error, ASSAY_ERROR_MISMATCH, "array '%s' is missing", spec->name);
    if (array != NULL && !check_array (spec, array, letters, error))
      return FALSE;
  }
  return TRUE;
}

/* Two lists may have the same array: those of an attack here and of a plugin that is loaded. */
static gboolean
check_known (const char *name, const AssayArraySpec *const *lists, const char *what, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;
  g_autofree char *all = NULL;

  for (; *lists != NULL; lists++)
    for (const AssayArraySpec *spec = *lists; spec->name != NULL; spec++)
      g_ptr_array_add (names, (gpointer) spec->name);
  if (assay_names_have (names, name))
    return TRUE;
  hint = assay_names_hint (names, name);
  all = g_strjoinv (", ", (char **) names->pdata);
  return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s: unknown array '%s'%s; expected %s", what,
                     name, hint, all);
}

gboolean
assay_arrays_check (const AssayArrays *arrays, const AssayArraySpec *const *lists, const char *what,
                    GError **error)
{
  Sizes letters = { { ['n'] = G_MAXSIZE, ['N'] = G_MAXSIZE, ['d'] = G_MAXSIZE } };

  for (const AssayArraySpec *const *list = lists; *list != NULL; list++) {
    forget_own_letters (&letters);
    if (!check_list (*list, arrays, &letters, error))
      return assay_prefix (error, "%s: ", what);
  }
  for (guint i = 0; i < arrays->names->len; i++)
    if (!check_known (arrays->names->pdata[i], lists, what, error))
      return FALSE;
  if (letters.sizes['n'] == 0 || letters.sizes['d'] == 0 || letters.sizes['N'] == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s is empty", what);
  return TRUE;
}
