/* Transfers by libcurl: http and https, with redirects, and ftp. */
#include "cli/dataset/transfer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* The checks of types that it has are macros, which call the function itself. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "cli/cli.h"
#include "cli/dataset/late-library.h"
#include "config.h"
#include "core/base/error.h"
#include "core/base/text.h"

#define MAX_REDIRECTS 5
#define REDRAW_US (G_USEC_PER_SEC / 10)
#define STATUS_RANGE_REFUSED 416

#define FUNCTIONS(X)                                                                               \
  X (curl_easy_init)                                                                               \
  X (curl_easy_setopt)                                                                             \
  X (curl_easy_perform)                                                                            \
  X (curl_easy_getinfo)                                                                            \
  X (curl_easy_cleanup)                                                                            \
  X (curl_easy_strerror)
CLI_LATE_LIBRARY (late, FUNCTIONS);

/* One request. */
typedef struct {
  const CatalogFile *file;
  const char *path;
  int fd;
  CURL *curl;
  guint64 first;  /* the first byte that was asked for */
  guint64 length; /* of the file on disk now */
  gint64 drawn;
  GError *error; /* why a callback ended it */
} Request;

const gboolean cli_can_transfer = TRUE;

static gboolean
fail_write (const char *path, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written: %s", path, g_strerror (errno));
}

/* Whether what is about to come can be the right file at all. */
static gboolean
check_size (Request *request)
{
  const CatalogFile *file = request->file;
  const gboolean is_exact = file->sha256 != NULL;
  g_autofree char *found = NULL, *expected = NULL;
  curl_off_t left = -1;
  guint64 size;

  late.curl_easy_getinfo (request->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &left);
  size = request->first + (guint64) MAX (left, 0);
  if (left < 0 || (is_exact ? size == file->size : size <= file->size))
    return TRUE;
  found = assay_text_count (size);
  expected = assay_text_count (file->size);
  return assay_fail (&request->error, ASSAY_ERROR_DATA,
                     "%s: has %s bytes, expected %s%s: it is not the file that the catalogue means",
                     file->url, found, is_exact ? "" : "at most ", expected);
}

static size_t
on_body (char *data, size_t size, size_t n, void *user)
{
  Request *request = user;
  const CatalogFile *file = request->file;
  const size_t length = size * n;

  if (request->length == request->first && !check_size (request))
    return CURL_WRITEFUNC_ERROR;
  if (length > file->size - request->length) {
    assay_error_set (&request->error, ASSAY_ERROR_DATA,
                     "%s: is larger than %" PRIu64
                     " bytes: it is not the file that the catalogue means",
                     file->url, file->size);
    return CURL_WRITEFUNC_ERROR;
  }
  for (size_t done = 0; done < length;) {
    const gssize written = write (request->fd, data + done, length - done);

    if (written < 0 && errno != EINTR) {
      fail_write (request->path, &request->error);
      return CURL_WRITEFUNC_ERROR;
    }
    done += (size_t) MAX (written, 0);
    request->length += (guint64) MAX (written, 0);
  }
  return length;
}

static int
on_progress (void *user, G_GNUC_UNUSED curl_off_t total, G_GNUC_UNUSED curl_off_t now,
             G_GNUC_UNUSED curl_off_t upload_total, G_GNUC_UNUSED curl_off_t upload_now)
{
  Request *request = user;
  const gint64 time = g_get_monotonic_time ();

  if (isatty (STDERR_FILENO) && time - request->drawn >= REDRAW_US) {
    g_autofree char *length = assay_text_bytes (request->length);
    g_autofree char *size = assay_text_bytes (request->file->size);

    fprintf (stderr, "\r\033[K%s: %s of %s%s", request->file->name, length,
             request->file->sha256 != NULL ? "" : "at most ", size);
    fflush (stderr);
    request->drawn = time;
  }
  return cli_is_interrupted ();
}

