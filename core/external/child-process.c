/* Programs of others. */
#include "core/external/child-process.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/text.h"
#include "core/external/process-tree.h"
#include "core/external/program.h"
#include "core/external/tree.h"

/* ---- The environment ---- */

/* The environment of programs of others: what a program needs to start and to compute, by name, and
 * nothing else, so that no token or key of whoever runs the audit (AWS_..., GITHUB_TOKEN, the
 * socket of an agent) comes to a program that is audited. */

/* Where programs and their libraries are, what language and clock they speak, and how many threads
 * they start. A star stands for the rest of a name. */
static const char *const passed[] = {
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TERM",
  "LD_LIBRARY_PATH",
  "OMP_*",
  "GOMP_*",
  "KMP_*",
  "OPENBLAS_*",
  "MKL_*",
  "GOTO_NUM_THREADS",
  "PYTHON*",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "PYENV_ROOT",
  "PYENV_VERSION",
  "R_*",
  "JULIA_*",
  "JAVA_HOME",
  "CLASSPATH",
  "NODE_PATH",
  "PERL5LIB",
  "RUBYLIB",
  "GEM_PATH",
  "LUA_PATH",
  "LUA_CPATH",
  "OCTAVE_PATH",
  "MATLABPATH",
  "GUIX_*",
  "NIX_LD*",
  "CUDA_*",
  "NUMBA_*",
};

/* Of which a star above would pass on R_TOKEN or JULIA_API_KEY. */
static const char *const secret_words[] = { "TOKEN", "KEY", "SECRET", "PASS", "CREDENTIAL" };

