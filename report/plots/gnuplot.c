/* gnuplot, as another process. */
#include "report/plots/gnuplot.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <gio/gio.h>

#include "core/base/error.h"

#define TIMEOUT_SECONDS 60
#define MAX_SAID 300

/* Bytes that may be in any encoding, as text without white space around it. */
static char *
text_of (GBytes *bytes)
{
  gsize length = 0;
  gconstpointer data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  return g_strstrip (g_utf8_make_valid (data != NULL ? data : "", (gssize) length));
}

/* In the child, between fork and exec, which keeps both: a killed Assay must not leave it behind,
 * and it must not take for ever. */
static void
set_up_child (G_GNUC_UNUSED gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  alarm (TIMEOUT_SECONDS);
}

/* What it drew; NULL with what it said. */
static GBytes *
wait_for (GSubprocess *process, const char *program, const char *script, GError **error)
{
  g_autoptr (GBytes) drawn = NULL;
  g_autoptr (GBytes) errors = NULL;
  g_autoptr (GError) failure = NULL;
  g_autofree char *said = NULL;

  if (!g_subprocess_communicate (process, NULL, NULL, &drawn, &errors, &failure))
    return assay_fail_null (error, ASSAY_ERROR_IO, "%s: %s", program, failure->message);
  said = text_of (errors);
  if (g_subprocess_get_if_signaled (process) && g_subprocess_get_term_sig (process) == SIGALRM)
    return assay_fail_null (error, ASSAY_ERROR_IO, "%s was stopped: %s took more than %d s",
                            program, script, TIMEOUT_SECONDS);
  if (!g_subprocess_get_successful (process))
    return assay_fail_null (error, ASSAY_ERROR_IO, "%s failed on %s%s%.*s", program, script,
                            *said != '\0' ? ": " : "", MAX_SAID, said);
  if (drawn == NULL || g_bytes_get_size (drawn) == 0)
    return assay_fail_null (error, ASSAY_ERROR_IO, "%s drew nothing from %s", program, script);
  return g_steal_pointer (&drawn);
}

GBytes *
assay_gnuplot_run (const char *program, const char *folder, const char *script, const char *form,
                   GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autofree char *setting = g_strdup_printf ("form='%s'; to_stdout=1", form);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) failure = NULL;

  g_subprocess_launcher_set_cwd (launcher, folder);
  g_subprocess_launcher_set_child_setup (launcher, set_up_child, NULL, NULL);
  process = g_subprocess_launcher_spawn (launcher, &failure, program, "-d", "-e", setting, script,
                                         NULL);
  if (process == NULL)
    return assay_fail_null (error, ASSAY_ERROR_IO, "%s cannot be started: %s", program,
                            failure->message);
  return wait_for (process, program, script, error);
}
