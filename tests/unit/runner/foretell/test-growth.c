/* What is carried on from small parts to the full size. */
#include <criterion/criterion.h>
#include <math.h>

#include "runner/foretell/growth.h"

/* Seconds at @share of what costs @fixed, @factor at the full size, and grows with @power. */
typedef struct {
  double fixed, factor, power;
} Cost;

static double
seconds_at (Cost cost, double share)
{
  return cost.fixed + cost.factor * pow (share, cost.power);
}

/* What is foretold from a 64th, a 16th and, of three, a quarter; over the truth. */
static double
ratio (Cost cost, guint n, double steepest)
{
  AssayPlayed played[3] = { { 1.0 / 64, 0 }, { 1.0 / 16, 0 }, { 0.25, 0 } };

  for (guint i = 0; i < n; i++)
    played[i].seconds = seconds_at (cost, played[i].share);
  return assay_growth_foretell (played, n, 1, steepest) / seconds_at (cost, 1);
}

Test (growth, three_sizes_show_what_is_fixed_and_how_the_rest_grows)
{
  const Cost costs[] = {
    { 0, 16, 1 }, { 3, 16, 1 },  { 2, 0, 1 },   { 0, 8, 2 },    { 0.5, 8, 2 },
    { 1, 16, 2 }, { 0, 4, 1.5 }, { 0, 4, 0.5 }, { 0, 4, 0.25 }, { 1, 4, 0.5 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (costs); i++) {
    const double found = ratio (costs[i], 3, 2);

    cr_assert (found > 0.5 && found < 1.1, "%g + %g s^%g: %g times the truth", costs[i].fixed,
               costs[i].factor, costs[i].power, found);
  }
}

Test (growth, two_sizes_are_within_a_factor_of_two)
{
  const Cost costs[] = { { 0, 16, 1 }, { 3, 16, 1 },  { 2, 0, 1 },    { 0, 32, 2 },
                         { 9, 9, 1 },  { 0, 4, 0.5 }, { 0, 4, 0.75 }, { 0, 4, 0.9 } };

  for (gsize i = 0; i < G_N_ELEMENTS (costs); i++) {
    const double found = ratio (costs[i], 2, 2);

    cr_assert (found > 0.5 && found < 2, "%g + %g s^%g: %g times the truth", costs[i].fixed,
               costs[i].factor, costs[i].power, found);
  }
}

/* Of 64 s that grow with the size, and of 2 s that do not, one part took a fifth longer. */
Test (growth, one_part_that_took_longer_does_not_double_it)
{
  for (guint slow = 0; slow < 3; slow++) {
    AssayPlayed linear[] = { { 1.0 / 64, 1 }, { 1.0 / 16, 4 }, { 0.25, 16 } };
    AssayPlayed fixed[] = { { 1.0 / 64, 2 }, { 1.0 / 16, 2 }, { 0.25, 2 } };
    double found;

    linear[slow].seconds *= 1.2;
    fixed[slow].seconds *= 1.2;
    found = assay_growth_foretell (linear, 3, 1, 2);
    cr_assert (found > 40 && found < 100, "%g s of 64", found);
    found = assay_growth_foretell (fixed, 3, 1, 2);
    cr_assert (found >= 2 && found < 4, "%g s of 2", found);
  }
}

Test (growth, no_steeper_than_is_allowed)
{
  const AssayPlayed two[] = { { 0.25, 0.1 }, { 0.5, 10 } };

  cr_assert_float_eq (assay_growth_foretell (two, 2, 1, 3), 80, 1e-9, "the cube");
  cr_assert_float_eq (assay_growth_foretell (two, 2, 1, 1), 20, 1e-9, "the size");
  cr_assert_lt (ratio ((Cost){ 0, 8, 2 }, 3, 1), 0.35, "runs of an audit do not multiply");
  /* Two clock ticks may look like any power. */
  cr_assert_lt (assay_growth_foretell (
                    (const AssayPlayed[]){ { 1.0 / 64, 1e-6 }, { 1.0 / 16, 1e-3 } }, 2, 1, 3),
                0.03);
}

Test (growth, it_never_falls)
{
  const AssayPlayed falls[] = { { 1.0 / 64, 9 }, { 1.0 / 16, 4 }, { 0.25, 1 } };

  cr_assert_float_eq (assay_growth_foretell (falls, 3, 1, 2), 1, 1e-9);
  cr_assert_float_eq (assay_growth_foretell (falls, 2, 1, 2), 4, 1e-9);
  cr_assert_float_eq (assay_growth_foretell (falls, 3, 0.25, 2), 1, 1e-9, "what was played");
}

Test (growth, of_one_size_alone_everything_grows)
{
  const AssayPlayed same[] = { { 0.25, 3 }, { 0.25, 5 } };
  const AssayPlayed whole[] = { { 1, 3 }, { 1, 5 } };

  cr_assert_float_eq (assay_growth_foretell (same, 1, 1, 2), 12, 1e-9);
  cr_assert_float_eq (assay_growth_foretell (same, 2, 1, 2), 20, 1e-9, "the last counts");
  cr_assert_float_eq (assay_growth_foretell (whole, 2, 1, 2), 5, 1e-9, "it cannot be made smaller");
}
