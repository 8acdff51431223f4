/* The script of a plot. Colours are those of Okabe and Ito 2008, Color universal design, without
 * yellow, which is faint on white; shapes and dashes differ too, so that the plot is read without
 * any colour. */
#include "report/plots/plot-parts.h"
#include "report/plots/gnuplot.h"

#include <math.h>
#include <string.h>

#include "core/base/text.h"

#define MAX_TITLE 96
#define MAX_X 88
#define MAX_Y 52
#define MAX_NAME 76
#define MAX_ATTACK 18
/* Names that fit beside each other. */
#define MAX_HALF_NAME 40
/* Points beside which their setting stands, at most. */
#define MAX_LABELS 40
#define MAX_BANDS 3

static const char *const colours[]
    = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "black" };
/* Of gnuplot: filled circle, square, triangle up, diamond, triangle down; open square. */
static const int shapes[] = { 7, 5, 9, 13, 11, 4 };

/* ---- Words ---- */

/* In single quotes gnuplot takes everything as it is. A single quote itself can be doubled there,
 * but not at the start; so it stands in a string of its own. */
char *
assay_plot_quote (const char *text, gsize most)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  const gboolean is_long = (gsize) g_utf8_strlen (valid, -1) > most;
  GString *quoted = g_string_new ("'");
  gsize n = 0;

  for (const char *at = valid; *at != '\0' && n < (is_long ? most - 1 : most);
       at = g_utf8_next_char (at), n++) {
    const gunichar c = g_utf8_get_char (at);

    if (c == '\'')
      g_string_append (quoted, "'.\"'\".'");
    else
      g_string_append_unichar (quoted, assay_text_is_shown (c) ? c : ' ');
  }
  g_string_append (quoted, is_long ? "…'" : "'");
  return g_string_free (quoted, FALSE);
}

static void
append_quoted (GString *gp, const char *text, gsize most)
{
  g_autofree char *quoted = assay_plot_quote (text, most);

  g_string_append (gp, quoted);
}

void
assay_plot_append_number (GString *gp, double value)
{
  g_autofree char *text = assay_text_number (value);

  g_string_append (gp, text);
}

static void
append_after (GString *reading, const char *words)
{
  if (*words != '\0')
    g_string_append_printf (reading, "%s%s", reading->len > 0 ? "; " : "", words);
}

/* "% of secrets; lower is more private", and on what scale it stands. */
static char *
axis_reading (const AssayCurveAxis *axis, const AssayPlotRange *range)
{
  g_autofree char *unit = axis->is_share ? g_strconcat ("%", axis->unit + strlen ("share"), NULL)
                                         : g_strdup (axis->unit);
  GString *reading = g_string_new (NULL);

  append_after (reading, g_str_equal (unit, axis->name) ? "" : unit);
  append_after (reading, axis->direction);
  append_after (reading, range->is_log2 ? "log2 scale" : range->is_log ? "log scale" : "");
  return g_string_free (reading, FALSE);
}

/* "recovery-rate tau=0.3 (% of secrets; lower is more private)", or in two lines where that is too
 * long for @most characters. */
static void
append_axis_label (GString *gp, char letter, const AssayCurveAxis *axis,
                   const AssayPlotRange *range)
{
  const gsize most = letter == 'x' ? MAX_X : MAX_Y;
  g_autofree char *reading = axis_reading (axis, range);
  g_autofree char *in_one = g_strdup_printf ("%s (%s)", axis->name, reading);

  g_string_append_printf (gp, "set %clabel ", letter);
  if (*reading != '\0' && (gsize) g_utf8_strlen (in_one, -1) <= most) {
    append_quoted (gp, in_one, most);
  } else {
    append_quoted (gp, axis->name, most);
    if (*reading != '\0') {
      g_string_append (gp, ".\"\\n\".");
      append_quoted (gp, reading, most);
    }
  }
  g_string_append (gp, letter == 'x' ? " offset 0,0.5\n" : "\n");
}

/* ---- The key ---- */

/* Long names lose their middle: they differ at the end. */
static void
append_shortened (GString *text, const char *name, glong most)
{
  const glong length = g_utf8_strlen (name, -1);
  const glong n_end = most / 2;

  if (length <= most) {
    g_string_append (text, name);
    return;
  }
  g_string_append_len (text, name, g_utf8_offset_to_pointer (name, most - n_end - 1) - name);
  g_string_append (text, "…");
  g_string_append (text, g_utf8_offset_to_pointer (name, length - n_end));
}

