/* See the header; tests/meson.build sets the variable. */
#include "tests/unit/seeds.h"

guint64
test_seeds (guint64 usual)
{
  const char *text = g_getenv ("ASSAY_TEST_SEEDS");

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : usual;
}

gboolean
test_is_brief (void)
{
  return test_seeds (3) < 3;
}
