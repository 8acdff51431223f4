/* Plots: their files, their words and where their points stand. */
#include "report/plots/plots.h"

#include <glib/gstdio.h>
#include <math.h>

#include "core/base/error.h"
#include "report/plots/gnuplot.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/report/made-plots.h"

TestSuite (plots, .init = set_up, .fini = tear_down);

/* ---- Data ---- */

/* Every number of the file is the one of the results, to the bit. */
Test (plots, csv_is_exact)
{
  g_auto (Made) all = make (SCENARIO, "no-such-gnuplot");
  g_autofree char *csv = read_file ("recovery-rate-vs-accuracy.csv");
  g_auto (GStrv) rows = g_strsplit (csv, "\n", -1);

  cr_assert (all.plots->len == 5);
  cr_assert_str_eq (rows[0],
                    "line,recovery-rate,recovery-rate.lower,recovery-rate.upper,accuracy,"
                    "accuracy.lower,accuracy.upper,optimal,doubtful,setting,swept,name,defense,"
                    "attack,attack.cell,utility,utility.cell");
  cr_assert (g_strv_length (rows) == 8, "%u lines", g_strv_length (rows));
  for (guint d = 0; d < 6; d++) {
    g_auto (GStrv) fields = g_strsplit (rows[d + 1], ",", -1);
    const AssayResultMeasure leak = { .name = "recovery-rate", .higher_is_worse = TRUE };
    const AssayResultMeasure use = { .name = "accuracy", .higher_is_worse = FALSE };
    const AssayInterval x = made (&leak, 0, d, 1), y = made (&use, 0, d, 0);
    const double expected[]
        = { d == 0 ? 1 : 2, x.estimate, x.lower, x.upper, y.estimate, y.lower, y.upper, 1, 0 };

    for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
      cr_assert (g_ascii_strtod (fields[i], NULL) == expected[i], "row %u, field %u: %s", d, i,
                 fields[i]);
    if (d == 0)
      cr_assert_str_eq (fields[9], "");
    else
      cr_assert (g_ascii_strtod (fields[9], NULL) == ldexp (1, (int) d - 1), "row %u", d);
    cr_assert_str_eq (fields[13], "nearest");
    cr_assert_str_eq (fields[15], "use");
  }
}

/* ---- Pictures ---- */

