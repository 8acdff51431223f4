/* Transfers by libcurl: http and https, with redirects, and ftp. What went wrong is said in its
 * words. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* The checks of types that it has are macros, which call the function itself. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "cli/cli.h"
#include "cli/dataset/download.h"
#include "core/data/formats/late-library.h"
#include "config.h"
#include "core/base/text.h"

#define MAX_REDIRECTS 5L
#define REDRAW_US (G_USEC_PER_SEC / 10)

#define FUNCTIONS(X)                                                                               \
  X (curl_easy_init) X (curl_easy_setopt) X (curl_easy_perform)                                    \
  X (curl_easy_getinfo) X (curl_easy_cleanup) X (curl_easy_strerror)
ASSAY_LATE_LIBRARY (late, FUNCTIONS);

/* One request. */
typedef struct {
  const CatalogFile *file;
  int fd;
  CURL *curl;
  guint64 first;  /* the first byte that was asked for */
  guint64 length; /* of the file on disk now */
  gint64 drawn;
  GError *error; /* why a callback ended it */
} Request;

/* Whether @size, which the server announces or has sent, can be that of the right file. */
static gboolean
check_size (Request *request, guint64 size, gboolean is_all)
{
  const CatalogFile *file = request->file;
  g_autofree char *found = assay_text_count (size), *expected = assay_text_count (file->size);

  return (is_all && file->sha256 != NULL ? size == file->size : size <= file->size)
         || assay_fail (&request->error, ASSAY_ERROR_DATA,
                        "has %s bytes%s, expected %s%s: it is not the file that the catalogue "
                        "means",
                        found, is_all ? "" : " or more", file->sha256 != NULL ? "" : "at most ",
                        expected);
}

static size_t
on_body (char *data, size_t size, size_t n, void *user)
{
  Request *request = user;
  const guint64 after = request->length + n * size;
  curl_off_t left = -1;

  late.curl_easy_getinfo (request->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &left);
  if ((left >= 0 && !check_size (request, request->first + (guint64) left, TRUE))
      || !check_size (request, after, FALSE))
    return CURL_WRITEFUNC_ERROR;
  while (request->length < after) {
    const gssize written = write (request->fd, data, after - request->length);

    if (written < 0 && errno != EINTR) {
      assay_error_set (&request->error, ASSAY_ERROR_IO, "what comes cannot be written: %s",
                       g_strerror (errno));
      return CURL_WRITEFUNC_ERROR;
    }
    data += MAX (written, 0);
    request->length += (guint64) MAX (written, 0);
  }
  return n * size;
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

    g_printerr ("\r\033[K%s: %s of %s%s", request->file->name, length,
                request->file->sha256 != NULL ? "" : "at most ", size);
    request->drawn = time;
  }
  return cli_is_interrupted ();
}

static void
set_options (Request *request, long timeout_s, char *message)
{
  const char *url = request->file->url;
  CURL *curl = request->curl;

  late.curl_easy_setopt (curl, CURLOPT_URL, url);
  late.curl_easy_setopt (curl, CURLOPT_PROTOCOLS_STR, "https,http,ftp");
  /* What begins safe stays safe; nobody is led from a page to a file server. */
  late.curl_easy_setopt (curl, CURLOPT_REDIR_PROTOCOLS_STR,
                         g_str_has_prefix (url, "https:") ? "https" : "https,http");
  late.curl_easy_setopt (curl, CURLOPT_FOLLOWLOCATION, 1L);
  late.curl_easy_setopt (curl, CURLOPT_MAXREDIRS, MAX_REDIRECTS);
  late.curl_easy_setopt (curl, CURLOPT_FAILONERROR, 1L);
  late.curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
  late.curl_easy_setopt (curl, CURLOPT_USERAGENT, "assay/" ASSAY_VERSION);
  late.curl_easy_setopt (curl, CURLOPT_CONNECTTIMEOUT, timeout_s);
  late.curl_easy_setopt (curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  late.curl_easy_setopt (curl, CURLOPT_LOW_SPEED_TIME, timeout_s);
  late.curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, message);
  late.curl_easy_setopt (curl, CURLOPT_RESUME_FROM_LARGE, (curl_off_t) request->first);
  late.curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_body);
  late.curl_easy_setopt (curl, CURLOPT_WRITEDATA, request);
  late.curl_easy_setopt (curl, CURLOPT_NOPROGRESS, 0L);
  late.curl_easy_setopt (curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  late.curl_easy_setopt (curl, CURLOPT_XFERINFODATA, request);
}

/* Whether another time may bring more: not where the address is wrong. Time-outs, too many requests
 * and faults of the server pass. */
static gboolean
may_pass (CURLcode code, long status)
{
  if (code == CURLE_HTTP_RETURNED_ERROR)
    return status == 408 || status == 429 || status >= 500;
  return code != CURLE_TOO_MANY_REDIRECTS && code != CURLE_UNSUPPORTED_PROTOCOL;
}

gboolean
cli_transfer (const CatalogFile *file, int fd, guint64 have, guint timeout_s, GError **error)
{
  Request request = { .file = file, .fd = fd, .first = have, .length = have };
  char message[CURL_ERROR_SIZE] = "";
  long status = 0;
  CURLcode code;

  if (!ASSAY_LATE_LIBRARY_LOAD (late, "libcurl.so.4", error))
    return FALSE;
  if (lseek (fd, (off_t) have, SEEK_SET) < 0 || ftruncate (fd, (off_t) have) != 0)
    return assay_fail (error, ASSAY_ERROR_IO, "what comes cannot be written: %s",
                       g_strerror (errno));
  request.curl = late.curl_easy_init ();
  if (request.curl == NULL)
    return assay_fail (error, ASSAY_ERROR_MEMORY, "libcurl cannot be started");
  set_options (&request, timeout_s, message);
  code = late.curl_easy_perform (request.curl);
  if (request.drawn != 0)
    g_printerr ("\r\033[K");
  late.curl_easy_getinfo (request.curl, CURLINFO_RESPONSE_CODE, &status);
  late.curl_easy_cleanup (request.curl);
  /* It knows no ranges, sent another one, or (416) has no bytes behind those that are there. */
  if (have > 0
      && (code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME
          || code == CURLE_FTP_COULDNT_USE_REST || status == 416)) {
    g_clear_error (&request.error);
    return cli_transfer (file, fd, 0, timeout_s, error);
  }
  if (request.error != NULL)
    g_propagate_error (error, request.error);
  else if (code == CURLE_ABORTED_BY_CALLBACK)
    assay_error_set (error, ASSAY_ERROR_CANCELLED, "interrupted");
  else if (code != CURLE_OK)
    assay_error_set (error, may_pass (code, status) ? ASSAY_ERROR_IO : ASSAY_ERROR_DATA, "%s%s",
                     *message != '\0' ? message : late.curl_easy_strerror (code),
                     code == CURLE_OPERATION_TIMEDOUT ? " (--timeout)" : "");
  return code == CURLE_OK;
}
