/* An assertion on a number, with the tolerance that the test derives and a message that names the
 * case. */
#pragma once

#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>

#define assert_near(found, expected, tolerance, ...)                                              \
  do {                                                                                            \
    const double found_ = (found), expected_ = (expected);                                        \
                                                                                                  \
    cr_assert (fabs (found_ - expected_) <= (tolerance), "%s: %.17g instead of %.17g",            \
               g_strdup_printf (__VA_ARGS__), found_, expected_);                                 \
  } while (0)
