/* How many seeds a test of random things is played with. */
#pragma once

#include <glib.h>

/* @usual, or in the long tier ASSAY_TEST_SEEDS. */
guint64 test_seeds (guint64 usual);
