/* Parameter tables: every type, every refusal with its exact words, canonical text. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/param.h"
#include "tests/reference/fixtures.h"

static const char *const modes[] = { "fast", "exact", "both", NULL };

typedef struct {
  bool flag;
  gint64 count;
  double tau;
  guint mode;
  char *file;
  char *note;
} Example;

static const AssayParam table[]
    = { ASSAY_PARAM_BOOL (Example, flag, TRUE, "A flag"),
        ASSAY_PARAM_INT (Example, count, 4, -2, 64, "rows", "A count"),
        ASSAY_PARAM_REAL (Example, tau, 0.3, 0, 10, "", "A threshold"),
        ASSAY_PARAM_CHOICE (Example, mode, 1, modes, "A mode"),
        ASSAY_PARAM_STRING (Example, file, NULL, "A file that must be named"),
        ASSAY_PARAM_STRING (Example, note, "", "A text"),
        ASSAY_PARAM_END };

static AssaySettings *
fresh (void)
{
  return assay_settings_new (table, sizeof (Example));
}

Test (param, defaults_and_canonical_text)
{
  g_autoptr (AssaySettings) settings = fresh ();
  g_autoptr (AssaySettings) copy = NULL;
  g_autofree char *text = assay_settings_canonical (settings);
  const Example *values = settings->values;
  g_autofree char *changed = NULL;

  cr_assert (values->flag && values->count == 4 && values->tau == 0.3 && values->mode == 1
             && values->file == NULL);
  cr_assert_str_eq (values->note, "");
  cr_assert_str_eq (text, "flag=yes\ncount=4\ntau=0.3\nmode=exact\nfile=\nnote=\n");
  cr_assert (assay_settings_set (settings, "file", "a b.npy", NULL)
             && assay_settings_set (settings, "tau", "0.10", NULL)
             && assay_settings_set (settings, "flag", "false", NULL)
             && assay_settings_set (settings, "count", "-2", NULL)
             && assay_settings_set (settings, "mode", "both", NULL)
             && assay_settings_set (settings, "note", "n", NULL));
  copy = assay_settings_copy (settings);
  cr_assert (assay_settings_set (settings, "file", "other", NULL));
  changed = assay_settings_canonical (copy);
  cr_assert_str_eq (changed, "flag=no\ncount=-2\ntau=0.1\nmode=both\nfile=a b.npy\nnote=n\n");
}

/* A feature that is off leaves everything as it was without it. */
Test (param, extra_settings)
{
  typedef struct {
    double tau;
    bool extra;
    gint64 count;
    guint mode;
    char *note;
  } Extra;
  static const AssayParam extra[] = {
    ASSAY_PARAM_REAL (Extra, tau, 0.3, 0, 10, "", "A threshold"),
    ASSAY_PARAM_BOOL (Extra, extra, false, "A flag", ASSAY_PARAM_EXTRA),
    { .name = "count", .type = ASSAY_PARAM_TYPE_INT, .offset = offsetof (Extra, count), .low = 0,
      .high = 9, .number = 4, .help = "A count", .is_extra = TRUE },
    { .name = "mode", .type = ASSAY_PARAM_TYPE_CHOICE, .offset = offsetof (Extra, mode),
      .number = 1, .choices = modes, .help = "A mode", .is_extra = TRUE },
    { .name = "note", .type = ASSAY_PARAM_TYPE_STRING, .offset = offsetof (Extra, note),
      .text = "n", .help = "A text", .is_extra = TRUE },
    ASSAY_PARAM_END
  };
  static const struct {
    const char *name, *value, *canonical;
  } changes[] = { { "extra", "yes", "tau=0.3\nextra=yes\n" },
                  { "extra", "no", "tau=0.3\n" },
                  { "count", "5", "tau=0.3\ncount=5\n" },
                  { "count", "4", "tau=0.3\n" },
                  { "mode", "fast", "tau=0.3\nmode=fast\n" },
                  { "mode", "exact", "tau=0.3\n" },
                  { "note", "m", "tau=0.3\nnote=m\n" },
                  { "note", "n", "tau=0.3\n" } };
  g_autoptr (AssaySettings) settings = assay_settings_new (extra, sizeof (Extra));

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autofree char *canonical = NULL;

    cr_assert (assay_settings_set (settings, changes[i].name, changes[i].value, NULL));
    canonical = assay_settings_canonical (settings);
    cr_assert_str_eq (canonical, changes[i].canonical);
  }
}

/* What is printed can be set again, and means the same. */
Test (param, values_round_trip)
{
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "param", ""), 0);

  for (guint i = 0; i < 2000; i++) {
    g_autoptr (AssaySettings) settings = fresh ();
    g_autoptr (AssaySettings) again = fresh ();
    Example *values = settings->values;

    values->flag = assay_stream_below (&stream, 2) == 1;
    values->count = (gint64) assay_stream_below (&stream, 67) - 2;
    values->tau = assay_stream_between (&stream, 0, 10);
    values->mode = (guint) assay_stream_below (&stream, 3);
    for (const AssayParam *param = table; param->type != ASSAY_PARAM_TYPE_STRING; param++) {
      g_autofree char *text = assay_settings_get (settings, param);

      cr_assert (assay_settings_set (again, param->name, text, NULL), "%s = %s", param->name, text);
    }
    cr_assert (memcmp (settings->values, again->values, offsetof (Example, file)) == 0, "%u", i);
  }
}

