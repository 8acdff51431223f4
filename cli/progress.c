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

int
cli_interrupt_hold (void)
{
  const int held = interrupted;

  interrupted = 0;
  return held;
}

void
cli_interrupt_release (int held)
{
  if (interrupted == 0)
    interrupted = held;
}

gboolean
cli_is_cancelled (G_GNUC_UNUSED gpointer data)
{
  return cli_is_interrupted ();
}

static void
drop_warning (G_GNUC_UNUSED const char *domain, G_GNUC_UNUSED GLogLevelFlags level,
              G_GNUC_UNUSED const char *message, G_GNUC_UNUSED gpointer data)
{
}

void
cli_drop_warnings (void)
{
  g_log_set_handler (NULL, G_LOG_LEVEL_MESSAGE, drop_warning, NULL);
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
format_left (const CliProgress *progress, const AssayProgress *run)
{
  const double elapsed
      = (double) (g_get_monotonic_time () - progress->started) / G_USEC_PER_SEC;
  const gsize resumed = MIN (run->resumed, run->done), ours = run->done - resumed;
  gint64 left;

  /* The first cells include what later ones share, or are the quickest of all; a guess from them
   * alone is far off. */
  if (elapsed < LEAST_SECONDS || ours == 0 || run->done >= run->total
      || 20 * ours < run->total - resumed)
    return g_strdup ("");
  left = (gint64) (elapsed * (double) (run->total - run->done) / (double) ours + 0.5);
  return left >= 60 ? g_strdup_printf (", about %" G_GINT64_FORMAT " min left", (left + 30) / 60)
                    : g_strdup_printf (", about %" G_GINT64_FORMAT " s left", left);
}

static void
draw_bar (CliProgress *progress, const AssayProgress *run, const char *left)
{
  const gsize filled = run->total > 0 ? BAR_WIDTH * run->done / run->total : BAR_WIDTH;
  char bar[BAR_WIDTH + 1];

  memset (bar, '-', BAR_WIDTH);
  memset (bar, '#', filled);
  bar[BAR_WIDTH] = '\0';
  fprintf (stderr, "\r\033[K[%s] %zu/%zu cells%s%s%s%s", bar, run->done, run->total, left,
           *run->doing != '\0' ? "  " : "", run->doing,
           cli_is_interrupted () ? "  (stopping after this cell)" : "");
  fflush (stderr);
  progress->has_bar = TRUE;
}

void
cli_progress_update (const AssayProgress *run, gpointer data)
{
  CliProgress *progress = data;
  const gint64 now = g_get_monotonic_time ();
  const gboolean is_first = progress->last == 0, is_end = run->done == run->total;
  g_autofree char *left = format_left (progress, run);

  if (progress->is_quiet
      || (!progress->is_terminal && run->done == progress->last_done && !is_first)
      || (now - progress->last < (progress->is_terminal ? REDRAW_US : LINE_US) && !is_end
          && !is_first))
    return;
  if (progress->is_terminal)
    draw_bar (progress, run, left);
  else
    fprintf (stderr, "%zu of %zu cells%s\n", run->done, run->total, left);
  progress->last = now;
  progress->last_done = run->done;
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
