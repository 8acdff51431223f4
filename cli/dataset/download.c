/* Files of the catalogue: partial ones are locked and gone on with, whole ones verified and then
 * renamed. */
#include "cli/dataset/download.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "cli/cli.h"
#include "cli/dataset/transfer.h"
#include "core/base/error.h"
#include "core/base/text.h"

#define PIECE (256 * 1024)

/* NAME.part, locked for as long as it is open. */
typedef struct {
  char *path;
  int fd;
} Part;

static void
part_clear (Part *part)
{
  g_clear_pointer (&part->path, g_free);
  if (part->fd >= 0)
    close (part->fd);
  part->fd = -1;
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Part, part_clear)

static gboolean
fail_write (const char *path, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written: %s", path, g_strerror (errno));
}

/* ---- Whole files ---- */

/* Of the bytes of @fd from its beginning. */
static char *
hash_file (int fd, const char *path, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guchar *piece = g_malloc (PIECE);
  gssize n = lseek (fd, 0, SEEK_SET);

  while (n >= 0 && (n = read (fd, piece, PIECE)) != 0) {
    if (cli_is_interrupted ()) {
      assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
      return NULL;
    }
    if (n > 0)
      g_checksum_update (checksum, piece, n);
  }
  if (n < 0) {
    assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be read: %s", path, g_strerror (errno));
    return NULL;
  }
  return g_strdup (g_checksum_get_string (checksum));
}

/* @ret_is_there: @path exists and is what @file says; something else there is an error. */
static gboolean
look_at_target (const CatalogFile *file, const char *path, gboolean may_replace,
                gboolean *ret_is_there, char **ret_sha256, GError **error)
{
  g_autofree char *sha256 = NULL;
  struct stat about;
  int fd;

  *ret_is_there = FALSE;
  if (stat (path, &about) != 0)
    return TRUE;
  if (!S_ISREG (about.st_mode))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: is there, and is no plain file", path);
  fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: cannot be read: %s", path, g_strerror (errno));
  sha256 = hash_file (fd, path, error);
  close (fd);
  if (sha256 == NULL)
    return FALSE;
  if (file->sha256 == NULL ? !may_replace : g_str_equal (sha256, file->sha256)) {
    *ret_is_there = TRUE;
    *ret_sha256 = g_steal_pointer (&sha256);
    return TRUE;
  }
  return may_replace
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s: is there with sha256 %s, expected %s; --force fetches it again", path,
                        sha256, file->sha256);
}

/* ---- Partial files ---- */

/* Opens and locks @part->path. Who held the lock before may have renamed the file that we have
 * opened: then there is another one to be opened. */
static gboolean
open_part (Part *part, GError **error)
{
  struct stat ours, there;

  for (;;) {
    part->fd = g_open (part->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (part->fd < 0)
      return fail_write (part->path, error);
    if (flock (part->fd, LOCK_EX | LOCK_NB) != 0)
      return assay_fail (error, ASSAY_ERROR_IO,
                         "%s: another process fetches this file at the moment", part->path);
    if (fstat (part->fd, &ours) != 0 || !S_ISREG (ours.st_mode))
      return assay_fail (error, ASSAY_ERROR_DATA, "%s: is there, and is no plain file", part->path);
    if (lstat (part->path, &there) == 0 && ours.st_dev == there.st_dev
        && ours.st_ino == there.st_ino)
      return TRUE;
    close (part->fd);
    part->fd = -1;
  }
}

static gboolean
part_length (const Part *part, guint64 *ret_length, GError **error)
{
  struct stat about;

  if (fstat (part->fd, &about) != 0)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be read: %s", part->path,
                       g_strerror (errno));
  *ret_length = (guint64) about.st_size;
  return TRUE;
}

/* Fetches what lacks behind the first @have bytes. @ret_sha256 is that of the whole. */
static gboolean
fill_part (const CatalogFile *file, Part *part, guint64 have, guint timeout_s, char **ret_sha256,
           GError **error)
{
  const CliTransfer transfer = { .url = file->url,
                                 .name = file->name,
                                 .path = part->path,
                                 .fd = part->fd,
                                 .have = have,
                                 .size = file->size,
                                 .is_exact = file->sha256 != NULL,
                                 .timeout_s = timeout_s };
  guint64 length = 0;

  if ((have != file->size || !transfer.is_exact) && !cli_transfer (&transfer, error))
    return FALSE;
  if (!part_length (part, &length, error))
    return FALSE;
  if (length == 0 || (transfer.is_exact && length != file->size))
    return assay_fail (error, ASSAY_ERROR_IO, "%s: ended after %" PRIu64 " of %" PRIu64 " bytes",
                       file->url, length, file->size);
  if (fsync (part->fd) != 0)
    return fail_write (part->path, error);
  *ret_sha256 = hash_file (part->fd, part->path, error);
  return *ret_sha256 != NULL;
}

