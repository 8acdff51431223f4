/* NumPy's .npy files: "\x93NUMPY", version, length of the header, the header (a Python literal
 * {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }) and the numbers. */
#include "core/data/npy.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/base/output-file.h"
#include "core/data/formats/npy-layout.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_LENGTH 6
#define HEADER_ALIGNMENT 64
/* NumPy leaves room for the first size to grow, so that an array can be appended to in place. */
#define GROWTH_DIGITS 21

static const struct {
  const char *descr;
  AssayType type;
} types[] = {
  { "<f4", ASSAY_FLOAT32 }, { "<f8", ASSAY_FLOAT64 }, { "|u1", ASSAY_UINT8 },
  { "<i4", ASSAY_INT32 },   { "<i8", ASSAY_INT64 },
};

typedef struct {
  AssayNpyLayout layout;
  guint n_dimensions;
  gsize shape[ASSAY_MAX_DIMENSIONS];
  gboolean is_fortran;
  gboolean has_descr, has_order, has_shape;
} Header;

typedef struct {
  const char *at;
  const char *end;
} Cursor;

/* ---- The header: a small part of Python's grammar ---- */

static void
skip_space (Cursor *cursor)
{
  while (cursor->at < cursor->end && g_ascii_isspace (*cursor->at))
    cursor->at++;
}

static gboolean
take (Cursor *cursor, char wanted)
{
  skip_space (cursor);
  if (cursor->at == cursor->end || *cursor->at != wanted)
    return FALSE;
  cursor->at++;
  return TRUE;
}

/* What stands at the cursor, short and printable, for messages. */
static char *
excerpt (const Cursor *cursor)
{
  const gsize length = MIN ((gsize) (cursor->end - cursor->at), 20);
  char *text;

  if (length == 0)
    return g_strdup ("the end of the header");
  text = g_strdup_printf ("'%.*s'", (int) length, cursor->at);
  for (char *c = text; *c != '\0'; c++)
    if (!g_ascii_isprint (*c))
      *c = '?';
  return text;
}

static gboolean
fail_syntax (const Cursor *cursor, const char *expected, GError **error)
{
  g_autofree char *found = excerpt (cursor);

  return assay_fail (error, ASSAY_ERROR_DATA, "malformed header: expected %s, found %s", expected,
                     found);
}

static gboolean
take_string (Cursor *cursor, const char *what, char **ret_text, GError **error)
{
  const char *start;
  char quote;

  skip_space (cursor);
  if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"'))
    return fail_syntax (cursor, what, error);
  quote = *cursor->at;
  start = cursor->at + 1;
  for (const char *at = start; at < cursor->end; at++) {
    if (*at == quote) {
      *ret_text = g_strndup (start, (gsize) (at - start));
      cursor->at = at + 1;
      return TRUE;
    }
    if (!g_ascii_isprint (*at) || *at == '\\')
      break;
  }
  return fail_syntax (cursor, what, error);
}

/* "big-endian float32" for ">f4"; NULL for what NumPy would not write either. */
static char *
describe_descr (const char *descr)
{
  static const struct {
    char kind;
    const char *name;
    gboolean has_bits;
  } kinds[] = {
    { 'f', "float", TRUE },         { 'i', "int", TRUE },          { 'u', "uint", TRUE },
    { 'c', "complex", TRUE },       { 'b', "bool", FALSE },        { 'O', "Python objects", FALSE },
    { 'S', "byte strings", FALSE }, { 'U', "text", FALSE },        { 'M', "datetime64", FALSE },
    { 'm', "timedelta64", FALSE },  { 'V', "raw records", FALSE },
  };
  const gboolean has_order = descr[0] != '\0' && strchr ("<>|=", descr[0]) != NULL;
  const char *kind = descr + has_order;
  const guint64 size = *kind != '\0' ? g_ascii_strtoull (kind + 1, NULL, 10) : 0;

  for (gsize i = 0; *kind != '\0' && i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].kind == *kind) {
      const char *order = descr[0] == '>' ? "big-endian " : "";

      if (kinds[i].has_bits && size >= 1 && size <= 32)
        return g_strdup_printf ("%s%s%u", order, kinds[i].name, (guint) size * 8);
      return g_strdup_printf ("%s%s", order, kinds[i].name);
    }
  return NULL;
}

