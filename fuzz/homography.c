/* Fuzz target: homography files. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "datasets/photographs/homography-file.h"

/* Nine numbers printed exactly are the same matrix. */
static void
check_written (const double h[9])
{
  g_autoptr (GString) text = g_string_new (NULL);
  double again[9];

  for (gsize i = 0; i < 9; i++) {
    g_autofree char *number = assay_text_number (h[i]);

    g_string_append_printf (text, "%s%s", number, i % 3 == 2 ? "\n" : " ");
  }
  fuzz_files_add ("again", text->str, text->len);
  FUZZ_REQUIRE (assay_homography_read ("again", again, NULL));
  for (gsize i = 0; i < 9; i++)
    FUZZ_REQUIRE (again[i] == h[i]);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const double untouched[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  g_autoptr (GError) error = NULL;
  double h[9];
  gboolean is_ok;

  memcpy (h, untouched, sizeof h);
  fuzz_files_add ("H1to2p", data, size);
  is_ok = assay_homography_read ("H1to2p", h, &error);
  fuzz_check_outcome (is_ok, error);
  FUZZ_REQUIRE (is_ok || memcmp (h, untouched, sizeof h) == 0);
  FUZZ_REQUIRE (is_ok || g_utf8_validate (error->message, -1, NULL));
  for (gsize i = 0; i < 9; i++)
    FUZZ_REQUIRE (isfinite (h[i]));
  if (is_ok)
    check_written (h);
  fuzz_files_forget ();
  return 0;
}
