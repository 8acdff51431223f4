/* Progress on stderr: a bar with the time left on a terminal, plain lines otherwise; of cells, and
 * of the loops within one, or within a step that has no cells. Why so: docs/architecture.md,
 * "Progress". */
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/base/interrupt.h"
#include "core/base/progress/listen.h"

#define BAR_WIDTH 24
#define LEAST_BAR 8
#define LEAST_NAME 8 /* characters of what is done, where there is no room for all of it */
/* Between two redraws of the bar, and between two plain lines: of finished cells, and of one that
 * goes on. */
#define REDRAW_US (G_USEC_PER_SEC / 10)
#define LINE_US (10 * G_USEC_PER_SEC)
#define PART_US (30 * G_USEC_PER_SEC)
#define LEAST_SECONDS 5 /* before anything is said of what is left */

struct _CliProgress {
  gboolean is_quiet;
  gboolean is_terminal;
  gboolean has_bar;
  gint64 started;
  gint64 last;
  gsize last_done;
  char *doing;              /* of what has no cells; NULL: it has some */
  AssayLoopListener before; /* who listened, where it has none */
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

/* What is done, and how far that is. */
static char *
format_doing (const AssayProgress *run)
{
  return run->part != NULL ? g_strdup_printf ("%s: %s", run->doing, run->part)
                           : g_strdup (run->doing);
}

static glong
terminal_width (void)
{
  struct winsize size = { 0 };

  return ioctl (STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* To @width characters at most. */
static char *
cut (char *text, glong width)
{
  if (g_utf8_strlen (text, -1) > MAX (width, 0))
    *g_utf8_offset_to_pointer (text, MAX (width, 0)) = '\0';
  return text;
}

/* The same in @width characters: how far it is says more than what it is. */
static char *
fit_doing (const AssayProgress *run, glong width)
{
  char *doing = format_doing (run);
  g_autofree char *name = NULL;
  glong room;

  if (run->part == NULL || g_utf8_strlen (doing, -1) <= width)
    return cut (doing, width);
  g_free (doing);
  room = width - g_utf8_strlen (run->part, -1) - 4;
  if (room < LEAST_NAME)
    return cut (g_strdup (run->part), width);
  name = cut (g_strdup (run->doing), room);
  return g_strdup_printf ("%s..: %s", name, run->part);
}

/* "[###-----] ", of at most @width characters. */
static char *
format_bar (const AssayProgress *run, glong width)
{
  const gsize cells = (gsize) CLAMP (width - 3, 0, BAR_WIDTH);
  const gsize filled = run->total > 0 ? cells * run->done / run->total : cells;
  char bar[BAR_WIDTH + 1] = "";

  memset (bar, '-', cells);
  memset (bar, '#', filled);
  return cells < LEAST_BAR ? g_strdup ("") : g_strdup_printf ("[%s] ", bar);
}

/* On one line whatever happens: a longer one would leave its beginning behind with each redraw. So
 * the bar becomes shorter, before words do. */
static void
draw_bar (CliProgress *progress, const AssayProgress *run, const char *left)
{
  const char *stopping = cli_is_interrupted () ? "  (stopping after this cell)" : "";
  g_autofree char *counts = run->total > 0
                                ? g_strdup_printf ("%zu/%zu cells%s", run->done, run->total, left)
                                : g_strdup ("");
  const char *gap = *run->doing != '\0' && *counts != '\0' ? "  " : "";
  const glong width
      = terminal_width () - 1 - (glong) (strlen (counts) + strlen (gap) + strlen (stopping));
  g_autofree char *doing = fit_doing (run, width);
  g_autofree char *bar = format_bar (run, run->total > 0 ? width - g_utf8_strlen (doing, -1) : 0);

  fprintf (stderr, "\r\033[K%s%s%s%s%s", bar, counts, gap, doing, stopping);
  fflush (stderr);
  progress->has_bar = TRUE;
}

static void
print_line (const AssayProgress *run, const char *left)
{
  g_autofree char *doing = run->part != NULL ? format_doing (run) : NULL;

  if (run->total == 0)
    fprintf (stderr, "%s\n", doing);
  else
    fprintf (stderr, "%zu of %zu cells%s%s%s\n", run->done, run->total, left,
             doing != NULL ? "; " : "", doing != NULL ? doing : "");
}

/* The first and the last of cells are always told; what has none is shown on a terminal at once. */
static gboolean
is_due (const CliProgress *progress, const AssayProgress *run, gint64 now)
{
  const gint64 since = now - (progress->last != 0 ? progress->last : progress->started);
  const gboolean has_finished = run->done != progress->last_done;

  if (progress->last == 0 && run->part == NULL)
    return TRUE;
  if (progress->is_terminal)
    return since >= REDRAW_US || run->done == run->total;
  return has_finished ? since >= LINE_US || run->done == run->total
                      : run->part != NULL && since >= PART_US;
}

void
cli_progress_update (const AssayProgress *run, gpointer data)
{
  CliProgress *progress = data;
  const gint64 now = g_get_monotonic_time ();
  g_autofree char *left = NULL;

  if (progress->is_quiet || !is_due (progress, run, now))
    return;
  left = format_left (progress, run);
  if (progress->is_terminal)
    draw_bar (progress, run, left);
  else
    print_line (run, left);
  progress->last = now;
  progress->last_done = run->done;
}

static void
hear_part (const char *says, gpointer data)
{
  const CliProgress *progress = data;

  cli_progress_update (&(AssayProgress){ .doing = progress->doing, .part = says }, data);
}

CliProgress *
cli_progress_of_step (gboolean is_quiet, const char *doing)
{
  CliProgress *progress = cli_progress_new (is_quiet);

  progress->doing = g_strdup (doing);
  progress->before = assay_loop_listen (
      (AssayLoopListener){ is_quiet ? NULL : hear_part, progress, CLI_PROGRESS_US });
  return progress;
}

void
cli_progress_free (CliProgress *progress)
{
  if (progress == NULL)
    return;
  if (progress->doing != NULL)
    assay_loop_listen (progress->before);
  if (progress->has_bar)
    fputs ("\r\033[K", stderr);
  g_free (progress->doing);
  g_free (progress);
}