/* Where the shape number @shape of gnuplot stands in @svg, in order; that of the key last. */
static GArray *
find_points (const char *svg, const char *name, guint shape)
{
  g_autofree char *pattern = g_strdup_printf (
      "href='#%s-gpPt%u' transform='translate\\(([0-9.]+),([0-9.]+)\\)", name, shape);
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  GArray *places = g_array_new (FALSE, FALSE, sizeof (double));

  for (g_regex_match (regex, svg, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    for (gint i = 1; i <= 2; i++) {
      g_autofree char *text = g_match_info_fetch (match, i);
      const double place = g_ascii_strtod (text, NULL);

      g_array_append_val (places, place);
    }
  return places;
}

#define AT(places, i) g_array_index (places, double, i)

/* gnuplot places to a hundredth of a pixel. The line of the second defense: epsilon doubles from
 * point to point and stands at equal steps of the logarithmic axis; what it measures grows by a
 * seventh, which are equal steps too. */
Test (plots, points_stand_where_the_numbers_say)
{
  NEEDS_GNUPLOT ();
  g_auto (Made) all = make (SCENARIO, NULL);
  const AssayPlot *sweep = find (&all, "accuracy-over-epsilon");
  const AssayPlot *trade_off = find (&all, "recovery-rate-vs-accuracy");
  g_autoptr (GArray) over = find_points (sweep->svg, sweep->name, 4);
  g_autoptr (GArray) against = find_points (trade_off->svg, trade_off->name, 4);
  g_autoptr (GArray) rings = find_points (trade_off->svg, trade_off->name, 5);
  const double step_x = AT (over, 2) - AT (over, 0), step_y = AT (over, 3) - AT (over, 1);

  cr_assert (sweep->why_not == NULL && trade_off->why_not == NULL);
  cr_assert (over->len == 12 && against->len == 12 && rings->len == 14, "%u, %u, %u", over->len,
             against->len, rings->len);
  cr_assert (step_x > 50 && step_y < -20, "steps %g, %g", step_x, step_y);
  for (guint p = 1; p < 5; p++) {
    assert_near (AT (over, 2 * p) - AT (over, 0), p * step_x, 0.03, "x of point %u", p);
    assert_near (AT (over, 2 * p + 1) - AT (over, 1), p * step_y, 0.03, "y of point %u", p);
    /* Both grow by a seventh a setting. */
    assert_near (AT (against, 2 * p) - AT (against, 0), p * (AT (against, 2) - AT (against, 0)),
                 0.06, "x of trade-off %u", p);
  }
  /* All are Pareto-optimal, and the first ring stands around the other defense. */
  for (guint i = 0; i < 10; i++)
    assert_near (AT (rings, i + 2), AT (against, i), 0.011, "ring %u", i / 2);
}

static void
on_text (GMarkupParseContext *context, const gchar *text, gsize length, gpointer data,
         GError **error)
{
  (void) context;
  (void) error;
  g_string_append_len (data, text, (gssize) length);
  g_string_append_c (data, '\n');
}

/* All text of well-formed @svg. */
static char *
texts_of (const char *svg)
{
  const GMarkupParser parser = { .text = on_text };
  GString *texts = g_string_new (NULL);
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, texts, NULL);
  g_autoptr (GError) error = NULL;

  cr_assert (g_markup_parse_context_parse (context, svg, -1, &error)
                 && g_markup_parse_context_end_parse (context, &error),
             "%s", error != NULL ? error->message : "");
  return g_string_free (texts, FALSE);
}

Test (plots, words_and_ids)
{
  NEEDS_GNUPLOT ();
  g_auto (Made) all = make (SCENARIO, NULL);
  const AssayPlot *plot = find (&all, "recovery-rate-vs-accuracy");
  g_autofree char *texts = texts_of (plot->svg);
  g_autofree char *file = read_file ("recovery-rate-vs-accuracy.svg");
  static const char *const words[]
      = { "recovery-rate tau=0.3 against accuracy (use)\n",
          "recovery-rate tau=0.3 (% of secrets; lower is more private)\n",
          "% of test rows; higher is more useful",
          "noisy, by epsilon; strongest attack: nearest\n",
          "plain; strongest attack: nearest\n",
          "Pareto-optimal by point estimates\n" };
  static const char *const absent[] = { "<?xml",        "<filter", "id='gp",
                                        "id=\"gnuplot", "'#gp",    "<script",
                                        "style=",       "black",   "http://www.w3.org/1999/x/" };

  cr_assert_str_eq (plot->svg, file);
  cr_assert (g_str_has_prefix (plot->svg, "<svg"));
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    cr_assert (strstr (texts, words[i]) != NULL, "'%s' is not in:\n%s", words[i], texts);
  for (guint i = 0; i < G_N_ELEMENTS (absent); i++)
    cr_assert (strstr (plot->svg, absent[i]) == NULL, "'%s' is there", absent[i]);
}

/* The same bytes again, and from the script by itself but for what is made fit for pages. */
Test (plots, same_bytes)
{
  NEEDS_GNUPLOT ();
  static const char *const endings[] = { ".svg", ".csv", ".gp" };
  g_auto (Made) first = make (SCENARIO, NULL);
  g_autofree char *before[3] = { NULL };
  g_autofree char *again[3] = { NULL };

  for (guint i = 0; i < 3; i++) {
    g_autofree char *name = g_strconcat ("recovery-rate-over-epsilon", endings[i], NULL);

    before[i] = read_file (name);
  }
  {
    g_auto (Made) second = make (SCENARIO, NULL);

    for (guint i = 0; i < 3; i++) {
      g_autofree char *name = g_strconcat ("recovery-rate-over-epsilon", endings[i], NULL);

      cr_assert (second.plots->len == first.plots->len);
      again[i] = read_file (name);
      cr_assert_str_eq (before[i], again[i]);
    }
  }
}

/* ---- Hostile words ---- */

/* A curve of two points whose names are @words. */
static AssayCurve *
hostile_curve (const Made *all, const char *words)
{
  AssayCurve *curve = g_new0 (AssayCurve, 1);
  AssayCurveLine *line = g_new0 (AssayCurveLine, 1);
  const AssayCurve *like = find (all, "accuracy-over-epsilon")->curve;

  curve->kind = ASSAY_CURVE_SWEEP;
  curve->name = g_strdup ("hostile");
  curve->title = g_strdup (words);
  curve->x = (AssayCurveAxis){ g_strdup (words), g_strdup (words), g_strdup (""), NULL, 0, 0 };
  curve->y = (AssayCurveAxis){
    g_strdup (words), g_strdup (words), g_strdup (words), like->y.measure, 0, 0
  };
  curve->lines = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_curve_line_free);
  line->name = g_strdup (words);
  line->swept = g_strdup (words);
  line->points = g_array_new (FALSE, FALSE, sizeof (AssayCurvePoint));
  for (guint p = 0; p < 2; p++)
    g_array_append_val (line->points,
                        g_array_index (((const AssayCurveLine *) like->lines->pdata[1])->points,
                                       AssayCurvePoint, p));
  g_ptr_array_add (curve->lines, line);
  return curve;
}

