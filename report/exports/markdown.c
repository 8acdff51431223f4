/* summary.md: the verdicts and the headline numbers, for the job summary of a CI system. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "report/exports/exports.h"

/* Whether the characters before @at (@from is where they begin) are what turns the word behind them
 * into a link, or into a mention of somebody, though nothing marks it up: escapes do not help, as
 * both are looked for in the text that is left. "recall@10" is neither. */
static gboolean
makes_a_link (const char *from, const char *at)
{
  const gsize n = (gsize) (at - from);

  if (*at == '\0' || *at == ' ')
    return FALSE;
  if (n >= 1 && at[-1] == '@')
    return !(n >= 2 && g_ascii_isalnum (at[-2]) && g_ascii_isdigit (*at));
  return (n >= 3 && memcmp (at - 3, "://", 3) == 0)
         || (n >= 4 && g_ascii_strncasecmp (at - 4, "www.", 4) == 0);
}

/* Text from scenarios stands in tables: nothing in it may end a cell, begin markup or be a link. */
static void
append_escaped (GString *text, const char *value)
{
  const char *const from = value;

  for (; value != NULL && *value != '\0'; value = g_utf8_next_char (value)) {
    const gunichar c = g_utf8_get_char (value);

    if (makes_a_link (from, value))
      g_string_append_c (text, ' ');
    if (c == '<')
      g_string_append (text, "&lt;");
    else if (c == '&')
      g_string_append (text, "&amp;");
    else if (!assay_text_is_shown (c))
      g_string_append_c (text, ' ');
    else {
      if (c < 0x80 && strchr ("\\`*_{}[]()#|>~$!", (int) c) != NULL)
        g_string_append_c (text, '\\');
      g_string_append_unichar (text, c);
    }
  }
}

static void
append_number (GString *text, double value)
{
  if (isfinite (value) && fabs (value) < G_MAXDOUBLE)
    g_string_append_printf (text, "%.4g", value);
  else
    g_string_append (text, "-");
}

static void say (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* %s: text that is escaped; %g: a number, or "-". No other conversions, and no widths. */
static void
say (GString *text, const char *format, ...)
{
  va_list values;

  va_start (values, format);
  for (; *format != '\0'; format++)
    if (*format != '%')
      g_string_append_c (text, *format);
    else if (*++format == 's')
      append_escaped (text, va_arg (values, const char *));
    else
      append_number (text, va_arg (values, double));
  va_end (values);
}

static void
append_claims (GString *text, const AssayResults *results)
{
  if (results->claims->len == 0)
    return;
  g_string_append (text, "| verdict | claim | says | why |\n| --- | --- | --- | --- |\n");
  ASSAY_FOR_EACH (const AssayResultClaim, result, results->claims) {
    const gboolean is_bad = result->verdict == ASSAY_VERDICT_VIOLATED;
    g_autofree char *test = assay_report_verdict_test (result);

    g_string_append_printf (text, "| %s%s%s | ", is_bad ? "**" : "",
                            assay_verdict_name (result->verdict), is_bad ? "**" : "");
    say (text, "%s | %s | %s", result->id, result->says, result->reason);
    if (test != NULL)
      say (text, "; %s", test);
    if (result->attackers.says != NULL)
      say (text, "; %s", result->attackers.says);
    g_string_append (text, " |\n");
  }
  g_string_append_c (text, '\n');
}

/* By which whoever reads the summary knows that these are the claims of before the run. */
static void
append_seal (GString *text, const AssayResults *results)
{
  if ((results->claims->len > 0 || results->has_lost_claims) && results->claims_sha256 != NULL)
    g_string_append_printf (text, "Claims sealed before the first cell: sha256 `%.16s`%s.\n\n",
                            results->claims_sha256,
                            results->has_changed_claims ? "; they were **changed** since" : "");
}

static void
append_mutants (GString *text, const AssayResults *results)
{
  g_autofree char *mutants = NULL;
  g_auto (GStrv) lines = NULL;

  if (results->mutants == NULL)
    return;
  mutants = assay_report_mutants_short (results->mutants);
  lines = g_strsplit (g_strchomp (mutants), "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    say (text, i > 0 ? "- %s\n" : "%s\n\n", g_strchug (lines[i]));
  g_string_append_c (text, '\n');
}

static void
append_baseline (GString *text, const AssayResultBaseline *baseline)
{
  g_autofree char *sentence = NULL;

  if (baseline == NULL)
    return;
  sentence = assay_report_baseline_sentence (baseline);
  g_string_append_printf (text, "%s ",
                          baseline->worse->len > 0 ? "**Worse than the baseline.**"
                          : baseline->is_open      ? "Not all can be compared with the baseline."
                                                   : "Not worse than the baseline.");
  say (text, "Against the run in %s, %s.\n\n", baseline->folder, sentence);
  ASSAY_FOR_EACH (const char, worse, baseline->worse)
    say (text, "- worse: %s\n", worse);
  ASSAY_FOR_EACH (const char, note, baseline->notes)
    say (text, "- %s\n", note);
  if (baseline->worse->len + baseline->notes->len > 0)
    g_string_append_c (text, '\n');
}

/* In per cent, as in the terminal and in the report. */
static void
append_shares (GString *text, const AssayMeasurement *measurement)
{
  const AssayInterval *interval = &measurement->interval;
  g_autofree char *estimate = assay_result_value (measurement->measure, interval->estimate);
  g_autofree char *range
      = assay_result_range (measurement->measure, interval->lower, interval->upper);

  say (text, " | %s | %s", estimate, range);
}

/* A row: the defense by its settings that vary; where there are several datasets, on which of them.
 * What all rows have in common stands in report.html and results.json. "recovery-rate tau=0.3": a
 * metric may stand there several times with other settings. */
static void
append_measurement (GString *text, const AssayResultCell *cell, const AssayMeasurement *measurement)
{
  const AssayInterval *interval = &measurement->interval;
  const char *dataset = cell->dataset->name;
  const char *settings = cell->is_utility ? "" : measurement->metric->settings->line;

  say (text, *dataset != '\0' ? "| %s on %s" : "| %s%s", cell->defense->name, dataset);
  say (text, *settings != '\0' ? " | %s | %s %s" : " | %s | %s%s", cell->attack_or_utility->name,
       measurement->measure->name, settings);
  /* Above a certified lower bound nothing is known. */
  if (measurement->measure->is_epsilon)
    say (text, " | %g | at least %g", interval->estimate, interval->lower);
  else if (measurement->measure->is_share)
    append_shares (text, measurement);
  else
    say (text, " | %g | %g to %g", interval->estimate, interval->lower, interval->upper);
  g_string_append_printf (text, " | %zu |\n", interval->n);
}

static void
append_cells (GString *text, const AssayResults *results)
{
  g_string_append (text, "| defense | attack or utility | measure | estimate | interval | n |\n"
                         "| --- | --- | --- | ---: | --- | ---: |\n");
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    ASSAY_FOR_EACH_IN (const AssayMeasurement, measurement, cell->measurements) {
      if (measurement->measure->is_headline)
        append_measurement (text, cell, measurement);
    }
  }
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    ASSAY_FOR_EACH (const char, why, cell->omitted) {
      say (text, "\nOf %s against %s: %s\n", cell->attack_or_utility->label, cell->defense->label,
           why);
    }
  }
}

