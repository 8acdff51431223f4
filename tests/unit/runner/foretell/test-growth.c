/* What is carried on from small parts to the full size. */
#include <criterion/criterion.h>
#include <math.h>

#include "runner/foretell/growth.h"

static double
foretell (double small_share, double small, double large_share, double large)
{
  const AssayPlayed played[] = { { small_share, small }, { large_share, large } };

  return assay_growth_foretell (played, 2, 1, 3);
}

Test (growth, what_grows_is_told_from_what_does_not)
{
  /* 3 s beside 16 s of the full work. */
  cr_assert_float_eq (foretell (1.0 / 16, 4, 0.25, 7), 19, 1e-9);
  cr_assert_float_eq (foretell (1.0 / 64, 2, 1.0 / 16, 2), 2, 1e-9, "nothing grows");
  cr_assert_float_eq (foretell (1.0 / 64, 2, 1.0 / 16, 1), 1, 1e-9, "it never falls");
}

Test (growth, faster_than_the_size)
{
  /* 8 s of the square of the size. */
  cr_assert_float_eq (foretell (1.0 / 16, 8.0 / 256, 0.25, 0.5), 8, 1e-9);
  cr_assert_float_eq (foretell (0.25, 0.1, 0.5, 10), 80, 1e-9, "not steeper than the cube");
  cr_assert_float_eq (
      assay_growth_foretell ((const AssayPlayed[]){ { 0.25, 0.1 }, { 0.5, 10 } }, 2, 1, 1), 20,
      1e-9, "what cannot be steeper grows with the size");
  /* Two clock ticks may look like any power. */
  cr_assert_lt (foretell (1.0 / 64, 1e-6, 1.0 / 16, 1e-3), 0.03);
}

Test (growth, the_last_two_count)
{
  const AssayPlayed played[] = { { 1.0 / 64, 9 }, { 1.0 / 16, 1 }, { 0.25, 1.75 } };

  cr_assert_float_eq (assay_growth_foretell (played, 3, 1, 2), 4.75, 1e-9);
  cr_assert_float_eq (assay_growth_foretell (played, 3, 0.5, 2), 2.75, 1e-9);
}

/* 8 s of the square of the size, of which one part took longer than it should have. */
Test (growth, the_lower_power_of_three_counts)
{
  const AssayPlayed played[] = { { 1.0 / 16, 8.0 / 256 }, { 0.25, 0.5 }, { 0.5, 4 } };

  cr_assert_float_eq (assay_growth_foretell (played, 3, 1, 3), 16, 1e-9);
}

Test (growth, of_one_alone_everything_grows)
{
  const AssayPlayed played[] = { { 0.25, 3 }, { 0.25, 5 } };

  cr_assert_float_eq (assay_growth_foretell (played, 1, 1, 2), 12, 1e-9);
  cr_assert_float_eq (assay_growth_foretell (played, 2, 1, 2), 5, 1e-9,
                      "it cannot be made smaller");
}
