/* Numbers as text, closest spellings, parsing. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/rng.h"
#include "core/base/text.h"

static void
check_number (double value, const char *expected)
{
  g_autofree char *text = assay_text_number (value);

  cr_assert_str_eq (text, expected, "%.17g: '%s' instead of '%s'", value, text, expected);
}

Test (text, numbers)
{
  check_number (0, "0");
  check_number (-0.0, "0");
  check_number (1, "1");
  check_number (-1000, "-1000");
  check_number (1e15, "1000000000000000");
  check_number (1e16, "1e+16");
  check_number (0.1, "0.1");
  check_number (0.1 + 0.2, "0.30000000000000004");
  check_number (1.0 / 3, "0.3333333333333333");
  check_number (2.5e-7, "2.5e-07");
  check_number (5e-324, "5e-324");
  check_number (DBL_MAX, "1.7976931348623157e+308");
  check_number (123456.789, "123456.789");
}

static void
check_percent (double share, const char *expected)
{
  g_autofree char *text = assay_text_percent (share);

  cr_assert_str_eq (text, expected, "%.17g: '%s' instead of '%s'", share, text, expected);
}

/* What is not all of it must not be called 100 %. */
Test (text, percent)
{
  check_percent (0.343, "34.3 %");
  check_percent (0.06999999, "7 %");
  check_percent (1, "100 %");
  check_percent (0.999996, "99.9996 %");
  check_percent (0.0000001, "1e-05 %");
  check_percent (0, "0 %");
  check_percent (-0.0, "0 %");
  check_percent (1.7e-15, "0 %");
  check_percent (-1.7e-15, "0 %");
  check_percent (-0.125, "-12.5 %");
}

/* Any finite number reads back to the bit, and no text with one digit less does. */
Test (text, numbers_are_exact_and_shortest)
{
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "text", ""), 0);

  for (guint i = 0; i < 100000; i++) {
    const guint64 low = assay_stream_u32 (&stream);
    const guint64 bits = low | (guint64) assay_stream_u32 (&stream) << 32;
    g_autofree char *text = NULL;
    char shorter[64], format[16];
    guint digits = 0;
    double value, back = NAN;

    memcpy (&value, &bits, sizeof value);
    if (!isfinite (value))
      continue;
    text = assay_text_number (value);
    cr_assert (assay_text_to_double (text, &back) && memcmp (&back, &value, sizeof value) == 0,
               "%a: '%s'", value, text);
    for (const char *c = text; *c != '\0' && *c != 'e'; c++)
      digits += g_ascii_isdigit (*c) && (digits > 0 || *c != '0');
    if (digits < 2)
      continue;
    g_snprintf (format, sizeof format, "%%.%ug", digits - 1);
    g_ascii_formatd (shorter, sizeof shorter, format, value);
    cr_assert (g_ascii_strtod (shorter, NULL) != value, "%a: '%s' for '%s'", value, text, shorter);
  }
}

/* Numbers of few digits, which are found without trying fewer: the same as by trying them all. */
Test (text, numbers_of_few_digits_are_the_shortest)
{
  AssayStream stream = assay_stream (assay_stream_key (2, 0, "text", ""), 0);

  for (guint i = 0; i < 100000; i++) {
    const guint digits = 1 + (guint) assay_stream_below (&stream, 17);
    const double number = assay_stream_between (&stream, -10, 10);
    const gint exponent = (gint) assay_stream_below (&stream, 600) - 300;
    g_autofree char *text = NULL;
    char format[16], given[64], expected[64];
    double value;

    g_snprintf (given, sizeof given, "%.*ge%d", (int) digits, number,
                i % 2 == 0 ? exponent : exponent % 8);
    value = g_ascii_strtod (given, NULL);
    if (floor (value) == value && fabs (value) <= 1e15)
      continue; /* whole numbers have all their digits */
    text = assay_text_number (value);
    for (guint tried = 1; tried <= 17; tried++) {
      g_snprintf (format, sizeof format, "%%.%ug", tried);
      g_ascii_formatd (expected, sizeof expected, format, value);
      if (g_ascii_strtod (expected, NULL) == value)
        break;
    }
    cr_assert_str_eq (text, expected, "%s: '%s' instead of '%s'", given, text, expected);
  }
}

/* ---- Parsing ---- */

