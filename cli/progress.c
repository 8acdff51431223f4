/* Progress on stderr: a bar with the time left on a terminal, plain lines otherwise. */
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/base/interrupt.h"

#define BAR_WIDTH 24
/* Between two redraws of the bar, and between two plain lines. */
#define REDRAW_US (G_USEC_PER_SEC / 10)
#define LINE_US (10 * G_USEC_PER_SEC)
#define LEAST_SECONDS 5 /* before anything is said of what is left */

struct _CliProgress {
  gboolean is_quiet;
  gboolean is_terminal;
  gboolean has_bar;
  gint64 started;
  gint64 last;
  gsize last_done;
};

static volatile sig_atomic_t interrupted;

static void
on_interrupt (int signal_number)
{
  interrupted = signal_number;
}

void
cli_catch_interrupts (void)
{
  struct sigaction action = { 0 };

  action.sa_handler = on_interrupt;
  /* Once is a request; the second time the default acts, which ends the process. */
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  assay_interrupt_set_check (cli_is_interrupted);
}

gboolean
cli_is_interrupted (void)
{
  return interrupted != 0;
}

void
cli_interrupt_after (double seconds)
{
  struct sigaction action = { .sa_handler = on_interrupt };
  struct itimerval timer = { 0 };

  action.sa_flags = (int) (SA_RESETHAND | SA_RESTART);
  sigaction (SIGALRM, &action, NULL);
  timer.it_value.tv_sec = (time_t) seconds;
  timer.it_value.tv_usec = (suseconds_t) ((seconds - floor (seconds)) * G_USEC_PER_SEC);
  setitimer (ITIMER_REAL, &timer, NULL);
}

gboolean
cli_is_out_of_time (void)
{
  return interrupted == SIGALRM;
}

CliProgress *
cli_progress_new (gboolean is_quiet)
{
  CliProgress *progress = g_new0 (CliProgress, 1);

  progress->is_quiet = is_quiet;
  progress->is_terminal = isatty (STDERR_FILENO);
  progress->started = g_get_monotonic_time ();
  return progress;
}

static char *
format_left (const CliProgress *progress, gsize done, gsize resumed, gsize total)
{
  const double elapsed
      = (double) (g_get_monotonic_time () - progress->started) / G_USEC_PER_SEC;
  const gsize ours = done - MIN (resumed, done);
  gint64 left;

  /* The first cells include what later ones share, or are the quickest of all; a guess from them
   * alone is far off. */
  if (elapsed < LEAST_SECONDS || ours == 0 || done >= total
      || 20 * ours < total - MIN (resumed, total))
    return g_strdup ("");
  left = (gint64) (elapsed * (double) (total - done) / (double) ours + 0.5);
  return left >= 60 ? g_strdup_printf (", about %" G_GINT64_FORMAT " min left", (left + 30) / 60)
                    : g_strdup_printf (", about %" G_GINT64_FORMAT " s left", left);
}

static void
draw_bar (CliProgress *progress, gsize done, gsize total, const char *left, const char *doing)
{
  const gsize filled = total > 0 ? BAR_WIDTH * done / total : BAR_WIDTH;
  char bar[BAR_WIDTH + 1];

  memset (bar, '-', BAR_WIDTH);
  memset (bar, '#', filled);
  bar[BAR_WIDTH] = '\0';
  fprintf (stderr, "\r\033[K[%s] %zu/%zu cells%s%s%s%s", bar, done, total, left,
           *doing != '\0' ? "  " : "", doing,
           cli_is_interrupted () ? "  (stopping after this cell)" : "");
  fflush (stderr);
  progress->has_bar = TRUE;
}

void
cli_progress_update (CliProgress *progress, gsize done, gsize resumed, gsize total,
                     const char *doing)
{
  const gint64 now = g_get_monotonic_time ();
  const gint64 since = now - progress->last;
  const gboolean is_end = done == total;
  g_autofree char *left = format_left (progress, done, resumed, total);

  if (progress->is_quiet)
    return;
  if (progress->is_terminal) {
    if (since >= REDRAW_US || is_end || progress->last == 0) {
      draw_bar (progress, done, total, left, doing);
      progress->last = now;
    }
    return;
  }
  if (done == progress->last_done && progress->last != 0)
    return;
  if (since >= LINE_US || is_end || progress->last == 0) {
    fprintf (stderr, "%zu of %zu cells%s\n", done, total, left);
    progress->last = now;
    progress->last_done = done;
  }
}

void
cli_progress_free (CliProgress *progress)
{
  if (progress == NULL)
    return;
  if (progress->has_bar)
    fputs ("\r\033[K", stderr);
  g_free (progress);
}
