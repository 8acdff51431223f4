/* The member "geometry" of release.json and truth.json:
 *   { "unit_norm": true, "height": 28, "width": 28, "channels": 1, "black": 0, "white": 1 }
 * unit_norm stands in releases alone, the others where rows are images. */
#include "core/data/folders/geometry.h"

#include <math.h>
#include <stddef.h>

#include "core/base/error.h"

void
assay_geometry_write (AssayJson *json, const AssayGeometry *geometry, const gboolean *is_unit_norm)
{
  if (is_unit_norm == NULL && geometry->height == 0)
    return;
  assay_json_write (json, "geometry {");
  if (is_unit_norm != NULL)
    assay_json_write (json, "unit_norm %i", *is_unit_norm);
  if (geometry->height > 0)
    assay_json_write (json, "height %zu width %zu channels %zu black %g white %g",
                      geometry->height, geometry->width, geometry->channels,
                      (double) geometry->black, (double) geometry->white);
  assay_json_end_object (json);
}

/* The members that say what images are, in the order in which messages list them: sizes, and the
 * levels that show black and white. */
static const struct {
  const char *name;
  gsize offset;
  gboolean is_size;
} members[] = {
  { "height", offsetof (AssayGeometry, height), TRUE },
  { "width", offsetof (AssayGeometry, width), TRUE },
  { "channels", offsetof (AssayGeometry, channels), TRUE },
  { "black", offsetof (AssayGeometry, black), FALSE },
  { "white", offsetof (AssayGeometry, white), FALSE },
};

static GType
type_of (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
}

static gboolean
read_unit_norm (const char *file, JsonNode *node, gboolean *ret_is_unit_norm, GError **error)
{
  if (type_of (node) != G_TYPE_BOOLEAN)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: geometry: expected unit_norm to be true or false", file);
  *ret_is_unit_norm = json_node_get_boolean (node);
  return TRUE;
}

static gboolean
read_member (const char *file, guint member, JsonNode *node, AssayGeometry *inout_geometry,
             GError **error)
{
  const gboolean is_size = members[member].is_size, is_int = type_of (node) == G_TYPE_INT64;
  const double number
      = is_int || type_of (node) == G_TYPE_DOUBLE ? json_node_get_double (node) : NAN;
  gpointer field = (guint8 *) inout_geometry + members[member].offset;

  if (is_size ? !is_int || number < 1 : !isfinite (number))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: geometry: expected %s to be %s", file,
                       members[member].name,
                       is_size ? "a whole number of 1 or more" : "a finite number");
  if (is_size)
    *(gsize *) field = (gsize) json_node_get_int (node);
  else
    *(double *) field = number;
  return TRUE;
}

/* Reads what stands in @object; @ret_found is the set of members that are there. */
static gboolean
read_members (JsonObject *object, const char *file, AssayGeometry *inout_geometry,
              gboolean *ret_is_unit_norm, guint *ret_found, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node)) {
    guint member = 0;

    while (member < G_N_ELEMENTS (members) && !g_str_equal (members[member].name, name))
      member++;
    if (member < G_N_ELEMENTS (members)) {
      *ret_found |= 1u << member;
      if (!read_member (file, member, node, inout_geometry, error))
        return FALSE;
    } else if (ret_is_unit_norm == NULL || !g_str_equal (name, "unit_norm"))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: geometry has a member '%s', expected %sheight, width, channels, "
                         "black and white alone",
                         file, name, ret_is_unit_norm != NULL ? "unit_norm, " : "");
    else if (!read_unit_norm (file, node, ret_is_unit_norm, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
assay_geometry_read (JsonObject *root, const char *file, AssayGeometry *ret_geometry,
                     gboolean *ret_is_unit_norm, GError **error)
{
  JsonNode *geometry = json_object_get_member (root, "geometry");
  const guint all = (1u << G_N_ELEMENTS (members)) - 1;
  AssayGeometry read = { 0 };
  guint found = 0;

  if (geometry == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_OBJECT (geometry))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: expected an object 'geometry'", file);
  if (!read_members (json_node_get_object (geometry), file, &read, ret_is_unit_norm, &found, error))
    return FALSE;
  if (found != 0 && found != all)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: geometry of images lacks '%s', expected height, width, channels, black "
                       "and white",
                       file, members[g_bit_nth_lsf (~found, -1)].name);
  *ret_geometry = read;
  return TRUE;
}

gboolean
assay_geometry_check (const AssayGeometry *geometry, gsize cols, GError **error)
{
  gsize pixels, numbers;

  if (geometry->height == 0)
    return TRUE;
  if (!g_size_checked_mul (&pixels, geometry->height, geometry->width)
      || !g_size_checked_mul (&numbers, pixels, geometry->channels) || numbers != cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "geometry: images of %zu x %zu pixels with %zu channels do not fit rows of "
                       "%zu columns",
                       geometry->height, geometry->width, geometry->channels, cols);
  return TRUE;
}
