/* Plots: their files, and gnuplot. */
#include "report/plots/plots.h"

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/base/output-file.h"
#include "report/exports/file.h"
#include "report/plots/gnuplot.h"
#include "runner/plan/folders.h"

static ASSAY_FREE_FUNC (AssayPlot, plot_free, g_free (self->name), g_free (self->title),
                        g_free (self->note), g_free (self->svg), g_free (self->why_not),
                        assay_curve_free (self->curve))

gboolean
assay_plot_options_parse (const char *list, AssayPlotOptions *inout_options, GError **error)
{
  g_auto (GStrv) forms = g_strsplit (list, ",", -1);

  for (guint i = 0; forms[i] != NULL; i++) {
    const char *form = g_strstrip (forms[i]);

    if (g_str_equal (form, "pdf"))
      inout_options->has_pdf = TRUE;
    else if (g_str_equal (form, "png"))
      inout_options->has_png = TRUE;
    else if (!g_str_equal (form, "svg"))
      return assay_fail (error, ASSAY_ERROR_SCENARIO,
                         "there are no plots in the form '%s'; expected svg, pdf, png, or "
                         "several of them with commas between",
                         form);
  }
  return TRUE;
}

/* ---- Files ---- */

/* Not forced to the disk, which costs more than drawing: after a power cut 'assay report' makes
 * plots anew. */
static gboolean
write_text (const char *folder, const char *name, const char *ending, const char *text,
            GError **error)
{
  g_autofree char *file = g_strconcat (name, ending, NULL);

  return assay_report_write_text (folder, file, g_strdup (text), error);
}

/* The SVG that gnuplot drew, made fit; NULL with the reason. */
static char *
take_svg (GBytes *drawn, const AssayPlot *plot, GError **error)
{
  gsize length;
  const char *raw = g_bytes_get_data (drawn, &length);
  g_autofree char *text = g_strndup (raw != NULL ? raw : "", length);
  char *svg = NULL;

  if (g_utf8_validate (text, -1, NULL))
    svg = assay_plot_clean_svg (text, plot->name, plot->title);
  if (svg != NULL) {
    char *with_words = assay_plot_hover (svg, plot->curve);

    g_free (svg);
    svg = with_words;
  }
  if (svg == NULL)
    assay_fail (error, ASSAY_ERROR_IO, "%s.svg: gnuplot drew no picture", plot->name);
  return svg;
}

/* ---- Drawing ---- */

/* One form, the SVG into @plot too. FALSE with @ret_failure: it cannot be drawn; or with @error,
 * which is one of writing. */
static gboolean
draw_form (const char *program, const char *folder, AssayPlot *plot, const char *ending,
           GError **ret_failure, GError **error)
{
  g_autofree char *script = g_strconcat (plot->name, ".gp", NULL);
  g_autoptr (GBytes) drawn = assay_gnuplot_run (program, folder, script, ending + 1, ret_failure);
  g_autofree char *file = g_strconcat (plot->name, ending, NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  const gboolean is_svg = g_str_equal (ending, ".svg");

  if (drawn != NULL && is_svg)
    plot->svg = take_svg (drawn, plot, ret_failure);
  if (drawn == NULL || (is_svg && plot->svg == NULL)) {
    g_unlink (path); /* an earlier plot, which could not be drawn this time */
    return FALSE;
  }
  return is_svg ? write_text (folder, plot->name, ending, plot->svg, error)
                : assay_report_write_bytes (folder, file, drawn, error);
}

/* Where it cannot be drawn, the plot says why; an error is one of writing. */
static gboolean
draw (const char *program, const char *folder, AssayPlot *plot,
      const AssayPlotOptions *options, GError **error)
{
  static const char *const endings[] = { ".svg", ".pdf", ".png" };
  const gboolean is_wanted[] = { TRUE, options->has_pdf, options->has_png };
  g_autoptr (GError) failure = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (endings) && failure == NULL; i++)
    if (is_wanted[i] && !draw_form (program, folder, plot, endings[i], &failure, error)
        && failure == NULL)
      return FALSE;
  if (failure != NULL)
    plot->why_not = g_strdup (failure->message);
  return TRUE;
}

static AssayPlot *
plot_new (AssayCurve *taken)
{
  AssayPlot *plot = g_new0 (AssayPlot, 1);

  plot->name = g_strdup (taken->name);
  plot->title = g_strdup (taken->title);
  plot->note = assay_curve_note (taken);
  plot->curve = taken;
  return plot;
}

static gboolean
write_plot (const char *program, const char *folder, AssayPlot *plot,
              const AssayPlotOptions *options, GError **error)
{
  g_autofree char *csv = assay_plot_csv (plot->curve);
  g_autofree char *script = assay_plot_script (plot->curve);

  if (!write_text (folder, plot->name, ".csv", csv, error)
      || !write_text (folder, plot->name, ".gp", script, error))
    return FALSE;
  if (program != NULL)
    return draw (program, folder, plot, options, error);
  plot->why_not = g_strdup_printf ("This plot is not drawn: gnuplot is not installed. Its data "
                                     "and script are in %s/%s.csv and .gp.",
                                     ASSAY_PLOT_FOLDER, plot->name);
  return TRUE;
}

/* The entry that stands for plots beyond the most. */
static AssayPlot *
plot_of_rest (guint n)
{
  AssayPlot *plot = g_new0 (AssayPlot, 1);

  plot->name = g_strdup ("more-plots");
  plot->title = g_strdup ("Further plots");
  plot->note = g_strdup ("");
  plot->why_not = g_strdup_printf ("%u further plots are left out: more than %d are not made. "
                                     "The tables and results.csv have their numbers.",
                                     n, ASSAY_MAX_PLOTS);
  return plot;
}

GPtrArray *
assay_plots_write (GPtrArray *taken, const char *folder, const AssayPlotOptions *options,
                     GError **error)
{
  static const AssayPlotOptions svg_alone = { 0 };
  const AssayPlotOptions *chosen = options != NULL ? options : &svg_alone;
  g_autoptr (GPtrArray) curves = taken;
  g_autoptr (GPtrArray) plots = g_ptr_array_new_with_free_func ((GDestroyNotify) plot_free);
  g_autofree char *own = g_build_filename (folder, ASSAY_PLOT_FOLDER, NULL);
  g_autofree char *program
      = g_find_program_in_path (chosen->gnuplot != NULL ? chosen->gnuplot : "gnuplot");
  const guint n_rest = curves->len > ASSAY_MAX_PLOTS ? curves->len - ASSAY_MAX_PLOTS : 0;

  if (curves->len > 0 && !assay_output_folder_make (own, error))
    return NULL;
  for (guint n = curves->len - n_rest; n > 0; n--) {
    AssayPlot *plot = plot_new (g_ptr_array_steal_index (curves, 0));

    g_ptr_array_add (plots, plot);
    if (!write_plot (program, own, plot, chosen, error))
      return NULL;
  }
  if (n_rest > 0)
    g_ptr_array_add (plots, plot_of_rest (n_rest));
  return g_steal_pointer (&plots);
}
