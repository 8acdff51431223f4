/* gnuplot, as another process. */
#include "report/gnuplot.h"

#include <gio/gio.h>

#include "core/error.h"

#define TIMEOUT_SECONDS 60
#define MOST_SAID 300

typedef struct {
  GSubprocess *process;
  char *said;
  gboolean is_done;
  gboolean is_late;
  GError *error;
} Drawing;

static void
on_done (GObject *source, GAsyncResult *result, gpointer data)
{
  Drawing *drawing = data;

  (void) source;
  g_subprocess_communicate_utf8_finish (drawing->process, result, &drawing->said, NULL,
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
  g_subprocess_communicate_utf8_async (drawing->process, NULL, NULL, on_done, drawing);
  while (!drawing->is_done)
    g_main_context_iteration (context, TRUE);
  g_source_destroy (timeout);
  g_main_context_pop_thread_default (context);
}

static gboolean
judge (const Drawing *drawing, const char *program, const char *script, GError **error)
{
  const char *said = drawing->said != NULL ? g_strstrip (drawing->said) : "";

  if (drawing->is_late)
    return assay_fail (error, ASSAY_ERROR_IO, "%s was stopped: %s took more than %d s", program,
                       script, TIMEOUT_SECONDS);
  if (drawing->error != NULL)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: %s", program, drawing->error->message);
  if (!g_subprocess_get_successful (drawing->process))
    return assay_fail (error, ASSAY_ERROR_IO, "%s failed on %s%s%.*s", program, script,
                       *said != '\0' ? ": " : "", MOST_SAID, said);
  return TRUE;
}

gboolean
assay_gnuplot_run (const char *program, const char *folder, const char *script, const char *form,
                   GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE);
  g_autofree char *setting = g_strdup_printf ("form='%s'", form);
  g_autoptr (GError) failure = NULL;
  Drawing drawing = { 0 };
  gboolean is_drawn;

  g_subprocess_launcher_set_cwd (launcher, folder);
  drawing.process = g_subprocess_launcher_spawn (launcher, &failure, program, "-d", "-e", setting,
                                                 script, NULL);
  if (drawing.process == NULL)
    return assay_fail (error, ASSAY_ERROR_IO, "%s cannot be started: %s", program,
                       failure->message);
  wait_for (&drawing);
  is_drawn = judge (&drawing, program, script, error);
  g_object_unref (drawing.process);
  g_free (drawing.said);
  g_clear_error (&drawing.error);
  return is_drawn;
}