/* What has another sha256 was perhaps put together of two versions: of a part that was there before
 * and of what the server has now. All of it is asked for once more before it counts as wrong. */
static gboolean
fill_and_verify (const CatalogFile *file, Part *part, const char *path, guint timeout_s,
                 char **ret_sha256, GError **error)
{
  g_autofree char *sha256 = NULL;
  g_autofree char *wrong = g_strconcat (path, ".wrong", NULL);
  guint64 have = 0;

  if (!part_length (part, &have, error))
    return FALSE;
  /* Without a sha256 nothing would tell what was put together. */
  if (file->sha256 == NULL || have > file->size)
    have = 0;
  if (!fill_part (file, part, have, timeout_s, &sha256, error))
    return FALSE;
  if (have > 0 && !g_str_equal (sha256, file->sha256)) {
    g_printerr ("assay: %s: does not fit what had come before; fetching all of it again\n",
                file->name);
    g_clear_pointer (&sha256, g_free);
    if (!fill_part (file, part, 0, timeout_s, &sha256, error))
      return FALSE;
  }
  if (file->sha256 != NULL && !g_str_equal (sha256, file->sha256)) {
    if (g_rename (part->path, wrong) != 0)
      return fail_write (wrong, error);
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: what came has sha256 %s, expected %s; it is kept as %s", file->url,
                       sha256, file->sha256, wrong);
  }
  *ret_sha256 = g_steal_pointer (&sha256);
  return TRUE;
}

/* Says what an error has left. */
static gboolean
add_what_is_left (const Part *part, const CatalogFile *file, GError **error)
{
  struct stat about;

  if (part->fd < 0 || fstat (part->fd, &about) != 0 || lstat (part->path, &about) != 0)
    return FALSE;
  if (about.st_size == 0) {
    g_unlink (part->path);
  } else if (error != NULL && *error != NULL && file->sha256 != NULL) {
    g_autofree char *message = g_strdup ((*error)->message);
    const int code = (*error)->code;

    g_clear_error (error);
    assay_error_set (error, (AssayErrorCode) code,
                     "%s; %s has %" PRIu64 " of %" PRIu64
                     " bytes, and the same command goes on from there",
                     message, part->path, (guint64) about.st_size, file->size);
  }
  return FALSE;
}

gboolean
cli_download (const CatalogFile *file, const char *folder, const CliDownloadOptions *options,
              CliDownloadOutcome *ret_outcome, char **ret_path, char **ret_sha256, GError **error)
{
  g_autofree char *verified = g_build_filename (folder, file->name, NULL);
  g_autofree char *path
      = file->sha256 != NULL ? g_strdup (verified) : g_strconcat (verified, ".unverified", NULL);
  g_auto (Part) part = { g_strconcat (verified, ".part", NULL), -1 };
  gboolean is_there = FALSE;

  if (file->sha256 == NULL && !options->accepts_unverified)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the catalogue has no sha256 for it, so nothing would tell whether "
                       "what comes is what the authors published; --accept-unverified fetches it "
                       "all the same",
                       file->url);
  if (!look_at_target (file, path, options->may_replace, &is_there, ret_sha256, error))
    return FALSE;
  if (!is_there) {
    if (!cli_transfer_is_there ())
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: cannot be fetched, because this program was built without libcurl; "
                         "fetched otherwise to %s, it is verified by the same command",
                         file->url, path);
    /* Once more behind the lock: who held it may have just finished. */
    if (!open_part (&part, error)
        || !look_at_target (file, path, options->may_replace, &is_there, ret_sha256, error))
      return FALSE;
    if (is_there)
      g_unlink (part.path);
    else if (!fill_and_verify (file, &part, path, options->timeout_s, ret_sha256, error))
      return add_what_is_left (&part, file, error);
    else if (g_rename (part.path, path) != 0)
      return fail_write (path, error);
  }
  *ret_outcome = file->sha256 == NULL ? CLI_DOWNLOAD_UNVERIFIED
                 : is_there           ? CLI_DOWNLOAD_WAS_THERE
                                      : CLI_DOWNLOAD_FETCHED;
  *ret_path = g_steal_pointer (&path);
  return TRUE;
}
