/* Plots of made results, in a folder of their own. */
#pragma once

#include "report/plots/plots.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>

#include "tests/unit/made-results.h"

static char *folder;

static inline void
set_up (void)
{
  folder = fixture_folder ();
}

static inline void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

/* A case that needs gnuplot is skipped where there is none, and says so. */
#define NEEDS_GNUPLOT()                                                                            \
  do {                                                                                             \
    g_autofree char *program_ = g_find_program_in_path ("gnuplot");                                \
                                                                                                   \
    if (program_ == NULL)                                                                          \
      cr_skip_test ("gnuplot is not installed");                                                   \
  } while (0)

#define DATASET(more)                                                                              \
  "[scenario]\ntitle = t\n[dataset]\nplugin = shapes\nprivate_images = 100\ntest_images = 40\n"    \
  "public_images = 10\nsize = 8\nsecrets = 20\n" more
#define SCENARIO                                                                                   \
  DATASET ("")                                                                                     \
  "[defense plain]\nplugin = none\n[defense noisy]\nplugin = gaussian\n"                           \
  "epsilon = 1; 2; 4; 8; 16\n[attack verbatim]\nplugin = verbatim\n"                               \
  "[attack nearest]\nplugin = nearest\ngrants = public\n[metric recovery-rate]\n"                  \
  "[utility use]\nplugin = classification\nhidden = 4\n"

/* Of defense d, from 0: a seventh more each, with bounds that are not symmetric. */
static inline AssayInterval
made (const AssayResultMeasure *measure, guint dataset, guint defense, guint attack)
{
  const double value = (defense + 1.0 + (measure->higher_is_worse ? 0.5 * attack : 0)) / 7;

  (void) dataset;
  if (!g_str_equal (measure->name, "accuracy") && !g_str_has_prefix (measure->name, "recovery-rate")
      && !g_str_has_prefix (measure->name, "relative-error"))
    return (AssayInterval){ 0 };
  return (AssayInterval){ .estimate = value,
                          .lower = value - 1.0 / 30,
                          .upper = value + 1.0 / 17,
                          .n = 20,
                          .method = "made" };
}

typedef struct {
  AssayPlan *plan;
  AssayResults *results;
  GPtrArray *plots;
} Made;

static inline Made
make (const char *scenario, const char *gnuplot)
{
  const AssayPlotOptions options = { .gnuplot = gnuplot };
  Made all = { .plan = made_plan (folder, scenario) };
  g_autoptr (GError) error = NULL;

  all.results = made_results (all.plan, made);
  all.plots = assay_plots_write (assay_curves_new (all.results), folder, &options, &error);
  cr_assert (all.plots != NULL, "%s", error != NULL ? error->message : "");
  return all;
}

static inline void
made_clear (Made *all)
{
  g_ptr_array_unref (all->plots);
  assay_results_free (all->results);
  assay_plan_free (all->plan);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Made, made_clear)

static inline const AssayPlot *
find (const Made *all, const char *name)
{
  for (guint i = 0; i < all->plots->len; i++)
    if (g_str_equal (((const AssayPlot *) all->plots->pdata[i])->name, name))
      return all->plots->pdata[i];
  cr_assert (FALSE, "no plot is called %s", name);
  return NULL;
}

static inline char *
read_file (const char *name)
{
  g_autofree char *path = g_build_filename (folder, "plots", name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  cr_assert (g_file_get_contents (path, &text, NULL, &error), "%s",
             error != NULL ? error->message : "");
  return text;
}
