/* gnuplot, as another process. */
#include "report/plots/gnuplot.h"

#include <signal.h>
#include <sys/prctl.h>

#include <gio/gio.h>

#include "core/base/error.h"

#define TIMEOUT_SECONDS 60
#define MAX_SAID 300

typedef struct {
  GSubprocess *process;
  GBytes *drawn;
  GBytes *said;
  gboolean is_done;
  gboolean is_late;
  GError *error;
} Drawing;

static void
on_done (GObject *source, GAsyncResult *result, gpointer data)
{
  Drawing *drawing = data;

  (void) source;
  g_subprocess_communicate_finish (drawing->process, result, &drawing->drawn, &drawing->said,
                                   &drawing->error);
  drawing->is_done = TRUE;
}

static gboolean
on_late (gpointer data)
{
  Drawing *drawing = data;

  drawing->is_late = TRUE;
  g_subprocess_force_exit (drawing->process);
  return G_SOURCE_REMOVE;
}

/* In a main context of its own, so that nothing else of the program runs meanwhile. */
static void
wait_for (Drawing *drawing)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GSource) timeout = g_timeout_source_new_seconds (TIMEOUT_SECONDS);

  g_main_context_push_thread_default (context);
  g_source_set_callback (timeout, on_late, drawing, NULL);
  g_source_attach (timeout, context);
  g_subprocess_communicate_async (drawing->process, NULL, NULL, on_done, drawing);
  while (!drawing->is_done)
    g_main_context_iteration (context, TRUE);
  g_source_destroy (timeout);
  g_main_context_pop_thread_default (context);
}

/* Bytes that may be in any encoding, as text without white space around it. */
static char *
text_of (GBytes *bytes)
{
  gsize length = 0;
  gconstpointer data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  return g_strstrip (g_utf8_make_valid (data != NULL ? data : "", (gssize) length));
}

static gboolean
judge (const Drawing *drawing, const char *program, const char *script, GError **error)
{
  g_autofree char *said = text_of (drawing->said);

  if (drawing->is_late)
    return assay_fail (error, ASSAY_ERROR_IO, "%s was stopped: %s took more than %d s", program,
                       script, TIMEOUT_SECONDS);
  if (drawing->error != NULL)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: %s", program, drawing->error->message);
  if (!g_subprocess_get_successful (drawing->process))
    return assay_fail (error, ASSAY_ERROR_IO, "%s failed on %s%s%.*s", program, script,
                       *said != '\0' ? ": " : "", MAX_SAID, said);
  return (drawing->drawn != NULL && g_bytes_get_size (drawing->drawn) > 0)
         || assay_fail (error, ASSAY_ERROR_IO, "%s drew nothing from %s", program, script);
}

/* In the child, between fork and exec: a killed Assay must not leave it behind. */
static void
set_up_child (G_GNUC_UNUSED gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

GBytes *
assay_gnuplot_run (const char *program, const char *folder, const char *script, const char *form,
                   GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autofree char *setting = g_strdup_printf ("form='%s'; to_stdout=1", form);
  g_autoptr (GError) failure = NULL;
  Drawing drawing = { 0 };

  g_subprocess_launcher_set_cwd (launcher, folder);
  g_subprocess_launcher_set_child_setup (launcher, set_up_child, NULL, NULL);
  drawing.process = g_subprocess_launcher_spawn (launcher, &failure, program, "-d", "-e", setting,
                                                 script, NULL);
  if (drawing.process == NULL)
    return assay_fail_null (error, ASSAY_ERROR_IO, "%s cannot be started: %s", program,
                            failure->message);
  wait_for (&drawing);
  if (!judge (&drawing, program, script, error))
    g_clear_pointer (&drawing.drawn, g_bytes_unref);
  g_object_unref (drawing.process);
  g_bytes_unref (drawing.said);
  g_clear_error (&drawing.error);
  return drawing.drawn;
}