static gboolean
read_descr (Cursor *cursor, Header *header, GError **error)
{
  g_autofree char *descr = NULL;
  g_autofree char *name = NULL;
  const char *expected = "expected floating point of 16, 32 or 64 bits, whole numbers, or bool";

  skip_space (cursor);
  if (cursor->at < cursor->end && *cursor->at == '[')
    return assay_fail (error, ASSAY_ERROR_DATA, "holds a structured type; %s", expected);
  if (!take_string (cursor, "a type such as '<f4'", &descr, error))
    return FALSE;
  if (assay_npy_layout_parse (descr, &header->layout))
    return TRUE;
  name = describe_descr (descr);
  return assay_fail (error, ASSAY_ERROR_DATA, "holds %s ('%.20s'); %s",
                     name != NULL ? name : "an unknown type", descr, expected);
}

static gboolean
read_order (Cursor *cursor, Header *header, GError **error)
{
  static const char *const words[] = { "False", "True" };

  skip_space (cursor);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    const gsize length = strlen (words[i]);

    if ((gsize) (cursor->end - cursor->at) < length || memcmp (cursor->at, words[i], length) != 0)
      continue;
    header->is_fortran = i == 1;
    cursor->at += length;
    return TRUE;
  }
  return fail_syntax (cursor, "True or False", error);
}

static gboolean
read_size (Cursor *cursor, gsize *ret_size, GError **error)
{
  gsize size = 0;

  skip_space (cursor);
  if (cursor->at < cursor->end && *cursor->at == '-')
    return assay_fail (error, ASSAY_ERROR_DATA, "has a negative size in its shape");
  if (cursor->at == cursor->end || !g_ascii_isdigit (*cursor->at))
    return fail_syntax (cursor, "a size or ')' in the shape", error);
  for (; cursor->at < cursor->end && g_ascii_isdigit (*cursor->at); cursor->at++)
    if (!g_size_checked_mul (&size, size, 10)
        || !g_size_checked_add (&size, size, (gsize) (*cursor->at - '0')))
      return assay_fail (error, ASSAY_ERROR_DATA, "has a size in its shape beyond 64 bits");
  *ret_size = size;
  return TRUE;
}

/* "(3, 4)" or "(3,)"; "(3)" is no tuple in Python. */
static gboolean
read_shape (Cursor *cursor, Header *header, GError **error)
{
  guint n = 0;
  gboolean has_comma = FALSE;

  if (!take (cursor, '('))
    return fail_syntax (cursor, "a shape such as (3, 4)", error);
  while (!take (cursor, ')')) {
    gsize size = 0;

    if (n > 0 && !has_comma)
      return fail_syntax (cursor, "',' or ')' in the shape", error);
    if (!read_size (cursor, &size, error))
      return FALSE;
    if (n < ASSAY_MAX_DIMENSIONS)
      header->shape[n] = size;
    n++;
    has_comma = take (cursor, ',');
  }
  if (n == 1 && !has_comma)
    return fail_syntax (cursor, "',' after the only size of the shape", error);
  if (n < 1 || n > ASSAY_MAX_DIMENSIONS)
    return assay_fail (error, ASSAY_ERROR_DATA, "has %u dimensions; expected 1 to %d", n,
                       ASSAY_MAX_DIMENSIONS);
  header->n_dimensions = n;
  return TRUE;
}

