/* The data of a plot. */
#include "report/exports/csv-field.h"
#include "report/plots/gnuplot.h"

/* gnuplot reads line by line: a line break within a field would end the row. */
static void
append_text (GString *csv, const char *value)
{
  g_autofree char *line = g_strdelimit (g_strdup (value), "\r\n", ' ');

  assay_csv_field (csv, line);
}

/* The measure without its settings, unless the axis is of several. */
static const char *
head_of (const AssayCurveAxis *axis)
{
  return axis->measure != NULL && g_str_has_prefix (axis->name, axis->measure->name)
             ? axis->measure->name
             : axis->name;
}

static void
append_heads (GString *csv, const AssayCurveAxis *axis)
{
  static const char *const ends[] = { "", ".lower", ".upper" };

  for (guint i = 0; i < G_N_ELEMENTS (ends) && (i == 0 || axis->measure != NULL); i++) {
    g_autofree char *head = g_strconcat (head_of (axis), ends[i], NULL);

    append_text (csv, head);
  }
}

static void
append_value (GString *csv, const AssayCurveAxis *axis, const AssayCurveValue *value)
{
  assay_csv_number (csv, value->value);
  if (axis->measure != NULL) {
    assay_csv_number (csv, value->lower);
    assay_csv_number (csv, value->upper);
  }
}

static void
append_cell (GString *csv, const AssayCurveValue *value)
{
  append_text (csv, value->cell->attack_or_utility->name);
  append_text (csv, value->cell->id);
}

static void
append_point (GString *csv, const AssayCurve *curve, const AssayCurveLine *line, guint number,
              const AssayCurvePoint *point)
{
  const gboolean is_trade_off = curve->kind == ASSAY_CURVE_TRADE_OFF;

  g_string_append_printf (csv, "%u", number);
  append_value (csv, &curve->x, &point->x);
  append_value (csv, &curve->y, &point->y);
  g_string_append_printf (csv, ",%d,%d", point->is_optimal, point->is_doubtful);
  if (is_trade_off) {
    assay_csv_number (csv, point->setting);
    append_text (csv, line->swept != NULL ? line->swept : "");
  }
  append_text (csv, line->name);
  append_text (csv, point->y.cell->defense->name);
  if (is_trade_off)
    append_cell (csv, &point->x);
  append_cell (csv, &point->y);
  g_string_append_c (csv, '\n');
}

char *
assay_plot_csv (const AssayCurve *curve)
{
  GString *csv = g_string_new ("line");

  append_heads (csv, &curve->x);
  append_heads (csv, &curve->y);
  g_string_append (csv, ",optimal,doubtful");
  g_string_append (csv, curve->kind == ASSAY_CURVE_TRADE_OFF
                            ? ",setting,swept,name,defense,attack,attack.cell,utility,utility.cell"
                            : ",name,defense,attack_or_utility,cell");
  g_string_append_c (csv, '\n');
  for (guint l = 0; l < curve->lines->len; l++) {
    const AssayCurveLine *line = curve->lines->pdata[l];

    for (guint p = 0; p < line->points->len; p++)
      append_point (csv, curve, line, l + 1, &g_array_index (line->points, AssayCurvePoint, p));
  }
  return g_string_free (csv, FALSE);
}