/* What stands in scenarios is shown as it stands there, and does nothing. */
Test (plots, hostile_words)
{
  NEEDS_GNUPLOT ();
  static const char *const cases[] = {
    "'; system 'touch taken'; '",
    "`touch taken`",
    "\"; system \"touch taken\"; \"",
    "@data {/Bold x}_1^2 \\n %s %d ~a{b}",
    "<script>alert(1)</script>",
    "]]> &amp; id='gpPt0'",
    "'.system('touch taken').'",
    "ends with a backslash \\",
    "$(touch taken) # !touch taken",
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xf0\x9f\x98\x80",
    "''",
    "'",
  };
  g_auto (Made) all = make (SCENARIO, "no-such-gnuplot");
  g_autofree char *own = g_build_filename (folder, "plots", NULL);
  g_autofree char *taken = g_build_filename (own, "taken", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    AssayCurve *curve = hostile_curve (&all, cases[i]);
    g_autofree char *script = assay_plot_script (curve);
    g_autofree char *csv = assay_plot_csv (curve);
    g_autofree char *raw = NULL;
    g_autofree char *svg = NULL;
    g_autofree char *texts = NULL;
    g_autofree char *title = g_strconcat (cases[i], "\n", NULL);
    g_autoptr (GBytes) drawn = NULL;
    g_autoptr (GError) error = NULL;

    g_free (fixture_write (own, "hostile.gp", script));
    g_free (fixture_write (own, "hostile.csv", csv));
    drawn = assay_gnuplot_run ("gnuplot", own, "hostile.gp", "svg", &error);
    cr_assert (drawn != NULL, "%s: %s", cases[i], error != NULL ? error->message : "");
    cr_assert (!g_file_test (taken, G_FILE_TEST_EXISTS), "%s was run", cases[i]);
    raw = g_strndup (g_bytes_get_data (drawn, NULL), g_bytes_get_size (drawn));
    svg = assay_plot_clean_svg (raw, "hostile", cases[i]);
    texts = texts_of (svg);
    cr_assert (strstr (svg, "<script") == NULL);
    cr_assert (strstr (texts, title) != NULL, "'%s' is not in:\n%s", cases[i], texts);
    assay_curve_free (curve);
  }
}

Test (plots, quotes)
{
  static const struct {
    const char *text;
    gsize most;
    const char *quoted;
  } cases[] = {
    { "plain", 10, "'plain'" },
    { "it's", 10, "'it'.\"'\".'s'" },
    { "a\nb\tc\x1b[0m\x7f", 20, "'a b c [0m '" },
    { "0123456789", 10, "'0123456789'" },
    { "0123456789a", 10, "'012345678…'" },
    { "\xe2\x80\xae"
      "abc\xe2\x81\xa6",
      10, "' abc '" },                /* U+202E, U+2066 */
    { "\xef\xbf\xbe", 10, "' '" },    /* U+FFFE */
    { "\xff", 10, "'\xef\xbf\xbd'" }, /* not UTF-8 */
    { "''''", 3, "''.\"'\".''.\"'\".'…'" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *quoted = assay_plot_quote (cases[i].text, cases[i].most);

    cr_assert_str_eq (quoted, cases[i].quoted, "case %zu: %s", i, quoted);
  }
}

Test (plots, clean_svg)
{
  g_autofree char *svg = assay_plot_clean_svg (
      "<?xml version=\"1.0\"?>\n<svg a=\"b\">\n<title>Gnuplot</title>\n<desc>Produced</desc>\n"
      "<filter id='textbox'><feFlood/></filter><g fill=\"none\" color=\"black\" id='gpA'>"
      "<use xlink:href='#gpA' stroke='black' fill=\"rgb(0,0,0)\"/><use color='white'/>"
      "<use id='x' color='rgb(  0,   0,   0)'/></g><g color=\"black\">\n</g>"
      "<text>black id='gpA' color=\"black\"</text></svg>",
      "n", "a < b & 'c'");

  cr_assert_str_eq (svg, "<svg a=\"b\">\n<title>a &lt; b &amp; &apos;c&apos;</title>\n"
                         "<g fill=\"none\" id='n-gpA'><use xlink:href='#n-gpA' "
                         "stroke='currentColor' fill=\"currentColor\"/><use id='x'/></g>"
                         "<text>black id='gpA' color=\"black\"</text></svg>");
  cr_assert (assay_plot_clean_svg ("<svg a='b'", "n", "t") == NULL);
  cr_assert (assay_plot_clean_svg ("", "n", "t") == NULL);
}