static gboolean
sounds_secret (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (secret_words); i++)
    if (strstr (name, secret_words[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* Whether a variable of this name is passed on without being asked for. */
static gboolean
environment_passes (const char *name)
{
  if (sounds_secret (name))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (passed); i++) {
    const gsize head = strcspn (passed[i], "*");

    if (passed[i][head] == '*' ? strncmp (name, passed[i], head) == 0
                               : strcmp (name, passed[i]) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Of the environment of this process what is passed on, with TMPDIR set to @scratch. Variables
 * whose names stand in ASSAY_PASS_ENVIRONMENT, separated by spaces or commas, are passed on too. */
static char **
environment_of_programs (const char *scratch)
{
  const char *asked = g_getenv ("ASSAY_PASS_ENVIRONMENT");
  g_auto (GStrv) more = g_strsplit_set (asked != NULL ? asked : "", " ,", -1);
  g_auto (GStrv) names = g_listenv ();
  char **variables = NULL;

  for (guint i = 0; names[i] != NULL; i++)
    if (*names[i] != '\0'
        && (environment_passes (names[i])
            || g_strv_contains ((const char *const *) more, names[i])))
      variables = g_environ_setenv (variables, names[i], g_getenv (names[i]), TRUE);
  return g_environ_setenv (variables, "TMPDIR", scratch, TRUE);
}

#define KEPT 4096 /* bytes of standard error */
#define LINES 5   /* of them in a message */
#define SLICE_MS 10
#define DRAIN_SLICES 100 /* after the end, for what holds standard error open while it dies */
#define MIB (1024 * 1024)
#define CONFINING_TASKS 2 /* bubblewrap outside, and as the first process inside */

/* Of the time, looking at folders and processes takes one part in so many at most; and no more
 * often than. */
#define LOOK_SHARE 4
#define LOOK_US (50 * 1000)

typedef enum {
  END_OWN, /* it ended by itself */
  END_TIME,
  END_DISK,
  END_PROCESSES,
  END_MEMORY,
  END_CANCELLED,
} End;

typedef struct {
  GPid pid;
  int error_fd;
  gboolean is_open; /* that stream */
  gboolean is_confined;
  gboolean is_alone; /* without bubblewrap: its first process ends what it started */
  guint own_tasks;   /* of what confines it */
  guint64 most_disk; /* bytes that its folders may come to */
  gint64 next_look;  /* at them, and at its processes */
  GString *kept;     /* the end of what it printed on standard error */
} Running;

/* ---- In the child, between fork and exec: system calls alone ---- */

static void
set_up_child (gpointer data)
{
  const AssayChild *child = data;
  const struct rlimit no_core = { 0, 0 };
  const struct rlimit memory = { child->memory_limit, child->memory_limit };
  const struct rlimit file = { child->file_limit, child->file_limit };

  setpgid (0, 0);
  /* What this process ignores, it would ignore, too: a file over its limit ends it. */
  signal (SIGXFSZ, SIG_DFL);
  /* A killed Assay must not leave it behind. */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  setrlimit (RLIMIT_CORE, &no_core);
  setrlimit (RLIMIT_FSIZE, &file);
  /* What is written to, not RLIMIT_AS: interpreters reserve far more addresses than they use. */
  if (child->memory_limit > 0)
    setrlimit (RLIMIT_DATA, &memory);
}

static guint64
disk_use (const AssayChild *child, guint64 enough)
{
  const guint64 folder = assay_tree_size (child->folder, enough);

  return folder > enough ? folder : folder + assay_tree_size (child->scratch, enough - folder);
}

static gboolean
start (const AssayChild *child, Running *ret_running, GError **error)
{
  g_autofree char *program = assay_program_find (child->words[0], error);
  g_autoptr (GPtrArray) confined = NULL;
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_auto (GStrv) variables = environment_of_programs (child->scratch);
  g_autoptr (GError) problem = NULL;

  if (program == NULL
      || !assay_confine_command (child->confine, child->words, child->folder, child->scratch,
                                 &confined, error))
    return FALSE;
  for (guint i = 0; confined != NULL && i < confined->len; i++)
    g_ptr_array_add (arguments, confined->pdata[i]);
  for (guint i = 0; confined == NULL && child->words[i] != NULL; i++)
    g_ptr_array_add (arguments, child->words[i]);
  g_ptr_array_add (arguments, (gpointer) child->folder);
  g_ptr_array_add (arguments, NULL);
  if (!g_spawn_async_with_pipes (NULL, (char **) arguments->pdata, variables,
                                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH
                                     | G_SPAWN_STDOUT_TO_DEV_NULL,
                                 set_up_child, (gpointer) child, &ret_running->pid, NULL, NULL,
                                 &ret_running->error_fd, &problem))
    return assay_fail (
        error, ASSAY_ERROR_DATA, "the program '%s' cannot be started: %s", child->words[0],
        g_error_matches (problem, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT) ? "there is no such file"
                                                                      : problem->message);
  fcntl (ret_running->error_fd, F_SETFL, O_NONBLOCK);
  ret_running->is_open = TRUE;
  ret_running->is_confined = confined != NULL;
  ret_running->is_alone
      = confined != NULL && confined->len > 1 && g_str_equal (confined->pdata[1], "--alone");
  ret_running->own_tasks = confined != NULL ? CONFINING_TASKS : 0;
  ret_running->kept = g_string_new (NULL);
  return TRUE;
}

/* ---- Watching ---- */

/* Waits a moment, and reads what comes on standard error. */
static void
read_error_stream (Running *running)
{
  struct pollfd stream = { .fd = running->error_fd, .events = POLLIN };
  char block[KEPT];
  gssize n = -1;

  poll (&stream, running->is_open ? 1 : 0, SLICE_MS);
  while (running->is_open && (n = read (running->error_fd, block, sizeof block)) > 0) {
    g_string_append_len (running->kept, block, n);
    if (running->kept->len > KEPT)
      g_string_erase (running->kept, 0, (gssize) (running->kept->len - KEPT));
  }
  running->is_open &= n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Whether it has ended; it stays a zombie, so that its group's number stays its own. */
static gboolean
has_ended (const Running *running)
{
  siginfo_t info = { 0 };

  return waitid (P_PID, (id_t) running->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
         && info.si_pid != 0;
}

/* Bytes in its folders and in files that it has open and removed. */
static guint64
disk_use_now (const AssayChild *child, const Running *running)
{
  const guint64 named = disk_use (child, running->most_disk);

  return named > running->most_disk ? named : named + assay_process_tree_unnamed (running->pid);
}

/* Whether it takes more than it may; looked at now and then, however long that takes. */
static End
look (const AssayChild *child, Running *running, gint64 now)
{
  const guint more = child->process_limit + running->own_tasks;
  End how = END_OWN;

  if (now < running->next_look)
    return END_OWN;
  if (disk_use_now (child, running) > running->most_disk)
    how = END_DISK;
  else if (assay_process_tree_tasks (running->pid, more) > more)
    how = END_PROCESSES;
  else if (child->memory_limit > 0
           && assay_process_tree_memory (running->pid, child->memory_limit) > child->memory_limit)
    how = END_MEMORY;
  running->next_look = now + MAX (LOOK_US, LOOK_SHARE * (g_get_monotonic_time () - now));
  return how;
}

/* What has left its process group is ended by the process that it would come to. */
static void
end_what_left_the_group (Running *running)
{
  kill (running->pid, SIGTERM);
  for (guint i = 0; i < DRAIN_SLICES && !has_ended (running); i++)
    read_error_stream (running);
}

static End
wait_for_end (const AssayChild *child, Running *running, int *ret_status)
{
  const gint64 end = g_get_monotonic_time () + (gint64) (child->time_limit_s * G_USEC_PER_SEC);
  End how = END_OWN;

  while (!has_ended (running) && how == END_OWN) {
    gint64 now;

    read_error_stream (running);
    now = g_get_monotonic_time ();
    how = assay_interrupt_is_wanted () ? END_CANCELLED
          : now >= end                 ? END_TIME
                                       : look (child, running, now);
  }
  if (how != END_CANCELLED && has_ended (running))
    how = END_OWN;
  if (running->is_alone && !has_ended (running))
    end_what_left_the_group (running);
  kill (-running->pid, SIGKILL);
  while (waitpid (running->pid, ret_status, 0) < 0 && errno == EINTR)
    ;
  for (guint i = 0; i < DRAIN_SLICES && running->is_open; i++)
    read_error_stream (running);
  if (how == END_OWN && disk_use (child, running->most_disk) > running->most_disk)
    how = END_DISK;
  return how;
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
    g_autofree char *plain = assay_text_plain (lines[i]);

    g_string_append_printf (said, "%s%s", i > first ? " | " : "", g_strstrip (plain));
  }
  return g_string_free (said, FALSE);
}

char *
assay_child_describe_said (const char *said)
{
  return *said != '\0' ? g_strconcat ("; its last lines: ", said, NULL) : g_strdup ("");
}

/* A status of 128 + N is what bubblewrap and shells make of a signal: one message for both. */
static gboolean
check_status (const AssayChild *child, const Running *running, int status, const char *said,
              GError **error)
{
  const int code = WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
  g_autofree char *words = assay_child_describe_said (said);

  if (running->is_confined
      && (g_str_has_prefix (said, "bwrap: execvp ") || g_str_has_prefix (said, "assay-confine: ")))
    return assay_fail (error, ASSAY_ERROR_DATA, "the program '%s' cannot be started: %s",
                       child->words[0], "there is no such file");
  if (code > 128 && code < 128 + NSIG)
    return assay_fail (error, ASSAY_ERROR_DATA, "the program was killed by signal %d (%s)%s",
                       code - 128, g_strsignal (code - 128), words);
  return code == 0
         || assay_fail (error, ASSAY_ERROR_DATA, "the program ended with exit status %d%s", code,
                        words);
}

#define OUT_OF_TIME "the program did not end within time_limit = "

gboolean
assay_child_ran_out_of_time (const GError *error)
{
  return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA)
         && strstr (error->message, OUT_OF_TIME) != NULL;
}

static gboolean
check_end (const AssayChild *child, const Running *running, End how, int status, const char *said,
           GError **error)
{
  g_autofree char *words = assay_child_describe_said (said);

  switch (how) {
  case END_CANCELLED:
    return assay_fail (error, ASSAY_ERROR_CANCELLED, "the program was killed: interrupted");
  case END_TIME:
    return assay_fail (error, ASSAY_ERROR_DATA, OUT_OF_TIME "%g s and was killed%s",
                       child->time_limit_s, words);
  case END_DISK:
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the program wrote more than file_limit = %" G_GUINT64_FORMAT
                       " MiB into its folder and was killed%s",
                       child->file_limit / MIB, words);
  case END_PROCESSES:
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the program had more than process_limit = %u processes and threads and was "
                       "killed%s",
                       child->process_limit, words);
  case END_MEMORY:
    return assay_fail (
        error, ASSAY_ERROR_DATA,
        "the processes of the program held more than memory_limit = %" G_GUINT64_FORMAT
        " MiB together and were killed%s",
        child->memory_limit / MIB, words);
  case END_OWN:
    break;
  }
  return check_status (child, running, status, said, error);
}

gboolean
assay_child_run (const AssayChild *child, char **ret_said, GError **error)
{
  Running running = { 0 };
  AssayInterrupt interrupt;
  g_autofree char *said = NULL;
  int status = 0;
  End how;

  running.most_disk = disk_use (child, G_MAXUINT64) + child->file_limit;
  if (!start (child, &running, error))
    return FALSE;
  assay_interrupt_begin (&interrupt);
  how = wait_for_end (child, &running, &status);
  assay_interrupt_end (&interrupt);
  said = last_lines (running.kept);
  close (running.error_fd);
  g_spawn_close_pid (running.pid);
  g_string_free (running.kept, TRUE);
  if (!check_end (child, &running, how, status, said, error))
    return FALSE;
  *ret_said = g_steal_pointer (&said);
  return TRUE;
}