Test (text, doubles)
{
  static const char *const bad[]
      = { "",   " ",   "nan",  "NaN",   "inf",      "-inf", "infinity", "0x10",   "0x1p3",
          "1 ", " 1",  "1,5",  "1e",    "--1",      "+-1",  "1e999",    "-1e999", "1.2.3",
          "e5", "1;2", "1e5f", "1_000", "\xc2\xa0", ".",    "+",        "one" };
  static const struct {
    const char *text;
    double value;
  } good[] = { { "0", 0 },
               { "-1.5", -1.5 },
               { "+2", 2 },
               { "1e3", 1000 },
               { ".5", 0.5 },
               { "5.", 5 },
               { "1E-2", 0.01 },
               { "00", 0 },
               { "1e-400", 0 },
               { "0.1", 0.1 },
               { "123456789012345678", 123456789012345678.0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    double value = 77;

    cr_assert (!assay_text_to_double (bad[i], &value) && value == 77, "'%s' is %g", bad[i], value);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++) {
    double value = 77;

    cr_assert (assay_text_to_double (good[i].text, &value) && value == good[i].value, "'%s' is %g",
               good[i].text, value);
  }
}

Test (text, integers)
{
  static const char *const bad[] = { "",
                                     " 1",
                                     "1 ",
                                     "1.0",
                                     "1e3",
                                     "0x10",
                                     "--1",
                                     "+",
                                     "-",
                                     "1-2",
                                     "9223372036854775808",
                                     "-9223372036854775809",
                                     "1;2" };
  gint64 value = 77;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    cr_assert (!assay_text_to_int (bad[i], &value) && value == 77, "'%s' is %d", bad[i],
               (int) value);
  cr_assert (assay_text_to_int ("9223372036854775807", &value) && value == G_MAXINT64);
  cr_assert (assay_text_to_int ("-9223372036854775808", &value) && value == G_MININT64);
  cr_assert (assay_text_to_int ("+010", &value) && value == 10);
  cr_assert (assay_text_to_int ("-0", &value) && value == 0);
}

/* ---- Spelling ---- */

Test (text, closest_spelling)
{
  static const char *const words[]
      = { "dimension", "variant", "normalize", "sub_databases", "tau", "set", "seed", NULL };
  static const char *const none[] = { NULL };
  static const struct {
    const char *word, *closest;
  } cases[] = {
    { "dimention", "dimension" },
    { "DIMENSION", "dimension" },
    { "dim", NULL },
    { "normalise", "normalize" },
    { "varient", "variant" },
    { "tua", "tau" },
    { "vairant", "variant" },
    { "tuan", NULL },
    { "ta", "tau" },
    { "taus", "tau" },
    /* Of equally near ones that of which a letter is left out. */
    { "sed", "seed" },
    { "", NULL },
    { "xyz", NULL },
    { "subdatabases", "sub_databases" },
  };
  g_autofree char *hint = assay_text_did_you_mean ("varient", words);
  g_autofree char *silence = assay_text_did_you_mean ("xyz", words);
  g_autofree char *long_word = g_strnfill (100000, 'a');

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *found = assay_text_closest (cases[i].word, words);

    cr_assert (g_strcmp0 (found, cases[i].closest) == 0, "'%s': '%s' instead of '%s'",
               cases[i].word, found, cases[i].closest);
  }
  cr_assert_str_eq (hint, " (did you mean 'variant'?)");
  cr_assert_str_eq (silence, "");
  cr_assert (assay_text_closest ("a", none) == NULL && assay_text_closest ("a", NULL) == NULL);
  cr_assert (assay_text_closest (long_word, words) == NULL);
}

Test (text, what_a_value_was_meant_to_be)
{
  cr_assert_str_eq (assay_text_value_hint ("2, 4, 8", TRUE),
                    " (several values are separated by semicolons: 2; 4; 8)");
  cr_assert_str_eq (assay_text_value_hint ("[2]", TRUE),
                    " (several values are separated by semicolons: 2; 4; 8)");
  cr_assert_str_eq (assay_text_value_hint ("3 # why", TRUE), " (a comment has a line of its own)");
  cr_assert_str_eq (assay_text_value_hint ("10%", FALSE),
                    " (a percentage is written as a share: 0.1 for 10 %)");
  cr_assert_str_eq (assay_text_value_hint ("10%", TRUE), " (without a unit: 10 in place of 10 %)");
  cr_assert_str_eq (assay_text_value_hint ("0,5", FALSE), " (decimals have a point: 0.5)");
  cr_assert_str_eq (assay_text_value_hint ("0.5, 1", FALSE),
                    " (several values are separated by semicolons: 2; 4; 8)");
  cr_assert_str_eq (assay_text_value_hint ("seven", FALSE), "");
}

