/* ZIP archives. At the end of the file stands where its directory is; each entry of the directory
 * names a member and where its local header is, behind which its bytes are. */
#include "core/data/formats/zip.h"

#include <gio/gio.h>

#include "core/base/error.h"
#include "core/base/free.h"
#include "core/data/matrix.h"

#define LOCAL_SIGNATURE 0x04034b50u
#define LOCAL_LENGTH 30
#define ENTRY_SIGNATURE 0x02014b50u
#define ENTRY_LENGTH 46
#define END_SIGNATURE 0x06054b50u
#define END_LENGTH 22
#define LARGE_END_SIGNATURE 0x06064b50u
#define LARGE_END_LENGTH 56
#define LOCATOR_SIGNATURE 0x07064b50u
#define LOCATOR_LENGTH 20
#define LARGE_FIELD 1 /* the extra field with sizes of 64 bits */
#define MAX_COMMENT 65535
#define IS_ENCRYPTED 1
#define STORED 0
#define DEFLATED 8
/* Deflate packs 258 bytes into 2 bits at best. */
#define MAX_RATIO 1032

/* Bytes of the archive. */
typedef struct {
  const guint8 *data;
  gsize size;
} Archive;

typedef struct {
  guint64 count, size, at;
} Directory;

static guint64
number (const guint8 *at, guint n_bytes)
{
  guint64 value = 0;

  for (guint i = 0; i < n_bytes; i++)
    value |= (guint64) at[i] << 8 * i;
  return value;
}

/* @length bytes from @at on; NULL: the archive ends before. */
static const guint8 *
bytes_at (const Archive *archive, guint64 at, guint64 length)
{
  return at <= archive->size && length <= archive->size - at ? archive->data + at : NULL;
}

/* ---- The directory ---- */

/* Of archives whose directory does not fit 32 bits. */
static gboolean
find_large (const Archive *archive, gsize end, Directory *directory, GError **error)
{
  const guint8 *locator
      = end >= LOCATOR_LENGTH ? bytes_at (archive, end - LOCATOR_LENGTH, LOCATOR_LENGTH) : NULL;
  const guint8 *large;

  if (locator == NULL || number (locator, 4) != LOCATOR_SIGNATURE)
    return assay_fail (error, ASSAY_ERROR_DATA, "its end names no directory of the archive");
  large = bytes_at (archive, number (locator + 8, 8), LARGE_END_LENGTH);
  if (large == NULL || number (large, 4) != LARGE_END_SIGNATURE)
    return assay_fail (error, ASSAY_ERROR_DATA, "its end names no directory of the archive");
  *directory
      = (Directory){ number (large + 32, 8), number (large + 40, 8), number (large + 48, 8) };
  return TRUE;
}

static gboolean
find_directory (const Archive *archive, Directory *directory, GError **error)
{
  const gsize most = MIN (archive->size, END_LENGTH + MAX_COMMENT);

  for (gsize back = END_LENGTH; back <= most; back++) {
    const guint8 *end = archive->data + archive->size - back;

    if (number (end, 4) != END_SIGNATURE || number (end + 20, 2) != back - END_LENGTH)
      continue;
    *directory = (Directory){ number (end + 10, 2), number (end + 12, 4), number (end + 16, 4) };
    if (directory->count == G_MAXUINT16 || directory->size == G_MAXUINT32
        || directory->at == G_MAXUINT32)
      return find_large (archive, archive->size - back, directory, error);
    return TRUE;
  }
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "is not a ZIP archive, or truncated: the end of its directory is missing");
}

/* Sizes of which the entry says that they stand in its extra field. */
static gboolean
read_large (const guint8 *extra, gsize length, guint64 *const *values, guint n_values)
{
  while (length >= 4) {
    const gsize field = (gsize) number (extra + 2, 2);

    if (field > length - 4)
      return FALSE;
    if (number (extra, 2) == LARGE_FIELD) {
      if (field < 8 * n_values)
        return FALSE;
      for (guint i = 0; i < n_values; i++)
        *values[i] = number (extra + 4 + 8 * i, 8);
      return TRUE;
    }
    extra += 4 + field;
    length -= 4 + field;
  }
  return n_values == 0;
}

/* The entry at @at; the byte behind it. */
static gboolean
read_entry (const Archive *archive, guint64 at, AssayZipMember *member, guint64 *ret_next,
            GError **error)
{
  const guint8 *entry = bytes_at (archive, at, ENTRY_LENGTH);
  guint64 lengths[3], size, packed, place;
  guint64 *large[3];
  guint n_large = 0;

  if (entry == NULL || number (entry, 4) != ENTRY_SIGNATURE)
    return assay_fail (error, ASSAY_ERROR_DATA, "the directory of the archive is damaged");
  for (guint i = 0; i < 3; i++)
    lengths[i] = number (entry + 28 + 2 * i, 2);
  packed = number (entry + 20, 4);
  size = number (entry + 24, 4);
  place = number (entry + 42, 4);
  if (size == G_MAXUINT32)
    large[n_large++] = &size;
  if (packed == G_MAXUINT32)
    large[n_large++] = &packed;
  if (place == G_MAXUINT32)
    large[n_large++] = &place;
  if (bytes_at (archive, at + ENTRY_LENGTH, lengths[0] + lengths[1] + lengths[2]) == NULL
      || !read_large (entry + ENTRY_LENGTH + lengths[0], lengths[1], large, n_large))
    return assay_fail (error, ASSAY_ERROR_DATA, "the directory of the archive is damaged");
  *ret_next = at + ENTRY_LENGTH + lengths[0] + lengths[1] + lengths[2];
  member->name = g_utf8_make_valid ((const char *) entry + ENTRY_LENGTH, (gssize) lengths[0]);
  if (number (entry + 8, 2) & IS_ENCRYPTED)
    return assay_fail (error, ASSAY_ERROR_DATA, "'%s' in it is encrypted", member->name);
  member->method = (guint16) number (entry + 10, 2);
  member->crc = (guint32) number (entry + 16, 4);
  member->packed = packed;
  member->size = size;
  member->at = place;
  return TRUE;
}