#define MOST_SAID 10 /* what cells say, in a page that is to be read at a glance */

static void
append_said (GString *text, const AssayResults *results)
{
  g_autoptr (GPtrArray) all = assay_report_said (results);

  for (guint i = 0; i < MIN (all->len, MOST_SAID); i++) {
    const AssayReportSaid *said = all->pdata[i];

    say (text, "\nOf %s against %s: %s\n", said->attacks->str, said->defense, said->message);
  }
  if (all->len > MOST_SAID)
    g_string_append_printf (text, "\nWhat %u more cells say stands in report.html.\n",
                            all->len - MOST_SAID);
}

static void
append_sheets (GString *text, const AssayResults *results)
{
  ASSAY_FOR_EACH (const AssayResultContactSheet, sheet, results->sheets) {
    say (text, "\nPictures %s", sheet->name);
    if (sheet->columns->len == 0) {
      g_string_append (text, ": no cell has any.\n");
      continue;
    }
    g_string_append_printf (text, ": `pictures/%s.png`, %zu rows. Columns from left to right:\n\n",
                            sheet->name, sheet->n_rows);
    for (guint c = 0; c < sheet->columns->len; c++) {
      g_string_append_printf (text, "%u. ", c + 1);
      say (text, "%s\n", ((const AssayResultColumn *) sheet->columns->pdata[c])->says);
    }
  }
}

/* Each line of @plain as a paragraph. */
static void
append_lines (GString *text, const char *plain)
{
  g_auto (GStrv) lines = g_strsplit (plain, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (*g_strstrip (lines[i]) != '\0')
      say (text, "%s\n\n", lines[i]);
}

char *
assay_report_markdown (const AssayResults *results)
{
  g_autofree char *warnings = assay_report_warnings (results);
  g_autofree char *unrepeated = assay_report_unrepeated (results);
  g_autofree char *failures = assay_report_failures (results);
  GString *text = g_string_new ("## ");

  append_escaped (text, results->title);
  g_string_append_printf (text, "\n\nSeed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " trial%s",
                          results->seed, results->trials, results->trials == 1 ? "" : "s");
  g_string_append (text, results->size);
  g_string_append_printf (text, ", %g %% intervals.\n\n", 100 * results->confidence);
  if (results->n_missing > 0)
    g_string_append_printf (text, "**Unfinished: %zu of %zu cells were not run.**\n\n",
                            results->n_missing, results->n_planned);
  ASSAY_FOR_EACH_IN (const AssayResultUnits, units, results->units) {
    if (units->says != NULL) {
      append_escaped (text, units->dataset->plugin);
      g_string_append_printf (text, ": %s.\n\n", units->says);
    }
  }
  append_seal (text, results);
  append_lines (text, warnings);
  append_lines (text, unrepeated);
  append_lines (text, failures);
  append_claims (text, results);
  append_baseline (text, results->baseline);
  append_mutants (text, results);
  append_cells (text, results);
  append_said (text, results);
  append_sheets (text, results);
  ASSAY_FOR_EACH_IN (const AssaySkip, skip, results->skipped) {
    say (text, "\nSkipped: %s against %s: %s\n", skip->attack, skip->defense, skip->reason);
  }
  return g_string_free (text, FALSE);
}
