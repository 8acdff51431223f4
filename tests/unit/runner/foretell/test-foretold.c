/* What is said of a forecast: how sure it is, too. */
#include <criterion/criterion.h>

#include "runner/foretell/foretold.h"

static void
expect (AssayForetold foretold, const char *text)
{
  g_autofree char *said = assay_foretold_describe (&foretold);

  cr_assert_str_eq (said, text);
}

Test (foretold, in_words)
{
  AssayForetold foretold
      = { .least = 180, .seconds = 182, .work = 301, .took = 20.2, .share = 1.0 / 16, .kinds = 4 };

  expect (foretold, "about 3 min (5 min of processors); "
                    "parts of up to 1/16 of each cell were played in 20 s");
  foretold.share = 1;
  foretold.least = foretold.seconds = foretold.work = 0.3;
  expect (foretold, "about a second (a second of processors); "
                    "parts of up to all of each cell were played in 20 s");
}

Test (foretold, what_is_not_known_is_said)
{
  AssayForetold foretold
      = { .least = 12, .seconds = 7200, .took = 20, .kinds = 4, .first = (char *) "a of b" };

  expect (foretold, "between 12 s and 2 h: there was time in 20 s to play parts of one size "
                    "alone, which do not tell what grows with the size");
  foretold.missing = 3;
  expect (foretold, "more than 12 s: of 4 kinds of cells 3 had no part that ended well within "
                    "20 s, the first of them a of b");
  foretold.missing = 4;
  expect (foretold, "not known, more than 20 s: no part of any cell ended by then");
}