static ASSAY_CLEAR_FUNC (AssayZipMember, clear_member, g_free (self->name))

GArray *
assay_zip_members (GBytes *file, GError **error)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (AssayZipMember));
  Archive archive = { 0 };
  Directory directory = { 0 };
  guint64 at;

  g_array_set_clear_func (members, (GDestroyNotify) clear_member);
  archive.data = g_bytes_get_data (file, &archive.size);
  if (!find_directory (&archive, &directory, error))
    return NULL;
  if (bytes_at (&archive, directory.at, directory.size) == NULL
      || directory.count > directory.size / ENTRY_LENGTH)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "the directory of the archive is damaged");
  at = directory.at;
  for (guint64 i = 0; i < directory.count; i++) {
    AssayZipMember member = { 0 };

    if (!read_entry (&archive, at, &member, &at, error)) {
      g_free (member.name);
      return NULL;
    }
    g_array_append_val (members, member);
  }
  return g_steal_pointer (&members);
}

/* ---- Content ---- */

/* CRC-32 of IEEE 802.3, four bits at a time. */
static guint32
checksum (const guint8 *data, gsize size)
{
  static const guint32 table[16]
      = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
          0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
          0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
  guint32 crc = ~0u;

  for (gsize i = 0; i < size; i++) {
    crc = table[(crc ^ data[i]) & 15] ^ crc >> 4;
    crc = table[(crc ^ (guint32) (data[i] >> 4)) & 15] ^ crc >> 4;
  }
  return ~crc;
}

static GBytes *
inflate (const guint8 *packed, const AssayZipMember *member, GError **error)
{
  g_autoptr (GZlibDecompressor) inflater = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW);
  g_autofree guint8 *content = NULL;
  gsize n_read = 0, n_written = 0;
  GConverterResult result;

  if (member->size / MAX_RATIO > member->packed)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "announces %zu bytes, more than %zu packed "
                            "ones can hold",
                            member->size, member->packed);
  content = assay_alloc (member->size + 1, 1, "unpacked numbers", error);
  if (content == NULL)
    return NULL;
  do {
    gsize read = 0, written = 0;
    g_autoptr (GError) damage = NULL;

    result = g_converter_convert (G_CONVERTER (inflater), packed + n_read, member->packed - n_read,
                                  content + n_written, member->size + 1 - n_written,
                                  G_CONVERTER_INPUT_AT_END, &read, &written, &damage);
    if (result == G_CONVERTER_ERROR || n_written + written > member->size)
      return assay_fail_null (error, ASSAY_ERROR_DATA, "is damaged: %s",
                              damage != NULL ? damage->message : "it is longer than announced");
    n_read += read;
    n_written += written;
  } while (result != G_CONVERTER_FINISHED);
  if (n_written != member->size)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "is damaged: %zu bytes are announced, %zu "
                            "are there",
                            member->size, n_written);
  return g_bytes_new_take (g_steal_pointer (&content), n_written);
}

/* Where the bytes of @member begin, behind its local header. */
static gboolean
find_content (const Archive *archive, const AssayZipMember *member, gsize *ret_at, GError **error)
{
  const guint8 *local = bytes_at (archive, member->at, LOCAL_LENGTH);
  guint64 at;

  if (local == NULL || number (local, 4) != LOCAL_SIGNATURE)
    return assay_fail (error, ASSAY_ERROR_DATA, "is damaged: its header is missing");
  at = member->at + LOCAL_LENGTH + number (local + 26, 2) + number (local + 28, 2);
  if (bytes_at (archive, at, member->packed) == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "is truncated");
  *ret_at = (gsize) at;
  return TRUE;
}

GBytes *
assay_zip_read (GBytes *file, const AssayZipMember *member, GError **error)
{
  g_autoptr (GBytes) content = NULL;
  Archive archive = { 0 };
  gsize at = 0, size;
  const guint8 *data;

  archive.data = g_bytes_get_data (file, &archive.size);
  if (!find_content (&archive, member, &at, error))
    return NULL;
  if (member->method == DEFLATED)
    content = inflate (archive.data + at, member, error);
  else if (member->method == STORED && member->packed == member->size)
    content = g_bytes_new_from_bytes (file, at, member->size);
  else
    assay_error_set (error, ASSAY_ERROR_DATA, "is packed by method %u; expected stored or deflated",
                     member->method);
  if (content == NULL)
    return NULL;
  data = g_bytes_get_data (content, &size);
  if (checksum (data, size) != member->crc)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "is damaged: its checksum differs");
  return g_steal_pointer (&content);
}
