/* Plots that are not drawn: what goes wrong, what is left out, and what is asked for. */
#include "tests/unit/report/made-plots.h"

TestSuite (plots_missing, .init = set_up, .fini = tear_down);

Test (plots_missing, without_gnuplot)
{
  g_auto (Made) all = make (SCENARIO, "no-such-gnuplot");
  const AssayPlot *plot = find (&all, "accuracy-over-epsilon");
  g_autofree char *script = read_file ("accuracy-over-epsilon.gp");
  g_autofree char *csv = read_file ("accuracy-over-epsilon.csv");
  g_autofree char *svg = g_build_filename (folder, "plots", "accuracy-over-epsilon.svg", NULL);

  cr_assert (plot->svg == NULL && plot->curve != NULL);
  cr_assert_str_eq (plot->why_not,
                    "This plot is not drawn: gnuplot is not installed. Its data and script are "
                    "in plots/accuracy-over-epsilon.csv and .gp.");
  cr_assert (g_str_has_prefix (csv, "line,epsilon,accuracy,") && strlen (script) > 100);
  cr_assert (!g_file_test (svg, G_FILE_TEST_EXISTS));
}

/* A program that only says something and fails, or draws nothing. */
Test (plots_missing, gnuplot_fails)
{
  static const struct {
    const char *program;
    const char *why_not;
  } cases[] = {
    { "#!/bin/sh\necho half a picture\necho no terminal svg >&2\nexit 1\n",
      " failed on accuracy-over-epsilon.gp: no terminal svg" },
    { "#!/bin/sh\n", " drew nothing from accuracy-over-epsilon.gp" },
    { "#!/bin/sh\nkill -9 $$\n", " failed on accuracy-over-epsilon.gp" },
    { "#!/bin/sh\necho '<svg'\n", "accuracy-over-epsilon.svg: gnuplot drew no picture" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *program = fixture_write (folder, "gnuplot", cases[i].program);
    g_autofree char *svg = g_build_filename (folder, "plots", "accuracy-over-epsilon.svg", NULL);

    cr_assert (g_chmod (program, 0755) == 0);
    {
      g_auto (Made) all = make (SCENARIO, program);
      const AssayPlot *plot = find (&all, "accuracy-over-epsilon");

      cr_assert (plot->svg == NULL);
      cr_assert (g_str_has_suffix (plot->why_not, cases[i].why_not), "%s", plot->why_not);
      cr_assert (!g_file_test (svg, G_FILE_TEST_EXISTS), "case %u left a file", i);
    }
  }
}

Test (plots_missing, folder_cannot_be_made)
{
  g_autofree char *file = fixture_write (folder, "file", "");
  AssayPlan *plan = made_plan (folder, SCENARIO);
  AssayResults *results = made_results (plan, made);
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (assay_plots_write (assay_curves_new (results), file, NULL, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_IO,
                               "@/file/plots: cannot be created: Not a directory", folder, &why),
             "%s", why);
  assay_results_free (results);
  assay_plan_free (plan);
}

/* Without curves no folder. */
Test (plots_missing, nothing_to_draw)
{
  g_auto (Made) all = make (DATASET ("[defense plain]\nplugin = none\n[attack verbatim]\n"
                                     "plugin = verbatim\n[metric recovery-rate]\n"),
                            NULL);
  g_autofree char *own = g_build_filename (folder, "plots", NULL);

  cr_assert (all.plots->len == 0);
  cr_assert (!g_file_test (own, G_FILE_TEST_EXISTS));
}

/* 12 datasets with three trade-offs, and four sweeps: 10 more than there may be. */
Test (plots_missing, most_plots)
{
  g_auto (Made) all = make (
      "[scenario]\ntitle = t\n[dataset]\nplugin = shapes\nprivate_images = 100\ntest_images = 40\n"
      "public_images = 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21\nsize = 8\nsecrets = 20\n"
      "[defense noisy]\nplugin = gaussian\nepsilon = 1; 2\n[attack verbatim]\n"
      "plugin = verbatim\n[metric recovery-rate]\n[metric relative-error]\n[metric other]\n"
      "plugin = recovery-rate\ntau = 0.5\n[utility use]\nplugin = classification\nhidden = 4\n",
      "no-such-gnuplot");
  const AssayPlot *last = all.plots->pdata[all.plots->len - 1];
  g_autoptr (GPtrArray) curves = assay_curves_new (all.results);
  g_autofree char *says = g_strdup_printf ("%u further plots are left out: more than 30 are not "
                                           "made. The tables and results.csv have their numbers.",
                                           curves->len - 30);

  cr_assert (curves->len > 36 && all.plots->len == 31, "%u", curves->len);
  cr_assert (last->curve == NULL && last->svg == NULL);
  cr_assert_str_eq (last->why_not, says);
  g_clear_pointer (&curves, g_ptr_array_unref);
}

Test (plots_missing, options)
{
  AssayPlotOptions options = { 0 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (assay_plot_options_parse ("svg, pdf", &options, NULL));
  cr_assert (options.has_pdf && !options.has_png);
  cr_assert (assay_plot_options_parse ("png", &options, NULL) && options.has_png);
  cr_assert (!assay_plot_options_parse ("pdf,eps", &options, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_SCENARIO,
                               "there are no plots in the form 'eps'; expected svg, pdf, png, or "
                               "several of them with commas between",
                               NULL, &why),
             "%s", why);
}