/* "phashing bits=16, by epsilon; strongest attack: one, five" */
static char *
key_title (const AssayCurve *curve, const AssayCurveLine *line)
{
  GString *title = g_string_new (NULL);
  g_autoptr (GHashTable) named = g_hash_table_new (g_str_hash, g_str_equal);

  append_shortened (title, line->name, curve->has_most_only ? MAX_HALF_NAME : MAX_NAME);
  if (curve->kind == ASSAY_CURVE_TRADE_OFF && line->swept != NULL)
    g_string_append_printf (title, ", by %s", line->swept);
  for (guint p = 0; curve->has_most_only && p < line->points->len; p++) {
    const AssayCurvePoint *point = &g_array_index (line->points, AssayCurvePoint, p);
    const AssayResultCell *cell = point->x.cell != NULL ? point->x.cell : point->y.cell;

    if (!g_hash_table_add (named, (gpointer) cell->attack_or_utility->name))
      continue;
    g_string_append (title, g_hash_table_size (named) > 1 ? ", " : "; strongest attack: ");
    append_shortened (title, cell->attack_or_utility->name, MAX_ATTACK);
  }
  return g_string_free (title, FALSE);
}

static guint
n_key_rows (const AssayCurve *curve)
{
  const guint n_bounds = curve->bounds != NULL ? curve->bounds->len : 0;
  const guint n = assay_plot_n_lines (curve) + n_bounds + (curve->kind == ASSAY_CURVE_TRADE_OFF);

  if (n_bounds > 0) /* their lines are long */
    return n;

  for (guint l = 0; l < assay_plot_n_lines (curve); l++) {
    g_autofree char *title = key_title (curve, curve->lines->pdata[l]);

    if (g_utf8_strlen (title, -1) > MAX_HALF_NAME)
      return n;
  }
  return n > 3 ? (n + 1) / 2 : n;
}

/* ---- Parts of the script ---- */

static void
append_range (GString *gp, char letter, const AssayPlotRange *range)
{
  g_string_append_printf (gp, "set %crange [%.6g:%.6g]\n", letter, range->low, range->high);
}

static void
append_head (GString *gp, const AssayCurve *curve)
{
  const guint height = 420 + 20 * n_key_rows (curve);
  g_autofree char *comment = assay_plot_quote (curve->title, G_MAXINT);

  g_string_append_printf (
      gp,
      "# %s\n"
      "# Drawn from %s.csv by: gnuplot %s.gp\n"
      "# and in other forms by: gnuplot -e \"form='pdf'\" %s.gp, or 'png'\n"
      "if (!exists(\"form\")) form = 'svg'\n"
      "if (form eq 'pdf') {\n"
      "  set terminal pdfcairo noenhanced size 18cm,%.2fcm font 'sans-serif,10'\n"
      "} else { if (form eq 'png') {\n"
      "  set terminal pngcairo noenhanced size 1440,%u font 'sans-serif,20' linewidth 2 "
      "pointscale 2\n"
      "} else {\n"
      "  set terminal svg noenhanced size 720,%u dynamic font 'sans-serif,13'\n"
      "} }\n"
      "set encoding utf8\n"
      "if (exists(\"to_stdout\")) { set output } else { set output '%s.'.form }\n"
      "set datafile separator comma\n"
      "data = '%s.csv'\n",
      comment, curve->name, curve->name, curve->name, 18.0 * height / 720, 2 * height, height,
      curve->name, curve->name);
}

static void
append_frame (GString *gp, const AssayCurve *curve, const AssayPlotRange *x,
              const AssayPlotRange *y)
{
  g_string_append (gp, "\nset title ");
  append_quoted (gp, curve->title, MAX_TITLE);
  g_string_append_c (gp, '\n');
  append_axis_label (gp, 'x', &curve->x, x);
  append_axis_label (gp, 'y', &curve->y, y);
  g_string_append (gp, "set border 3 linecolor rgb '#808080'\n"
                       "set tics nomirror scale 0.5 textcolor rgb 'black'\n"
                       "set grid linecolor rgb '#808080' linewidth 0.25\n"
                       "set errorbars small\n"
                       "set samples 2\n");
  g_string_append_printf (gp,
                          "set key outside bottom center vertical maxrows %u Left reverse "
                          "samplen 2 height 1\n",
                          n_key_rows (curve));
  append_range (gp, 'x', x);
  append_range (gp, 'y', y);
  if (x->is_log)
    g_string_append_printf (gp, "set logscale x %d\n", x->is_log2 ? 2 : 10);
  if (y->is_log)
    g_string_append (gp, "set logscale y\n");
  if (y->is_log && curve->y.is_share)
    g_string_append (gp, "set ytics (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)\n");
}