Test (text, counts_and_bytes)
{
  g_autofree char *small = assay_text_count (999), *thousand = assay_text_count (1000);
  g_autofree char *large = assay_text_count (G_MAXUINT64), *zero = assay_text_count (0);
  g_autofree char *bytes = assay_text_bytes (G_GUINT64_CONSTANT (3) << 29);

  cr_assert_str_eq (zero, "0");
  cr_assert_str_eq (small, "999");
  cr_assert_str_eq (thousand, "1,000");
  cr_assert_str_eq (large, "18,446,744,073,709,551,615");
  cr_assert (strncmp (bytes, "1.5", 3) == 0 && strstr (bytes, "GiB") != NULL, "%s", bytes);
}

Test (text, bytes_are_read_in_binary_units)
{
  static const struct {
    const char *text;
    guint64 bytes;
  } good[] = { { "0", 0 },
               { "4096", 4096 },
               { "7B", 7 },
               { "512K", 512 << 10 },
               { "64MiB", 64 << 20 },
               { "1.5 GiB", G_GUINT64_CONSTANT (3) << 29 },
               { "2TiB", G_GUINT64_CONSTANT (2) << 40 } };
  static const char *const bad[]
      = { "",      "much", "-1",  "+1",  "512MB",    "512mib",
          "1e3",   "1KB",  "1 2", "1Gi", "1GiBs",    "GiB",
          "1.2.3", "1  K", ".",   "nan", "8388608T", "99999999999999999999" };
  guint64 bytes = 77;

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    cr_assert (assay_text_to_bytes (good[i].text, &bytes) && bytes == good[i].bytes, "'%s' is %d",
               good[i].text, (int) bytes);
  bytes = 77;
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    cr_assert (!assay_text_to_bytes (bad[i], &bytes) && bytes == 77, "'%s' is %d", bad[i],
               (int) bytes);
}

Test (text, what_is_shown_of_others_words)
{
  /* Letters, joiners, selectors of emoji, Arabic signs above numbers; both ends of ranges. */
  static const gunichar shown[]
      = { 'a',    ' ',    0xA0,   0xAC,   0xAE,   0x600,  0x605,  0x6DD,   0x627,  0x180B,
          0x180F, 0x200A, 0x200C, 0x200D, 0x2010, 0x2027, 0x202F, 0x205F,  0x2070, 0x3163,
          0xFDCF, 0xFDF0, 0xFE0E, 0xFE0F, 0xFEFE, 0xFF1D, 0xFFFD, 0x1F525, 0xE1000 };
  static const gunichar not_shown[]
      = { 0,       0x1B,    0x7F,    0x9B,    0xAD,    0x34F,   0x61C,   0x115F,  0x1160,
          0x17B5,  0x180E,  0x200B,  0x200E,  0x200F,  0x2028,  0x202E,  0x2060,  0x206F,
          0x3164,  0xFDD0,  0xFE00,  0xFE0D,  0xFEFF,  0xFFA0,  0xFFF0,  0xFFFB,  0xFFFE,
          0x1BCA0, 0x1D17A, 0x1FFFF, 0xE0001, 0xE0041, 0xE0100, 0xE01EF, 0xE0FFF, 0x10FFFE };

  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    cr_assert (assay_text_is_shown (shown[i]), "U+%04X", shown[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (not_shown); i++)
    cr_assert (!assay_text_is_shown (not_shown[i]), "U+%04X", not_shown[i]);
}

Test (text, commands_of_ci_systems_are_broken)
{
  static const char *const texts[][2] = {
    { "::error::x", ": :error::x" },
    { "\342\200\213 ::error::x", "  : :error::x" }, /* behind a blank of no width */
    { "said ::stop-commands::", "said : :stop-commands::" },
    { ":::x", ": : :x" },
    { "std::vector", "std::vector" },
    { "a##[b]", "a# #[b]" },
    { "###vso[task.x]", "## #vso[task.x]" },
    { "## heading", "## heading" },
    { "##", "##" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *plain = assay_text_plain (texts[i][0]);

    cr_assert_str_eq (plain, texts[i][1]);
  }
}

Test (text, lines_stay_lines)
{
  g_autofree char *plain = assay_text_plain_lines ("a\033[2J\n\n::b\377\n");

  cr_assert_str_eq (plain, "a [2J\n\n: :b\357\277\275\n");
}