Test (param, minus_zero_is_zero)
{
  g_autoptr (AssaySettings) settings = fresh ();

  cr_assert (assay_settings_set (settings, "tau", "-0.0", NULL));
  cr_assert (!signbit (((Example *) settings->values)->tau));
}

/* ---- What is refused ---- */

static void
check_refused (const char *name, const char *text, const char *message)
{
  g_autoptr (AssaySettings) settings = fresh ();
  g_autofree char *before = assay_settings_canonical (settings);
  g_autofree char *after = NULL;
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!assay_settings_set (settings, name, text, &error), "%s = '%s'", name, text);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER, message, NULL, &why), "%s", why);
  after = assay_settings_canonical (settings);
  cr_assert_str_eq (before, after, "%s = '%s' changed the settings", name, text);
}

Test (param, errors)
{
  check_refused ("cont", "1", "unknown setting 'cont' (did you mean 'count'?)");
  check_refused ("Count", "1", "unknown setting 'Count' (did you mean 'count'?)");
  check_refused ("zzz", "1", "unknown setting 'zzz'");
  check_refused ("flag", "maybe", "flag = 'maybe': expected yes or no");
  check_refused ("flag", "1", "flag = '1': expected yes or no");
  check_refused ("flag", "", "flag = '': expected yes or no");
  check_refused ("count", "65", "count = 65 is out of range: expected -2 to 64 rows");
  check_refused ("count", "-3", "count = -3 is out of range: expected -2 to 64 rows");
  check_refused ("count", "4.0", "count = '4.0': expected a whole number, -2 to 64 rows");
  check_refused ("count", "", "count = '': expected a whole number, -2 to 64 rows");
  check_refused ("count", "99999999999999999999",
                 "count = '99999999999999999999': expected a whole number, -2 to 64 rows");
  check_refused ("tau", "10.0000001", "tau = 10.0000001 is out of range: expected 0 to 10");
  check_refused ("tau", "-1e-300", "tau = -1e-300 is out of range: expected 0 to 10");
  check_refused ("tau", "nan", "tau = 'nan': expected a finite number, 0 to 10");
  check_refused ("tau", "inf", "tau = 'inf': expected a finite number, 0 to 10");
  check_refused ("tau", "0x1", "tau = '0x1': expected a finite number, 0 to 10");
  check_refused ("tau", "0,5",
                 "tau = '0,5': expected a finite number, 0 to 10 (decimals have a point: 0.5)");
  check_refused ("mode", "exakt",
                 "mode = 'exakt': expected one of fast, exact, both (did you mean 'exact'?)");
  check_refused ("mode", "1", "mode = '1': expected one of fast, exact, both");
  check_refused ("mode", "", "mode = '': expected one of fast, exact, both");
  check_refused ("file", "", "file is empty");
}

Test (param, ends_of_ranges_are_in)
{
  g_autoptr (AssaySettings) settings = fresh ();

  cr_assert (assay_settings_set (settings, "count", "64", NULL)
             && assay_settings_set (settings, "count", "-2", NULL)
             && assay_settings_set (settings, "tau", "10", NULL)
             && assay_settings_set (settings, "tau", "0", NULL)
             && assay_settings_set (settings, "note", "", NULL));
}

Test (param, what_must_be_given)
{
  g_autoptr (AssaySettings) settings = fresh ();
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!assay_settings_check_complete (settings, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "'file' is missing: A file that must be named", NULL, &why),
             "%s", why);
  cr_assert (assay_settings_set (settings, "file", "x", NULL));
  cr_assert (assay_settings_check_complete (settings, NULL));
}

Test (param, descriptions)
{
  static const char *const expected[] = { "yes or no, default yes",
                                          "whole number, -2 to 64 rows, default 4",
                                          "number, 0 to 10, default 0.3",
                                          "one of fast, exact, both; default exact",
                                          "text, required",
                                          "text, may be left out" };

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++) {
    g_autofree char *text = assay_param_describe (&table[i]);

    cr_assert_str_eq (text, expected[i]);
  }
}

Test (param, a_plugin_without_parameters)
{
  g_autoptr (AssaySettings) settings = assay_settings_new (NULL, 0);
  g_autoptr (AssaySettings) copy = assay_settings_copy (settings);
  g_autofree char *text = assay_settings_canonical (copy);
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert_str_eq (text, "");
  cr_assert (assay_settings_check_complete (copy, NULL));
  cr_assert (!assay_settings_set (copy, "a", "1", &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER, "unknown setting 'a'", NULL, &why),
             "%s", why);
}
