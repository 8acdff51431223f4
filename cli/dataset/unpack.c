/* Archives in the ustar format (POSIX.1-1988, tar interchange): headers of 512 bytes, each before
 * its content, which is filled up to a multiple of 512. */
#include "cli/dataset/unpack.h"

#include <string.h>

#include <gio/gio.h>

#include "cli/cli.h"
#include "core/base/error.h"
#include "core/base/output-file.h"

#define BLOCK 512
#define PIECE (128 * BLOCK)

/* Offsets and lengths of the fields of a header that are read here. */
#define NAME_AT 0
#define NAME_LENGTH 100
#define SIZE_AT 124
#define SIZE_LENGTH 12
#define SUM_AT 148
#define SUM_LENGTH 8
#define TYPE_AT 156
#define PREFIX_AT 345
#define PREFIX_LENGTH 155

typedef struct {
  const char *path;
  GInputStream *stream;
  guint8 *piece;
} Archive;

static void
archive_clear (Archive *archive)
{
  g_clear_object (&archive->stream);
  g_clear_pointer (&archive->piece, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Archive, archive_clear)

static gboolean
open_archive (Archive *archive, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (archive->path);
  g_autoptr (GZlibDecompressor) inflate = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP);
  g_autoptr (GError) cause = NULL;
  g_autoptr (GFileInputStream) plain = g_file_read (file, NULL, &cause);

  if (plain == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s", cause->message);
  archive->stream = g_converter_input_stream_new (G_INPUT_STREAM (plain), G_CONVERTER (inflate));
  archive->piece = g_malloc (PIECE);
  return TRUE;
}

static gboolean
read_piece (Archive *archive, gsize length, GError **error)
{
  g_autoptr (GError) cause = NULL;
  gsize n = 0;

  if (!g_input_stream_read_all (archive->stream, archive->piece, length, &n, NULL, &cause))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: cannot be unpacked: %s", archive->path,
                       cause->message);
  return n == length
         || assay_fail (error, ASSAY_ERROR_DATA, "%s: the archive ends in the middle",
                        archive->path);
}

/* Octal digits, which a blank or zero byte ends. */
static gboolean
parse_octal (const guint8 *field, gsize length, guint64 *ret_value)
{
  guint64 value = 0;
  gsize i = 0;

  while (i < length && field[i] == ' ')
    i++;
  if (i == length)
    return FALSE;
  for (; i < length && field[i] != ' ' && field[i] != '\0'; i++) {
    if (field[i] < '0' || field[i] > '7')
      return FALSE;
    value = value * 8 + (guint64) (field[i] - '0');
  }
  *ret_value = value;
  return TRUE;
}

/* The sum of all bytes, those of the sum itself taken as blanks. */
static gboolean
is_header (const guint8 *header)
{
  guint64 expected, sum = 0;

  for (guint i = 0; i < BLOCK; i++)
    sum += i >= SUM_AT && i < SUM_AT + SUM_LENGTH ? ' ' : header[i];
  return parse_octal (header + SUM_AT, SUM_LENGTH, &expected) && sum == expected;
}

static char *
member_name (const guint8 *header)
{
  g_autofree char *name = g_strndup ((const char *) header + NAME_AT, NAME_LENGTH);
  g_autofree char *prefix = g_strndup ((const char *) header + PREFIX_AT, PREFIX_LENGTH);
  const gboolean is_ustar = memcmp (header + 257, "ustar\0", 6) == 0;

  return is_ustar && *prefix != '\0' ? g_strconcat (prefix, "/", name, NULL)
                                     : g_steal_pointer (&name);
}

/* Reads @size bytes and what fills the last block; @out NULL: passes over them. */
static gboolean
copy_content (Archive *archive, guint64 size, AssayOutputFile *out, GError **error)
{
  while (size > 0) {
    const gsize n = (gsize) MIN (size, PIECE);
    const gsize filled = (n + BLOCK - 1) / BLOCK * BLOCK;

    if (cli_is_interrupted ())
      return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
    if (!read_piece (archive, filled, error)
        || (out != NULL && !assay_output_file_write (out, archive->piece, n, error)))
      return FALSE;
    size -= n;
  }
  return TRUE;
}

static gboolean
write_member (Archive *archive, const char *member, guint64 size, const char *folder,
              gboolean may_replace, GError **error)
{
  g_autofree char *base = g_path_get_basename (member);
  g_autofree char *path = g_build_filename (folder, base, NULL);
  g_autoptr (AssayOutputFile) out = assay_output_file_new (path, FALSE, may_replace, error);

  return out != NULL && copy_content (archive, size, out, error)
         && assay_output_file_finish (out, error);
}

/* Members that are to be written: name -> itself. */
static GHashTable *
list_wanted (const char *const *members, const char *folder, gboolean may_replace)
{
  GHashTable *wanted = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; members[i] != NULL; i++) {
    g_autofree char *base = g_path_get_basename (members[i]);
    g_autofree char *path = g_build_filename (folder, base, NULL);

    if (may_replace || !g_file_test (path, G_FILE_TEST_EXISTS))
      g_hash_table_add (wanted, (gpointer) members[i]);
  }
  return wanted;
}

static gboolean
fail_lacking (const Archive *archive, GHashTable *wanted, GError **error)
{
  GHashTableIter iter;
  gpointer member = NULL;

  g_hash_table_iter_init (&iter, wanted);
  g_hash_table_iter_next (&iter, &member, NULL);
  return assay_fail (error, ASSAY_ERROR_DATA, "%s: has no member '%s', which the catalogue names",
                     archive->path, (const char *) member);
}

gboolean
cli_unpack (const char *path, const char *const *members, const char *folder, gboolean may_replace,
            GError **error)
{
  g_auto (Archive) archive = { .path = path };
  g_autoptr (GHashTable) wanted = list_wanted (members, folder, may_replace);
  static const guint8 zeros[BLOCK];

  if (g_hash_table_size (wanted) == 0)
    return TRUE;
  if (!open_archive (&archive, error))
    return FALSE;
  while (g_hash_table_size (wanted) > 0) {
    g_autofree char *name = NULL;
    guint64 size;
    gboolean is_file, is_ok;

    if (!read_piece (&archive, BLOCK, error))
      return FALSE;
    if (memcmp (archive.piece, zeros, BLOCK) == 0)
      return fail_lacking (&archive, wanted, error);
    if (!is_header (archive.piece) || !parse_octal (archive.piece + SIZE_AT, SIZE_LENGTH, &size))
      return assay_fail (error, ASSAY_ERROR_DATA, "%s: is no tar archive", path);
    name = member_name (archive.piece);
    is_file = archive.piece[TYPE_AT] == '0' || archive.piece[TYPE_AT] == '\0';
    is_ok = is_file && g_hash_table_contains (wanted, name)
                ? write_member (&archive, name, size, folder, may_replace, error)
                : copy_content (&archive, size, NULL, error);
    if (!is_ok)
      return FALSE;
    if (is_file)
      g_hash_table_remove (wanted, name);
  }
  return TRUE;
}
