/* Transfers by libcurl: http and https, with redirects, and ftp. */
#include "cli/dataset/transfer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <curl/curl.h>

#include "cli/cli.h"
#include "config.h"
#include "core/base/error.h"
#include "core/base/text.h"

#define MOST_REDIRECTS 5
#define REDRAW_US (G_USEC_PER_SEC / 10)
#define STATUS_PARTIAL 206
#define STATUS_RANGE_REFUSED 416

/* One request. */
typedef struct {
  const CliTransfer *transfer;
  CURL *curl;
  guint64 asked;       /* the first byte that was asked for */
  guint64 length;      /* of the file now */
  guint64 range_first; /* of a Content-Range */
  gboolean has_range;
  gboolean has_begun; /* some of the body has come */
  gboolean is_terminal;
  gint64 drawn;
  GError *error; /* why a callback ended it */
} Request;

static void
request_clear (Request *request)
{
  g_clear_error (&request->error);
  g_clear_pointer (&request->curl, curl_easy_cleanup);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Request, request_clear)

gboolean
cli_transfer_is_there (void)
{
  return TRUE;
}

/* ---- What comes ---- */

/* "Content-Range: bytes 100-199/200"; every answer of a chain of redirects begins anew. */
static size_t
on_header (char *data, size_t size, size_t n, void *user)
{
  Request *request = user;
  g_autofree char *line = g_strndup (data, size * n);
  const char *name = "content-range:";

  if (g_str_has_prefix (line, "HTTP/"))
    request->has_range = FALSE;
  else if (g_ascii_strncasecmp (line, name, strlen (name)) == 0)
    request->has_range
        = sscanf (line + strlen (name), " bytes %" SCNu64 "-", &request->range_first) == 1;
  return size * n;
}

static gboolean
fail_size (const CliTransfer *transfer, guint64 found, GError **error)
{
  g_autofree char *there = assay_text_count (found);
  g_autofree char *expected = assay_text_count (transfer->size);

  return assay_fail (error, ASSAY_ERROR_DATA,
                     "%s: has %s bytes, expected %s%s: it is not the file that the catalogue means",
                     transfer->url, there, transfer->is_exact ? "" : "at most ", expected);
}

