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
#include "core/base/error.h"
#include "core/base/file-map.h"

/* NAME.part, locked for as long as it is open. */
typedef struct {
  char *path;
  int fd;
} Part;

ASSAY_LOCAL_CLEAR (Part, part_clear, g_free (self->path),
                   (void) (self->fd >= 0 && close (self->fd) == 0))

ASSAY_CLEAR_FUNC (CliDownload, cli_download_clear, assay_drop (self->path, g_free),
                  assay_drop (self->sha256, g_free))

static gboolean
fail_write (const char *path, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written: %s", path, g_strerror (errno));
}

static char *
hash_file (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map (path, error);

  if (bytes != NULL && cli_is_interrupted ())
    return assay_fail_null (error, ASSAY_ERROR_CANCELLED, "interrupted");
  return bytes != NULL ? g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes) : NULL;
}

/* Sets @download's sha256 if its path exists and is what @file says; something else there is an
 * error. */
static gboolean
check_target (const CatalogFile *file, gboolean may_replace, CliDownload *download, GError **error)
{
  g_autofree char *sha256 = NULL;

  if (!g_file_test (download->path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (!g_file_test (download->path, G_FILE_TEST_IS_REGULAR))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: is there, and is no plain file",
                       download->path);
  sha256 = hash_file (download->path, error);
  if (sha256 == NULL)
    return FALSE;
  if (file->sha256 == NULL ? !may_replace : g_str_equal (sha256, file->sha256))
    download->sha256 = g_steal_pointer (&sha256);
  else if (!may_replace)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: is there with sha256 %s, expected %s; --force fetches it again",
                       download->path, sha256, file->sha256);
  download->was_there = download->sha256 != NULL;
  return TRUE;
}

/* Opens and locks @part->path, until it is the file of that name: who held the lock before may have
 * renamed what was opened. */
static gboolean
open_part (Part *part, GError **error)
{
  struct stat ours, there;

  do {
    if (part->fd >= 0)
      close (part->fd);
    part->fd = g_open (part->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (part->fd < 0)
      return fail_write (part->path, error);
    if (flock (part->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      return assay_fail (error, ASSAY_ERROR_IO,
                         "%s: another process fetches this file at the moment", part->path);
    if (flock (part->fd, LOCK_EX | LOCK_NB) != 0)
      return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be locked: %s", part->path,
                         g_strerror (errno));
    if (fstat (part->fd, &ours) != 0 || !S_ISREG (ours.st_mode))
      return assay_fail (error, ASSAY_ERROR_DATA, "%s: is there, and is no plain file", part->path);
  } while (lstat (part->path, &there) != 0 || ours.st_dev != there.st_dev
           || ours.st_ino != there.st_ino);
  return TRUE;
}

static guint64
part_length (const Part *part)
{
  struct stat about = { 0 };

  return fstat (part->fd, &about) == 0 ? (guint64) about.st_size : 0;
}

/* Fetches what lacks behind the first @have bytes. The sha256 of the whole, or NULL. */
static char *
fill_part (const CatalogFile *file, const Part *part, guint64 have, guint timeout_s, GError **error)
{
  guint64 length;

  if ((have != file->size || file->sha256 == NULL)
      && !cli_transfer (file, part->fd, have, timeout_s, error))
    return assay_prefix_null (error, "%s: ", file->url);
  length = part_length (part);
  if (length == 0 || (file->sha256 != NULL && length != file->size))
    return assay_fail_null (error, ASSAY_ERROR_IO,
                            "%s: ended after %" PRIu64 " of %" PRIu64 " bytes", file->url, length,
                            file->size);
  return fsync (part->fd) == 0 || fail_write (part->path, error) ? hash_file (part->path, error)
                                                                 : NULL;
}

/* What has another sha256 was perhaps put together of two versions: of a part that was there before
 * and of what the server has now. All of it is asked for once more before it counts as wrong. */
static gboolean
fill_and_verify (const CatalogFile *file, const Part *part, guint timeout_s, CliDownload *download,
                 GError **error)
{
  /* Without a sha256 nothing would tell what was put together. */
  const guint64 length = part_length (part);
  const guint64 have = file->sha256 != NULL && length <= file->size ? length : 0;
  const char *target = download->path;
  g_autofree char *wrong = NULL;

  download->sha256 = fill_part (file, part, have, timeout_s, error);
  if (download->sha256 != NULL && have > 0 && !g_str_equal (download->sha256, file->sha256)) {
    g_printerr ("assay: %s: does not fit what had come before; fetching all of it again\n",
                file->name);
    g_free (download->sha256);
    download->sha256 = fill_part (file, part, 0, timeout_s, error);
  }
  if (download->sha256 == NULL)
    return FALSE;
  if (file->sha256 != NULL && !g_str_equal (download->sha256, file->sha256))
    target = wrong = g_strconcat (download->path, ".wrong", NULL);
  if (g_rename (part->path, target) != 0)
    return fail_write (target, error);
  return wrong == NULL
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s: what came has sha256 %s, expected %s; it is kept as %s", file->url,
                        download->sha256, file->sha256, wrong);
}

/* Says what an error has left, or removes it where it is nothing. FALSE. */
static gboolean
add_what_is_left (const Part *part, const CatalogFile *file, GError **error)
{
  const guint64 length = part_length (part);
  g_autofree char *cause = g_strdup (error != NULL ? (*error)->message : "");

  if (length == 0)
    g_unlink (part->path);
  else if (error != NULL && file->sha256 != NULL && g_file_test (part->path, G_FILE_TEST_EXISTS)) {
    g_free ((*error)->message);
    (*error)->message = g_strdup_printf ("%s; %s has %" PRIu64 " of %" PRIu64
                                         " bytes, and the same command goes on from there",
                                         cause, part->path, length, file->size);
  }
  return FALSE;
}

gboolean
cli_download (const CatalogFile *file, const char *folder, const CliDownloadOptions *options,
              CliDownload *ret_download, GError **error)
{
  g_autofree char *verified = g_build_filename (folder, file->name, NULL);
  g_auto (Part) part = { g_strconcat (verified, ".part", NULL), -1 };

  ret_download->path = file->sha256 != NULL ? g_steal_pointer (&verified)
                                            : g_strconcat (verified, ".unverified", NULL);
  if (file->sha256 == NULL && !options->accepts_unverified)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the catalogue has no sha256 for it, so nothing would tell whether "
                       "what comes is what the authors published; --accept-unverified fetches it "
                       "all the same",
                       file->url);
  /* Once more behind the lock: who held it may have just finished. */
  if (!check_target (file, options->may_replace, ret_download, error)
      || (!ret_download->was_there
          && (!open_part (&part, error)
              || !check_target (file, options->may_replace, ret_download, error))))
    return FALSE;
  if (!ret_download->was_there)
    return fill_and_verify (file, &part, options->timeout_s, ret_download, error)
           || add_what_is_left (&part, file, error);
  if (part.fd >= 0)
    g_unlink (part.path);
  return TRUE;
}
