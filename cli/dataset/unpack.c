/* Members of a .tar.gz by libarchive. */
#include <archive.h>
#include <archive_entry.h>

#include "cli/cli.h"
#include "cli/dataset/download.h"
#include "core/data/formats/late-library.h"
#include "core/base/output-file.h"

#define PIECE (64 * 1024)

#define FUNCTIONS(X)                                                                               \
  X (archive_read_new) X (archive_read_open_filename)                                              \
  X (archive_read_support_filter_gzip) X (archive_read_support_format_tar)                         \
  X (archive_read_next_header) X (archive_read_data) X (archive_read_free)                         \
  X (archive_entry_pathname) X (archive_entry_filetype) X (archive_entry_hardlink)                 \
  X (archive_error_string)
ASSAY_LATE_LIBRARY (late, FUNCTIONS);

/* ARCHIVE_OK, ARCHIVE_EOF or what libarchive has to say; FALSE with @error for what is ours. */
static gboolean
write_member (struct archive *archive, const char *target, gboolean may_replace, int *ret_status,
              GError **error)
{
  g_autoptr (AssayOutputFile) out = assay_output_file_new (target, FALSE, may_replace, error);
  g_autofree guint8 *piece = g_malloc (PIECE);
  la_ssize_t n = 1;

  while (out != NULL && (n = late.archive_read_data (archive, piece, PIECE)) > 0)
    if (cli_is_interrupted ())
      return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
    else if (!assay_output_file_write (out, piece, (gsize) n, error))
      return FALSE;
  *ret_status = n < 0 ? (int) n : ARCHIVE_OK;
  return n < 0 || (out != NULL && assay_output_file_finish (out, error));
}

/* Writes what @wanted (member to target) has, and takes it out of there. */
static gboolean
write_members (struct archive *archive, const char *path, GHashTable *wanted, gboolean may_replace,
               GError **error)
{
  struct archive_entry *entry;
  int status = late.archive_read_open_filename (archive, path, PIECE);

  while (status == ARCHIVE_OK && g_hash_table_size (wanted) > 0
         && (status = late.archive_read_next_header (archive, &entry)) == ARCHIVE_OK) {
    const char *name = late.archive_entry_pathname (entry);
    const char *target = name != NULL ? g_hash_table_lookup (wanted, name) : NULL;

    if (cli_is_interrupted ())
      return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
    if (target == NULL || late.archive_entry_filetype (entry) != AE_IFREG
        || late.archive_entry_hardlink (entry) != NULL)
      continue;
    if (!write_member (archive, target, may_replace, &status, error))
      return FALSE;
    if (status == ARCHIVE_OK)
      g_hash_table_remove (wanted, name);
  }
  return status == ARCHIVE_OK || status == ARCHIVE_EOF
         || assay_fail (error, ASSAY_ERROR_DATA, "%s: cannot be unpacked: %s", path,
                        late.archive_error_string (archive));
}

gboolean
cli_unpack (const char *path, char **members, const char *folder, gboolean may_replace,
            GError **error)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  struct archive *archive;
  gboolean is_ok;

  for (guint i = 0; members[i] != NULL; i++) {
    g_autofree char *base = g_path_get_basename (members[i]);
    g_autofree char *target = g_build_filename (folder, base, NULL);

    if (may_replace || !g_file_test (target, G_FILE_TEST_EXISTS))
      g_hash_table_insert (wanted, members[i], g_steal_pointer (&target));
  }
  if (g_hash_table_size (wanted) == 0)
    return TRUE;
  if (!ASSAY_LATE_LIBRARY_LOAD (late, "libarchive.so.13", error))
    return FALSE;
  archive = late.archive_read_new ();
  late.archive_read_support_filter_gzip (archive);
  late.archive_read_support_format_tar (archive);
  is_ok = write_members (archive, path, wanted, may_replace, error);
  late.archive_read_free (archive);
  for (guint i = 0; is_ok && members[i] != NULL; i++)
    if (g_hash_table_contains (wanted, members[i]))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: has no member '%s', which the catalogue names", path, members[i]);
  return is_ok;
}