/* A tick at each value of the setting, but for those that would stand in each other. */
static void
append_setting_ticks (GString *gp, const AssayCurve *curve, const AssayPlotRange *x)
{
  g_autoptr (GArray) ticks = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint l = 0; l < assay_plot_n_lines (curve); l++) {
    const AssayCurveLine *line = curve->lines->pdata[l];

    for (guint p = 0; p < line->points->len; p++) {
      const double value = g_array_index (line->points, AssayCurvePoint, p).x.value;
      gboolean is_free = isfinite (value);

      for (guint t = 0; t < ticks->len && is_free; t++)
        is_free = fabs (assay_plot_place (x, value)
                        - assay_plot_place (x, g_array_index (ticks, double, t)))
                  > 0.045;
      if (is_free)
        g_array_append_val (ticks, value);
    }
  }
  g_string_append (gp, "set xtics (");
  for (guint t = 0; t < ticks->len; t++) {
    const double tick = g_array_index (ticks, double, t);

    g_string_append_printf (gp, "%s'%.6g' ", t > 0 ? ", " : "", tick * x->factor);
    assay_plot_append_number (gp, tick * x->factor);
  }
  g_string_append (gp, ")\n");
}

static void
append_styles (GString *gp, const AssayCurve *curve)
{
  for (guint l = 0; l < assay_plot_n_lines (curve); l++)
    g_string_append_printf (gp,
                            "set linetype %u linecolor rgb '%s' pointtype %d pointsize 0.8 "
                            "linewidth 1.6 dashtype %u\n",
                            l + 1, colours[l % G_N_ELEMENTS (colours)],
                            shapes[l % G_N_ELEMENTS (shapes)],
                            1 + l / (guint) G_N_ELEMENTS (colours));
}

/* The setting beside each point, where there is room: no other point or label near. */
static void
append_labels (GString *gp, const AssayCurve *curve, const AssayPlotRange *x,
               const AssayPlotRange *y)
{
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (double));
  guint number = 1;

  for (guint l = 0; l < assay_plot_n_lines (curve); l++) {
    const AssayCurveLine *line = curve->lines->pdata[l];

    for (guint p = 0; p < line->points->len && number <= MAX_LABELS; p++) {
      const AssayCurvePoint *point = &g_array_index (line->points, AssayCurvePoint, p);
      const double at[]
          = { assay_plot_place (x, point->x.value), assay_plot_place (y, point->y.value) };
      gboolean is_free = isfinite (point->setting);

      for (guint t = 0; t < taken->len && is_free; t += 2)
        is_free = fabs (g_array_index (taken, double, t) - at[0]) > 0.05
                  || fabs (g_array_index (taken, double, t + 1) - at[1]) > 0.045;
      if (!is_free)
        continue;
      g_array_append_vals (taken, at, 2);
      g_string_append_printf (gp, "set label %u '%.6g' at ", number++, point->setting);
      assay_plot_append_number (gp, x->factor * point->x.value);
      g_string_append_c (gp, ',');
      assay_plot_append_number (gp, y->factor * point->y.value);
      g_string_append (gp, " offset 1,-0.7 font ',10' textcolor rgb 'black'\n");
    }
  }
}

/* ---- What is plotted ---- */

/* Functions that give the value or bound in a column as it is drawn; where it is not known, or lies
 * below a logarithmic axis, what is drawn instead. */
static void
append_functions (GString *gp, char letter, const AssayPlotRange *range)
{
  g_string_append_printf (gp, "%c(c) = %g * column(c)\n", letter, range->factor);
  if (range->is_log)
    g_string_append_printf (gp,
                            "%cend(c, middle) = !valid(c) ? %c(middle) : column(c) > 0 ? %c(c) : "
                            "%.6g\n",
                            letter, letter, letter, range->low);
  else
    g_string_append_printf (gp, "%cend(c, middle) = valid(c) ? %c(c) : %c(middle)\n", letter,
                            letter, letter);
}

static gboolean
has_bars (const AssayCurveAxis *axis)
{
  return axis->measure != NULL && !axis->measure->is_epsilon;
}

static void
append_bars (GString *gp, const AssayCurve *curve, const char *rows, guint number)
{
  const gboolean has_x = has_bars (&curve->x), has_y = has_bars (&curve->y);

  if (!has_x && !has_y)
    return;
  g_string_append_printf (gp,
                          "  data skip 1 every %s using (x(2)):(y(Y))%s%s with %s%serrorbars "
                          "linetype %u dashtype 1 linewidth 0.8 pointtype 0 notitle, \\\n",
                          rows, has_x ? ":(xend(3, 2)):(xend(4, 2))" : "",
                          has_y ? ":(yend(Y + 1, Y)):(yend(Y + 2, Y))" : "", has_x ? "x" : "",
                          has_y ? "y" : "", number);
}

