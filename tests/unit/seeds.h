/* How many seeds a test of random things is played with. */
#pragma once

#include <criterion/criterion.h>
#include <glib.h>

/* @usual, or ASSAY_TEST_SEEDS: many in the long tier, one with the sanitizers. */
guint64 test_seeds (guint64 usual);

/* With the sanitizers: every line is to be run, but not often. */
gboolean test_is_brief (void);

/* Stands first in a test of how often something happens, which repeats what other tests call too:
 * with the sanitizers it is skipped. */
#define TEST_OF_CHANCE()                                                                           \
  do {                                                                                             \
    if (test_is_brief ())                                                                          \
      cr_skip_test ("of chance: not with so few seeds");                                           \
  } while (0)

/* The same of a test that compares what others call too: by other threads, or for a broken one. */
#define TEST_OF_RESULTS()                                                                          \
  do {                                                                                             \
    if (test_is_brief ())                                                                          \
      cr_skip_test ("of results: what it calls is called by others");                              \
  } while (0)
