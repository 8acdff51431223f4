/* How many seeds a test of random things is played with. */
#pragma once

#include <criterion/criterion.h>
#include <glib.h>

/* @usual, or ASSAY_TEST_SEEDS: many in the long tier, two with the sanitizers. */
guint64 test_seeds (guint64 usual);

/* Stands first in a test of how often something happens, which repeats what other tests call too.
 * With the sanitizers every line is to be run, but not often: there it is skipped. */
#define TEST_OF_CHANCE()                                                                           \
  do {                                                                                             \
    if (test_seeds (3) < 3)                                                                        \
      cr_skip_test ("of chance: not with so few seeds");                                           \
  } while (0)