static gboolean
read_entry (Cursor *cursor, Header *header, GError **error)
{
  g_autofree char *key = NULL;
  gboolean *seen;

  if (!take_string (cursor, "a key or '}'", &key, error))
    return FALSE;
  if (!take (cursor, ':'))
    return fail_syntax (cursor, "':'", error);
  if (g_str_equal (key, "descr"))
    seen = &header->has_descr;
  else if (g_str_equal (key, "fortran_order"))
    seen = &header->has_order;
  else if (g_str_equal (key, "shape"))
    seen = &header->has_shape;
  else
    return assay_fail (error, ASSAY_ERROR_DATA, "malformed header: unknown key '%.20s'", key);
  if (*seen)
    return assay_fail (error, ASSAY_ERROR_DATA, "malformed header: '%s' appears twice", key);
  *seen = TRUE;
  if (seen == &header->has_descr)
    return read_descr (cursor, header, error);
  if (seen == &header->has_order)
    return read_order (cursor, header, error);
  return read_shape (cursor, header, error);
}

static gboolean
read_header (const char *text, gsize length, Header *ret_header, GError **error)
{
  Cursor cursor = { text, text + length };
  Header header = { 0 };

  if (!take (&cursor, '{'))
    return fail_syntax (&cursor, "'{'", error);
  while (!take (&cursor, '}')) {
    if (!read_entry (&cursor, &header, error))
      return FALSE;
    if (!take (&cursor, ',') && (cursor.at == cursor.end || *cursor.at != '}'))
      return fail_syntax (&cursor, "',' or '}'", error);
  }
  skip_space (&cursor);
  if (cursor.at != cursor.end)
    return fail_syntax (&cursor, "nothing but spaces after '}'", error);
  if (!header.has_descr || !header.has_order || !header.has_shape)
    return assay_fail (error, ASSAY_ERROR_DATA, "malformed header: '%s' is missing",
                       !header.has_descr   ? "descr"
                       : !header.has_order ? "fortran_order"
                                           : "shape");
  /* Of one dimension both orders are one. */
  header.layout.is_fortran = header.is_fortran && header.n_dimensions > 1;
  *ret_header = header;
  return TRUE;
}

/* Magic, version and length: where the header and the numbers begin. */
static gboolean
read_preamble (const guint8 *data, gsize size, gsize *ret_header, gsize *ret_numbers,
               GError **error)
{
  gsize start;
  gsize length;

  if (size == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "is empty");
  if (size < MAGIC_LENGTH || memcmp (data, MAGIC, MAGIC_LENGTH) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "is not a .npy file: the NumPy magic is missing");
  if (size < MAGIC_LENGTH + 2)
    return assay_fail (error, ASSAY_ERROR_DATA, "truncated in its first %d bytes",
                       MAGIC_LENGTH + 2);
  if (data[6] < 1 || data[6] > 3 || data[7] != 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "has .npy format version %d.%d; expected 1.0, 2.0 or 3.0", data[6], data[7]);
  start = data[6] == 1 ? 10 : 12;
  if (size < start)
    return assay_fail (error, ASSAY_ERROR_DATA, "truncated in its first %zu bytes", start);
  length = (gsize) data[8] | (gsize) data[9] << 8;
  if (data[6] != 1)
    length |= (gsize) data[10] << 16 | (gsize) data[11] << 24;
  if (length > size - start)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "truncated: a header of %zu bytes is announced, %zu bytes are left", length,
                       size - start);
  *ret_header = start;
  *ret_numbers = start + length;
  return TRUE;
}

/* That the numbers fill the file from byte @numbers to its end; their length in bytes. */
static gboolean
check_size (const Header *header, gsize numbers, gsize size, gsize *ret_bytes, GError **error)
{
  gsize bytes = header->layout.size;
  gsize ours = assay_type_size (header->layout.type); /* which may be wider */
  gsize expected;
  g_autofree char *type = assay_npy_layout_name (&header->layout);
  g_autoptr (GString) shape = g_string_new (type);

  for (guint i = 0; i < header->n_dimensions; i++)
    g_string_append_printf (shape, "%s%zu", i == 0 ? " " : " x ", header->shape[i]);
  /* A 0 in the shape must not hide that the others overflow. */
  for (guint i = 0; i < header->n_dimensions; i++)
    if (!g_size_checked_mul (&bytes, bytes, MAX (header->shape[i], 1)) || bytes > G_MAXSSIZE
        || !g_size_checked_mul (&ours, ours, MAX (header->shape[i], 1)) || ours > G_MAXSSIZE)
      return assay_fail (error, ASSAY_ERROR_DATA, "announces %s, more than any memory holds",
                         shape->str);
  for (guint i = 0; i < header->n_dimensions; i++)
    if (header->shape[i] == 0)
      bytes = 0;
  expected = numbers + bytes;
  if (size != expected)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the header announces %s, expected %zu bytes, found %zu",
                       size < expected ? "truncated" : "too long", shape->str, expected, size);
  *ret_bytes = bytes;
  return TRUE;
}

