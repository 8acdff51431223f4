/* Programs of others. */
#include "core/child-process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"

#define KEPT 4096 /* bytes of standard error */
#define LINES 5   /* of them in a message */
#define SLICE_MS 10

typedef struct {
  GPid pid;
  int error_fd;
  GString *kept; /* the end of what it printed on standard error */
} Running;

char **
assay_child_words (const char *command, GError **error)
{
  g_autoptr (GError) problem = NULL;
  char **words = NULL;

  if (g_shell_parse_argv (command, NULL, &words, &problem))
    return words;
  if (g_error_matches (problem, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
    assay_fail (error, ASSAY_ERROR_PARAMETER,
                "command is empty; expected a program with its "
                "arguments, as in 'python3 my_program.py'");
  else
    assay_fail (error, ASSAY_ERROR_PARAMETER, "command = '%s' cannot be split into words: %s",
                command, problem->message);
  return NULL;
}

/* ---- In the child, between fork and exec: system calls alone ---- */

static void
set_up_child (gpointer data)
{
  const AssayChild *child = data;
  const struct rlimit no_core = { 0, 0 };
  const struct rlimit memory = { child->memory_limit, child->memory_limit };
  const struct rlimit file = { child->file_limit, child->file_limit };

  setpgid (0, 0);
  /* A killed Assay must not leave it behind. */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  setrlimit (RLIMIT_CORE, &no_core);
  setrlimit (RLIMIT_FSIZE, &file);
  /* What is written to, not RLIMIT_AS: interpreters reserve far more addresses than they use. */
  if (child->memory_limit > 0)
    setrlimit (RLIMIT_DATA, &memory);
}

static gboolean
start (const AssayChild *child, Running *ret_running, GError **error)
{
  g_auto (GStrv) words = assay_child_words (child->command, error);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (GError) problem = NULL;

  if (words == NULL)
    return FALSE;
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (arguments, words[i]);
  g_ptr_array_add (arguments, (gpointer) child->folder);
  g_ptr_array_add (arguments, NULL);
  if (!g_spawn_async_with_pipes (NULL, (char **) arguments->pdata, NULL,
                                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH
                                     | G_SPAWN_STDOUT_TO_DEV_NULL,
                                 set_up_child, (gpointer) child, &ret_running->pid, NULL, NULL,
                                 &ret_running->error_fd, &problem))
    return assay_fail (
        error, ASSAY_ERROR_DATA, "the program '%s' cannot be started: %s", words[0],
        g_error_matches (problem, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT)   ? "there is no such file"
        : g_error_matches (problem, G_SPAWN_ERROR, G_SPAWN_ERROR_ACCES) ? "it is not executable"
                                                                        : problem->message);
  fcntl (ret_running->error_fd, F_SETFL, O_NONBLOCK);
  ret_running->kept = g_string_new (NULL);
  return TRUE;
}

/* ---- Watching ---- */

/* FALSE at the end of the stream. */
static gboolean
read_error_stream (Running *running)
{
  char block[KEPT];
  gssize n;

  while ((n = read (running->error_fd, block, sizeof block)) > 0) {
    g_string_append_len (running->kept, block, n);
    if (running->kept->len > KEPT)
      g_string_erase (running->kept, 0, (gssize) (running->kept->len - KEPT));
  }
  return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Whether it has ended; it stays a zombie, so that its group's number stays its own. */
static gboolean
has_ended (const Running *running)
{
  siginfo_t info = { 0 };

  return waitid (P_PID, (id_t) running->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
         && info.si_pid != 0;
}

/* FALSE: it was killed at the end of its time. */
static gboolean
wait_for_end (const AssayChild *child, Running *running, int *ret_status)
{
  const gint64 end = g_get_monotonic_time () + (gint64) (child->time_limit_s * G_USEC_PER_SEC);
  gboolean is_open = TRUE, is_in_time = TRUE;

  while (!has_ended (running) && is_in_time) {
    struct pollfd stream = { .fd = running->error_fd, .events = POLLIN };

    poll (&stream, is_open ? 1 : 0, SLICE_MS);
    if (is_open)
      is_open = read_error_stream (running);
    is_in_time = g_get_monotonic_time () < end;
  }
  is_in_time |= has_ended (running);
  kill (-running->pid, SIGKILL);
  while (waitpid (running->pid, ret_status, 0) < 0 && errno == EINTR)
    ;
  if (is_open)
    read_error_stream (running);
  return is_in_time;
}

/* ---- What it said ---- */

static char *
last_lines (const GString *kept)
{
  g_autofree char *text = g_utf8_make_valid (kept->str, (gssize) kept->len);
  g_auto (GStrv) lines = NULL;
  GString *said = g_string_new (NULL);
  guint n, first;

  lines = g_strsplit (g_strchomp (text), "\n", -1);
  n = g_strv_length (lines);
  first = n > LINES ? n - LINES : 0;
  for (guint i = first; i < n; i++) {
    for (char *c = lines[i]; *c != '\0'; c++)
      if (g_ascii_iscntrl (*c))
        *c = ' ';
    g_string_append_printf (said, "%s%s", i > first ? " | " : "", g_strstrip (lines[i]));
  }
  return g_string_free (said, FALSE);
}

char *
assay_child_describe_said (const char *said)
{
  return *said != '\0' ? g_strconcat ("; its last lines: ", said, NULL) : g_strdup ("");
}

gboolean
assay_child_run (const AssayChild *child, char **ret_said, GError **error)
{
  Running running = { 0 };
  g_autofree char *said = NULL;
  g_autofree char *words = NULL;
  gboolean is_in_time;
  int status = 0;

  if (!start (child, &running, error))
    return FALSE;
  is_in_time = wait_for_end (child, &running, &status);
  said = last_lines (running.kept);
  words = assay_child_describe_said (said);
  close (running.error_fd);
  g_spawn_close_pid (running.pid);
  g_string_free (running.kept, TRUE);
  if (!is_in_time)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the program did not end within time_limit = %g s and was killed%s",
                       child->time_limit_s, words);
  if (WIFSIGNALED (status))
    return assay_fail (error, ASSAY_ERROR_DATA, "the program was killed by signal %d (%s)%s",
                       WTERMSIG (status), g_strsignal (WTERMSIG (status)), words);
  if (WEXITSTATUS (status) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "the program ended with exit status %d%s",
                       WEXITSTATUS (status), words);
  *ret_said = g_steal_pointer (&said);
  return TRUE;
}
