/* The member "geometry" of release.json and truth.json:
 *   { "unit_norm": true, "height": 28, "width": 28, "channels": 1, "black": 0, "white": 1 }
 * unit_norm stands in releases alone, the others where rows are images. */
#include "core/data/exchange-geometry.h"

#include <math.h>

#include "core/base/error.h"

void
assay_geometry_write (AssayJson *json, const AssayGeometry *geometry, const gboolean *is_unit_norm)
{
  if (is_unit_norm == NULL && geometry->height == 0)
    return;
  assay_json_key (json, "geometry");
  assay_json_begin_object (json);
  if (is_unit_norm != NULL) {
    assay_json_key (json, "unit_norm");
    assay_json_bool (json, *is_unit_norm);
  }
  if (geometry->height > 0) {
    assay_json_member_int (json, "height", (gint64) geometry->height);
    assay_json_member_int (json, "width", (gint64) geometry->width);
    assay_json_member_int (json, "channels", (gint64) geometry->channels);
    assay_json_member_double (json, "black", geometry->black);
    assay_json_member_double (json, "white", geometry->white);
  }
  assay_json_end_object (json);
}

static GType
type_of (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
}

/* The members of a geometry, in the order in which messages list them. */
enum { HEIGHT, WIDTH, CHANNELS, BLACK, WHITE, UNIT_NORM, N_MEMBERS };
#define ALL_OF_AN_IMAGE ((1u << UNIT_NORM) - 1)

static const char *const members[N_MEMBERS]
    = { "height", "width", "channels", "black", "white", "unit_norm" };

static gboolean
read_size (JsonNode *node, const char *file, const char *name, gsize *ret_size, GError **error)
{
  if (type_of (node) != G_TYPE_INT64 || json_node_get_int (node) < 1)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: geometry: expected %s to be a whole number of 1 or more", file, name);
  *ret_size = (gsize) json_node_get_int (node);
  return TRUE;
}

static gboolean
read_level (JsonNode *node, const char *file, const char *name, double *ret_level, GError **error)
{
  const GType type = type_of (node);
  const double level
      = type == G_TYPE_INT64 || type == G_TYPE_DOUBLE ? json_node_get_double (node) : NAN;

  if (!isfinite (level))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: geometry: expected %s to be a finite number",
                       file, name);
  *ret_level = level;
  return TRUE;
}

/* Reads the member @name and adds it to @inout_found, the set of those that were there. */
static gboolean
read_member (const char *file, const char *name, JsonNode *node, AssayGeometry *inout_geometry,
             gboolean *ret_is_unit_norm, guint *inout_found, GError **error)
{
  guint member = 0;

  while (member < N_MEMBERS && !g_str_equal (members[member], name))
    member++;
  *inout_found |= 1u << member;
  switch (member) {
  case HEIGHT:
    return read_size (node, file, name, &inout_geometry->height, error);
  case WIDTH:
    return read_size (node, file, name, &inout_geometry->width, error);
  case CHANNELS:
    return read_size (node, file, name, &inout_geometry->channels, error);
  case BLACK:
    return read_level (node, file, name, &inout_geometry->black, error);
  case WHITE:
    return read_level (node, file, name, &inout_geometry->white, error);
  default:
    break;
  }
  if (member == N_MEMBERS || ret_is_unit_norm == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: geometry has a member '%s', expected %sheight, width, channels, black "
                       "and white alone",
                       file, name, ret_is_unit_norm != NULL ? "unit_norm, " : "");
  if (type_of (node) != G_TYPE_BOOLEAN)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: geometry: expected unit_norm to be true or false", file);
  *ret_is_unit_norm = json_node_get_boolean (node);
  return TRUE;
}

gboolean
assay_geometry_read (JsonObject *root, const char *file, AssayGeometry *ret_geometry,
                     gboolean *ret_is_unit_norm, GError **error)
{
  JsonNode *geometry = json_object_get_member (root, "geometry");
  AssayGeometry read = { 0 };
  gboolean is_unit_norm = FALSE;
  guint found = 0;
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  if (geometry == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_OBJECT (geometry))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: expected an object 'geometry'", file);
  json_object_iter_init_ordered (&iter, json_node_get_object (geometry));
  while (json_object_iter_next_ordered (&iter, &name, &member))
    if (!read_member (file, name, member, &read, ret_is_unit_norm != NULL ? &is_unit_norm : NULL,
                      &found, error))
      return FALSE;
  if ((found & ALL_OF_AN_IMAGE) != 0 && (found & ALL_OF_AN_IMAGE) != ALL_OF_AN_IMAGE) {
    guint lacking = 0;

    while (found & (1u << lacking))
      lacking++;
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: geometry of images lacks '%s', expected height, width, channels, black "
                       "and white",
                       file, members[lacking]);
  }
  *ret_geometry = read;
  if (ret_is_unit_norm != NULL && (found & (1u << UNIT_NORM)))
    *ret_is_unit_norm = is_unit_norm;
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
                       "geometry: images of %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT
                       " pixels with %" G_GSIZE_FORMAT
                       " channels do not fit rows of %" G_GSIZE_FORMAT " columns",
                       geometry->height, geometry->width, geometry->channels, cols);
  return TRUE;
}