/* Where what comes belongs, and whether it can be the right file at all. */
static gboolean
begin_body (Request *request)
{
  const CliTransfer *transfer = request->transfer;
  long status = 0;
  curl_off_t left = -1;

  curl_easy_getinfo (request->curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo (request->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &left);
  if (request->asked > 0 && !g_str_has_prefix (transfer->url, "ftp:")) {
    if (status == STATUS_PARTIAL && (!request->has_range || request->range_first != request->asked))
      return assay_fail (&request->error, ASSAY_ERROR_DATA,
                         "%s: the server sent another part than bytes %" PRIu64 " and on",
                         transfer->url, request->asked);
    if (status != STATUS_PARTIAL) { /* the server knows no ranges and sends everything */
      if (ftruncate (transfer->fd, 0) != 0 || lseek (transfer->fd, 0, SEEK_SET) != 0)
        return assay_fail (&request->error, ASSAY_ERROR_IO, "%s: cannot be written: %s",
                           transfer->path, g_strerror (errno));
      request->length = 0;
    }
  }
  if (left >= 0
      && (transfer->is_exact ? request->length + (guint64) left != transfer->size
                             : (guint64) left > transfer->size))
    return fail_size (transfer, request->length + (guint64) left, &request->error);
  return TRUE;
}

static size_t
on_body (char *data, size_t size, size_t n, void *user)
{
  Request *request = user;
  const CliTransfer *transfer = request->transfer;
  const size_t length = size * n;
  size_t done = 0;

  if (!request->has_begun && !begin_body (request))
    return CURL_WRITEFUNC_ERROR;
  request->has_begun = TRUE;
  if (length > transfer->size - request->length) {
    assay_error_set (&request->error, ASSAY_ERROR_DATA,
                     "%s: is larger than %" PRIu64
                     " bytes: it is not the file that the catalogue means",
                     transfer->url, transfer->size);
    return CURL_WRITEFUNC_ERROR;
  }
  while (done < length) {
    const gssize written = write (transfer->fd, data + done, length - done);

    if (written < 0 && errno != EINTR) {
      assay_error_set (&request->error, ASSAY_ERROR_IO, "%s: cannot be written: %s", transfer->path,
                       g_strerror (errno));
      return CURL_WRITEFUNC_ERROR;
    }
    done += (size_t) MAX (written, 0);
    request->length += (guint64) MAX (written, 0);
  }
  return length;
}

static int
on_progress (void *user, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up)
{
  Request *request = user;
  const CliTransfer *transfer = request->transfer;
  const gint64 time = g_get_monotonic_time ();

  (void) total;
  (void) now;
  (void) up_total;
  (void) up;
  if (request->is_terminal && time - request->drawn >= REDRAW_US) {
    g_autofree char *length = assay_text_bytes (request->length);
    g_autofree char *size = assay_text_bytes (transfer->size);

    fprintf (stderr, "\r\033[K%s: %s of %s%s", transfer->name, length,
             transfer->is_exact ? "" : "at most ", size);
    fflush (stderr);
    request->drawn = time;
  }
  return cli_is_interrupted ();
}

/* ---- Requests ---- */

static void
set_options (Request *request, char *message)
{
  const CliTransfer *transfer = request->transfer;
  CURL *curl = request->curl;

  curl_easy_setopt (curl, CURLOPT_URL, transfer->url);
  curl_easy_setopt (curl, CURLOPT_PROTOCOLS_STR, "https,http,ftp");
  /* What begins safe stays safe; nobody is led from a page to a file server. */
  curl_easy_setopt (curl, CURLOPT_REDIR_PROTOCOLS_STR,
                    g_str_has_prefix (transfer->url, "https:") ? "https" : "https,http");
  curl_easy_setopt (curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt (curl, CURLOPT_MAXREDIRS, (long) MOST_REDIRECTS);
  curl_easy_setopt (curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt (curl, CURLOPT_USERAGENT, "assay/" ASSAY_VERSION);
  curl_easy_setopt (curl, CURLOPT_CONNECTTIMEOUT, (long) transfer->timeout_s);
  curl_easy_setopt (curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt (curl, CURLOPT_LOW_SPEED_TIME, (long) transfer->timeout_s);
  curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, message);
  curl_easy_setopt (curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt (curl, CURLOPT_HEADERDATA, request);
  curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt (curl, CURLOPT_WRITEDATA, request);
  curl_easy_setopt (curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt (curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt (curl, CURLOPT_XFERINFODATA, request);
  if (request->asked > 0) {
    g_autofree char *range = g_strdup_printf ("%" PRIu64 "-", request->asked);

    curl_easy_setopt (curl, CURLOPT_RANGE, range);
  }
}

static gboolean
explain (const Request *request, CURLcode code, const char *message, GError **error)
{
  const CliTransfer *transfer = request->transfer;
  long status = 0;

  curl_easy_getinfo (request->curl, CURLINFO_RESPONSE_CODE, &status);
  if (request->error != NULL) {
    g_propagate_error (error, g_error_copy (request->error));
    return FALSE;
  }
  switch (code) {
  case CURLE_ABORTED_BY_CALLBACK:
    return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
  case CURLE_HTTP_RETURNED_ERROR:
    /* Time-outs, too many requests, and faults of the server pass. */
    return assay_fail (
        error, status == 408 || status == 429 || status >= 500 ? ASSAY_ERROR_IO : ASSAY_ERROR_DATA,
        "%s: the server answered with status %ld", transfer->url, status);
  case CURLE_TOO_MANY_REDIRECTS:
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: leads over more than %d redirects",
                       transfer->url, MOST_REDIRECTS);
  case CURLE_UNSUPPORTED_PROTOCOL:
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: speaks or leads to another protocol: %s",
                       transfer->url, message);
  case CURLE_OPERATION_TIMEDOUT:
    return assay_fail (error, ASSAY_ERROR_IO, "%s: nothing came for %u s (--timeout)",
                       transfer->url, transfer->timeout_s);
  default:
    return assay_fail (error, ASSAY_ERROR_IO, "%s: %s", transfer->url,
                       *message != '\0' ? message : curl_easy_strerror (code));
  }
}

/* @ret_is_range_refused: there are no bytes behind those that are there. */
static gboolean
request_from (const CliTransfer *transfer, guint64 first, gboolean *ret_is_range_refused,
              GError **error)
{
  g_auto (Request) request = {
    .transfer = transfer, .asked = first, .length = first, .is_terminal = isatty (STDERR_FILENO)
  };
  char message[CURL_ERROR_SIZE] = "";
  long status = 0;
  CURLcode code;

  request.curl = curl_easy_init ();
  if (request.curl == NULL)
    return assay_fail (error, ASSAY_ERROR_MEMORY, "libcurl cannot be started");
  if (lseek (transfer->fd, (off_t) first, SEEK_SET) < 0 || ftruncate (transfer->fd, (off_t) first))
    return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written: %s", transfer->path,
                       g_strerror (errno));
  set_options (&request, message);
  code = curl_easy_perform (request.curl);
  if (request.drawn != 0)
    fputs ("\r\033[K", stderr);
  curl_easy_getinfo (request.curl, CURLINFO_RESPONSE_CODE, &status);
  *ret_is_range_refused
      = code == CURLE_HTTP_RETURNED_ERROR && status == STATUS_RANGE_REFUSED && first > 0;
  return code == CURLE_OK || explain (&request, code, message, error);
}

gboolean
cli_transfer (const CliTransfer *transfer, GError **error)
{
  g_autoptr (GError) cause = NULL;
  gboolean is_range_refused = FALSE;

  if (request_from (transfer, transfer->have, &is_range_refused, &cause))
    return TRUE;
  if (is_range_refused)
    return request_from (transfer, 0, &is_range_refused, error);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}