AssayArray *
assay_npy_parse (GBytes *file, GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (file, &size);
  gsize start = 0, numbers = 0, bytes = 0;
  Header header;
  const AssayNpyLayout *layout = &header.layout;
  g_autoptr (GBytes) aligned = NULL;

  if (!read_preamble (data, size, &start, &numbers, error)
      || !read_header ((const char *) data + start, numbers - start, &header, error)
      || !check_size (&header, numbers, size, &bytes, error))
    return NULL;
  if (!assay_npy_layout_is_native (layout)) {
    gpointer numbers_of_ours;

    if (!assay_npy_layout_convert (layout, header.n_dimensions, header.shape, data + numbers,
                                   &numbers_of_ours, error))
      return NULL;
    return assay_array_take (layout->type, header.n_dimensions, header.shape, numbers_of_ours);
  }
  /* Headers of other writers may leave the numbers where C cannot address them as their type. */
  if (numbers % assay_type_size (layout->type) != 0 && bytes > 0) {
    gpointer copy = assay_alloc (bytes, 1, "unaligned .npy file", error);

    if (copy == NULL)
      return NULL;
    memcpy (copy, data + numbers, bytes);
    aligned = g_bytes_new_take (copy, bytes);
    return assay_array_new (layout->type, header.n_dimensions, header.shape, aligned, 0);
  }
  return assay_array_new (layout->type, header.n_dimensions, header.shape, file, numbers);
}

AssayArray *
assay_npy_map (const char *path, GError **error)
{
  g_autoptr (GBytes) file = assay_file_map (path, error);
  AssayArray *array;

  if (file == NULL)
    return NULL;
  array = assay_npy_parse (file, error);
  if (array == NULL)
    g_prefix_error (error, "%s: ", path);
  return array;
}

/* ---- Writing ---- */

/* The header as NumPy writes it, byte for byte: version 1.0, padded so that the numbers begin at a
 * multiple of 64. Three sizes of 20 digits stay far below the 65,535 bytes of version 1.0. */
GString *
assay_npy_header (const AssayArray *array)
{
  GString *text = g_string_new_len (MAGIC "\x01\x00\x00\x00", 10);
  g_autofree char *first = g_strdup_printf ("%zu", array->shape[0]);
  const char *descr = NULL;
  gsize length;

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].type == array->type)
      descr = types[i].descr;
  g_string_append_printf (text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s", descr,
                          first);
  for (guint i = 1; i < array->n_dimensions; i++)
    g_string_append_printf (text, ", %zu", array->shape[i]);
  g_string_append (text, array->n_dimensions == 1 ? ",), }" : "), }");
  for (gsize i = strlen (first); i < GROWTH_DIGITS; i++)
    g_string_append_c (text, ' ');
  while ((text->len + 1) % HEADER_ALIGNMENT != 0)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');
  length = text->len - 10;
  text->str[8] = (char) (length & 0xff);
  text->str[9] = (char) (length >> 8);
  return text;
}

gboolean
assay_npy_write (const char *path, const AssayArray *array, GError **error)
{
  g_autoptr (GString) header = assay_npy_header (array);
  const gsize bytes = assay_array_count (array) * assay_type_size (array->type);
  g_autoptr (AssayOutputFile) file = assay_output_file_begin (path, FALSE, TRUE, error);

  return file != NULL && assay_output_file_write (file, header->str, header->len, error)
         && assay_output_file_write (file, array->data, bytes, error)
         && assay_output_file_finish (file, error);
}