static void
set_options (Request *request, guint timeout_s, char *message)
{
  const char *url = request->file->url;
  CURL *curl = request->curl;

  late.curl_easy_setopt (curl, CURLOPT_URL, url);
  late.curl_easy_setopt (curl, CURLOPT_PROTOCOLS_STR, "https,http,ftp");
  /* What begins safe stays safe; nobody is led from a page to a file server. */
  late.curl_easy_setopt (curl, CURLOPT_REDIR_PROTOCOLS_STR,
                         g_str_has_prefix (url, "https:") ? "https" : "https,http");
  late.curl_easy_setopt (curl, CURLOPT_FOLLOWLOCATION, 1L);
  late.curl_easy_setopt (curl, CURLOPT_MAXREDIRS, (long) MAX_REDIRECTS);
  late.curl_easy_setopt (curl, CURLOPT_FAILONERROR, 1L);
  late.curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
  late.curl_easy_setopt (curl, CURLOPT_USERAGENT, "assay/" ASSAY_VERSION);
  late.curl_easy_setopt (curl, CURLOPT_CONNECTTIMEOUT, (long) timeout_s);
  late.curl_easy_setopt (curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  late.curl_easy_setopt (curl, CURLOPT_LOW_SPEED_TIME, (long) timeout_s);
  late.curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, message);
  late.curl_easy_setopt (curl, CURLOPT_RESUME_FROM_LARGE, (curl_off_t) request->first);
  late.curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_body);
  late.curl_easy_setopt (curl, CURLOPT_WRITEDATA, request);
  late.curl_easy_setopt (curl, CURLOPT_NOPROGRESS, 0L);
  late.curl_easy_setopt (curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  late.curl_easy_setopt (curl, CURLOPT_XFERINFODATA, request);
}

static gboolean
explain (Request *request, CURLcode code, guint timeout_s, const char *message, GError **error)
{
  const char *url = request->file->url;
  long status = 0;

  late.curl_easy_getinfo (request->curl, CURLINFO_RESPONSE_CODE, &status);
  if (request->error != NULL) {
    g_propagate_error (error, g_steal_pointer (&request->error));
    return FALSE;
  }
  switch (code) {
  case CURLE_ABORTED_BY_CALLBACK:
    return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
  case CURLE_HTTP_RETURNED_ERROR:
    /* Time-outs, too many requests, and faults of the server pass. */
    return assay_fail (
        error, status == 408 || status == 429 || status >= 500 ? ASSAY_ERROR_IO : ASSAY_ERROR_DATA,
        "%s: the server answered with status %ld", url, status);
  case CURLE_TOO_MANY_REDIRECTS:
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: leads over more than %d redirects", url,
                       MAX_REDIRECTS);
  case CURLE_UNSUPPORTED_PROTOCOL:
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: speaks or leads to another protocol: %s", url,
                       message);
  case CURLE_OPERATION_TIMEDOUT:
    return assay_fail (error, ASSAY_ERROR_IO, "%s: nothing came for %u s (--timeout)", url,
                       timeout_s);
  default:
    return assay_fail (error, ASSAY_ERROR_IO, "%s: %s", url,
                       *message != '\0' ? message : late.curl_easy_strerror (code));
  }
}

gboolean
cli_transfer (const CatalogFile *file, const char *path, int fd, guint64 have, guint timeout_s,
              GError **error)
{
  Request request
      = { .file = file, .path = path, .fd = fd, .first = have, .length = have };
  char message[CURL_ERROR_SIZE] = "";
  gboolean cannot_resume, is_ok;
  long status = 0;
  CURLcode code;

  if (!CLI_LATE_LIBRARY_LOAD (late, "libcurl.so.4", error))
    return FALSE;
  request.curl = late.curl_easy_init ();
  if (request.curl == NULL)
    return assay_fail (error, ASSAY_ERROR_MEMORY, "libcurl cannot be started");
  if (lseek (fd, (off_t) have, SEEK_SET) < 0 || ftruncate (fd, (off_t) have) != 0) {
    late.curl_easy_cleanup (request.curl);
    return fail_write (path, error);
  }
  set_options (&request, timeout_s, message);
  code = late.curl_easy_perform (request.curl);
  if (request.drawn != 0)
    fputs ("\r\033[K", stderr);
  late.curl_easy_getinfo (request.curl, CURLINFO_RESPONSE_CODE, &status);
  /* It knows no ranges, sent another one, or has no bytes behind those that are there. */
  cannot_resume = have > 0
                  && (code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME
                      || code == CURLE_FTP_COULDNT_USE_REST || status == STATUS_RANGE_REFUSED);
  is_ok = cannot_resume || code == CURLE_OK || explain (&request, code, timeout_s, message, error);
  late.curl_easy_cleanup (request.curl);
  return cannot_resume ? cli_transfer (file, path, fd, 0, timeout_s, error) : is_ok;
}