static void
append_title (GString *gp, const AssayCurve *curve, const AssayCurveLine *line)
{
  g_autofree char *title = key_title (curve, line);

  g_string_append (gp, " title ");
  append_quoted (gp, title, MAX_NAME);
  g_string_append (gp, ", \\\n");
}

static guint
n_levels (const AssayCurve *curve)
{
  guint n = 0;

  for (guint l = 0; l < assay_plot_n_lines (curve); l++)
    n += ((const AssayCurveLine *) curve->lines->pdata[l])->swept == NULL;
  return n;
}

/* What has no setting to stand at is a level across the plot, its interval a band, of which many
 * would hide each other. */
static void
append_level (GString *gp, const AssayCurve *curve, const AssayCurveLine *line, guint number,
              const AssayPlotRange *y)
{
  const AssayCurveValue *value = &g_array_index (line->points, AssayCurvePoint, 0).y;

  if (has_bars (&curve->y) && n_levels (curve) <= MAX_BANDS && isfinite (value->lower)
      && isfinite (value->upper)) {
    g_string_append (gp, "  '+' using 1:(");
    assay_plot_append_number (gp,
                              y->is_log && value->lower <= 0 ? y->low : y->factor * value->lower);
    g_string_append (gp, "):(");
    assay_plot_append_number (gp, y->factor * value->upper);
    g_string_append_printf (gp,
                            ") with filledcurves linetype %u fillstyle transparent solid 0.12 "
                            "noborder notitle, \\\n",
                            number);
  }
  g_string_append (gp, "  ");
  assay_plot_append_number (gp, y->factor * value->value);
  g_string_append_printf (gp, " with lines linetype %u linewidth 1.4 dashtype 2", number);
  append_title (gp, curve, line);
}

static void
append_plot (GString *gp, const AssayCurve *curve, const AssayPlotRange *x,
             const AssayPlotRange *y)
{
  const guint last = curve->kind == ASSAY_CURVE_TRADE_OFF ? 8 : 6; /* column "optimal" */
  guint row = 0;

  g_string_append_printf (gp, "Y = %d\nplot \\\n", curve->x.measure != NULL ? 5 : 3);
  for (guint l = 0; l < assay_plot_n_lines (curve); l++) {
    const AssayCurveLine *line = curve->lines->pdata[l];
    g_autofree char *rows = g_strdup_printf ("::%u::%u", row, row + line->points->len - 1);

    row += line->points->len;
    if (curve->kind == ASSAY_CURVE_SWEEP && line->swept == NULL) {
      append_level (gp, curve, line, l + 1, y);
      continue;
    }
    append_bars (gp, curve, rows, l + 1);
    g_string_append_printf (gp,
                            "  data skip 1 every %s using (x(2)):(y(Y)) with linespoints "
                            "linetype %u",
                            rows, l + 1);
    append_title (gp, curve, line);
  }
  g_string_append_printf (gp,
                          "  data skip 1 every ::0::%u using (x(2)):($%u == 1 ? y(Y) : NaN) "
                          "with points pointtype 2 pointsize 1.4 linecolor rgb '#808080' "
                          "notitle",
                          row - 1, last + 1);
  if (curve->kind == ASSAY_CURVE_TRADE_OFF)
    g_string_append_printf (gp,
                            ", \\\n  data skip 1 every ::0::%u using (x(2)):($%u == 1 ? y(Y) : "
                            "NaN) with points pointtype 6 pointsize 1.5 linewidth 1.2 "
                            "linecolor rgb 'black' title 'Pareto-optimal by point estimates'",
                            row - 1, last);
  assay_plot_append_bounds (gp, curve, x, y);
  assay_plot_append_hover (gp, curve, row, x);
  g_string_append_c (gp, '\n');
}

char *
assay_plot_script (const AssayCurve *curve)
{
  const AssayPlotRange x = assay_plot_range (curve, TRUE);
  const AssayPlotRange y = assay_plot_range (curve, FALSE);
  GString *gp = g_string_new (NULL);

  append_head (gp, curve);
  append_frame (gp, curve, &x, &y);
  append_styles (gp, curve);
  if (curve->kind == ASSAY_CURVE_SWEEP)
    append_setting_ticks (gp, curve, &x);
  else
    append_labels (gp, curve, &x, &y);
  append_functions (gp, 'x', &x);
  append_functions (gp, 'y', &y);
  assay_plot_append_bound_data (gp, curve, &x, &y);
  append_plot (gp, curve, &x, &y);
  return g_string_free (gp, FALSE);
}
