/* Fuzz target: formulas of events, which a witness hands to Python. What is accepted holds none of
 * the characters that a program would need beyond arithmetic. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "runner/store/formula.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const never[]
      = { "import", "eval", "exec", "open", "__", "lambda", "**",    "<<",     "\"",
          "'",      "#",    "@",    "\\",   ";",  "%",      "while", "getattr" };
  FuzzInput input = { data, size };
  g_autofree char *text = fuzz_take_text (&input, '\0');

  if (!assay_formula_is_plain (text))
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (never); i++)
    FUZZ_REQUIRE (strstr (text, never[i]) == NULL);
  FUZZ_REQUIRE (g_str_is_ascii (text));
  return 0;
}
