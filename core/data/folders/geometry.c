/* The member "geometry" of release.json and truth.json:
 *   { "unit_norm": true, "height": 28, "width": 28, "channels": 1, "black": 0, "white": 1,
 *     "order": "planes", "mean": [0.5], "deviation": [0.25] }
 * unit_norm stands in releases alone, the others where rows are images; order, mean and deviation
 * may be left out. `order` is how other programs wrote the arrays: what is read, and written here,
 * is interleaved. */
#include "core/data/folders/geometry.h"

#include <math.h>
#include <stddef.h>

#include "core/base/error.h"
#include "core/data/photo.h"

/* One number a channel, where they are known. */
static void
write_list (AssayJson *json, const char *name, const AssayGeometry *geometry, const double *numbers)
{
  if (geometry->height == 0 || geometry->deviation[0] == 0)
    return;
  assay_json_key (json, name);
  assay_json_begin_array (json);
  for (gsize c = 0; c < MIN (geometry->channels, ASSAY_MAX_CHANNELS); c++)
    assay_json_double (json, numbers[c]);
  assay_json_end_array (json);
}

void
assay_geometry_write (AssayJson *json, const AssayGeometry *geometry, const gboolean *is_unit_norm)
{
  if (is_unit_norm == NULL && geometry->height == 0)
    return;
  assay_json_write (json, "geometry {");
  if (is_unit_norm != NULL)
    assay_json_write (json, "unit_norm %i", *is_unit_norm);
  write_list (json, "mean", geometry, geometry->mean);
  write_list (json, "deviation", geometry, geometry->deviation);
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

enum { BLACK = 3, WHITE = 4 }; /* among them */

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

/* ---- What may be left out ---- */

static const char *const orders[] = { "interleaved", "planes", NULL };

static gboolean
read_order (const char *file, JsonNode *node, AssayPixelOrder *ret_order, GError **error)
{
  const char *text = type_of (node) == G_TYPE_STRING ? json_node_get_string (node) : "";

  for (guint i = 0; orders[i] != NULL; i++)
    if (g_str_equal (text, orders[i])) {
      *ret_order = i == 0 ? ASSAY_ORDER_INTERLEAVED : ASSAY_ORDER_PLANES;
      return TRUE;
    }
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "%s: geometry: expected order to be \"interleaved\" or \"planes\"", file);
}

/* One of the lists, and where its numbers belong; all of them are above @least. */
typedef struct {
  const char *name;
  double least;
  double *numbers;
} List;

/* A number for each of the channels, of which there are 1 to ASSAY_MAX_CHANNELS. */
static gboolean
read_list (const char *file, JsonNode *node, gsize channels, const List *into, GError **error)
{
  JsonArray *list = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  gboolean is_ok
      = list != NULL && channels <= ASSAY_MAX_CHANNELS && json_array_get_length (list) == channels;

  for (guint c = 0; is_ok && c < channels; c++) {
    JsonNode *element = json_array_get_element (list, c);
    const GType type = type_of (element);

    into->numbers[c]
        = type == G_TYPE_DOUBLE || type == G_TYPE_INT64 ? json_node_get_double (element) : NAN;
    is_ok = isfinite (into->numbers[c]) && into->numbers[c] > into->least;
  }
  return is_ok
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s: geometry: expected %s to be a list of a finite number%s for each of "
                        "the channels, of which there are 1 to %d",
                        file, into->name, into->least == 0 ? " above 0" : "", ASSAY_MAX_CHANNELS);
}

/* Both lists or none, and then what they say of black and white where nothing else does: the means
 * over channels of where 0 and 1 lie. */
static gboolean
read_scale (JsonObject *object, const char *file, AssayGeometry *inout_geometry, guint *inout_found,
            GError **error)
{
  JsonNode *mean = json_object_get_member (object, "mean");
  JsonNode *deviation = json_object_get_member (object, "deviation");
  const gsize channels = inout_geometry->channels;
  const List means = { "mean", -G_MAXDOUBLE, inout_geometry->mean };
  const List deviations = { "deviation", 0, inout_geometry->deviation };

  if (mean == NULL && deviation == NULL)
    return TRUE;
  if (mean == NULL || deviation == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: geometry: expected mean and deviation, or neither of them", file);
  if (!read_list (file, mean, channels, &means, error)
      || !read_list (file, deviation, channels, &deviations, error))
    return FALSE;
  for (guint member = BLACK; member <= WHITE; member++) {
    double *value = (gpointer) ((guint8 *) inout_geometry + members[member].offset);

    if ((*inout_found & 1u << member) != 0)
      continue;
    *value = 0;
    for (gsize c = 0; c < channels; c++)
      *value += ((member == WHITE ? 1 : 0) - inout_geometry->mean[c]) / inout_geometry->deviation[c]
                / (double) channels;
    *inout_found |= 1u << member;
  }
  return TRUE;
}

/* What is read beside sizes and levels; is_unit_norm: NULL where the record has no such thing. */
typedef struct {
  gboolean *is_unit_norm;
  AssayPixelOrder *order;
  guint found; /* which of the members are there, a set */
} Beside;

/* Reads what stands in @object. */
static gboolean
read_members (JsonObject *object, const char *file, AssayGeometry *inout_geometry,
              Beside *inout_beside, GError **error)
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
      inout_beside->found |= 1u << member;
      if (!read_member (file, member, node, inout_geometry, error))
        return FALSE;
    } else if (g_str_equal (name, "order")) {
      if (!read_order (file, node, inout_beside->order, error))
        return FALSE;
    } else if (g_str_equal (name, "mean") || g_str_equal (name, "deviation"))
      continue; /* when the channels are known */
    else if (inout_beside->is_unit_norm == NULL || !g_str_equal (name, "unit_norm"))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: geometry has a member '%s', expected %sheight, width, channels, "
                         "black, white, order, mean and deviation alone",
                         file, name, inout_beside->is_unit_norm != NULL ? "unit_norm, " : "");
    else if (!read_unit_norm (file, node, inout_beside->is_unit_norm, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
assay_geometry_read (JsonObject *root, const char *file, AssayGeometry *ret_geometry,
                     gboolean *ret_is_unit_norm, AssayPixelOrder *ret_order, GError **error)
{
  JsonNode *geometry = json_object_get_member (root, "geometry");
  const guint all = (1u << G_N_ELEMENTS (members)) - 1;
  AssayGeometry read = { 0 };
  Beside beside = { ret_is_unit_norm, ret_order, 0 };

  if (geometry == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_OBJECT (geometry))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: expected an object 'geometry'", file);
  if (!read_members (json_node_get_object (geometry), file, &read, &beside, error)
      || !read_scale (json_node_get_object (geometry), file, &read, &beside.found, error))
    return FALSE;
  if (beside.found != 0 && beside.found != all)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: geometry of images lacks '%s', expected height, width, channels, black "
                       "and white",
                       file, members[g_bit_nth_lsf (~beside.found, -1)].name);
  *ret_geometry = read;
  return TRUE;
}

gboolean
assay_geometry_check (const AssayGeometry *geometry, gsize cols, GError **error)
{
  if (geometry->height == 0)
    return TRUE;
  if (assay_geometry_cols (geometry) != cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "geometry: images of %zu x %zu pixels with %zu channel%s do not fit rows of "
                       "%zu columns",
                       geometry->height, geometry->width, geometry->channels,
                       assay_channels_plural (geometry->channels), cols);
  return TRUE;
}
