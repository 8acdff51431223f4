#include <criterion/criterion.h>

#include "core/base/each.h"

/* Each place of each size of range is found, the ends too. */
Test (each, finds_the_first_that_does_not_stand_before)
{
  for (gsize n = 0; n < 9; n++)
    for (gsize place = 0; place <= n; place++) {
      gsize low = 0, high = n;

      ASSAY_BISECT (gsize, i, low, high, i < place)
      cr_assert_eq (low, place, "%zu of %zu", place, n);
    }
}

Test (each, ends_between_neighbours)
{
  for (guint place = 0; place < 9; place++) {
    guint low = 0, high = 9;

    ASSAY_BISECT_BETWEEN (guint, i, low, high, i <= place)
    cr_assert (low == place && high == place + 1, "%u: %u, %u", place, low, high);
  }
}

Test (each, halves_a_range_of_doubles)
{
  double low = 0, high = 8;

  ASSAY_BISECT_REAL (3, x, low, high, x * x < 27)
  cr_assert (low == 5 && high == 6, "%g, %g", low, high);
}
