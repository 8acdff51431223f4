/* What was foretold of a run, in words. */
#include "runner/foretell/foretold.h"

void
assay_foretold_clear (AssayForetold *foretold)
{
  g_clear_pointer (&foretold->first, g_free);
}

static char *
duration (double seconds)
{
  if (seconds < 1)
    return g_strdup ("a second");
  if (seconds < 100)
    return g_strdup_printf ("%.0f s", seconds);
  return seconds < 100 * 60 ? g_strdup_printf ("%.0f min", seconds / 60)
                            : g_strdup_printf ("%.0f h", seconds / 3600);
}

char *
assay_foretold_describe (const AssayForetold *foretold)
{
  g_autofree char *least = duration (foretold->least);
  g_autofree char *seconds = duration (foretold->seconds);
  g_autofree char *work = duration (foretold->work);
  g_autofree char *took = duration (foretold->took);
  g_autofree char *share = foretold->share >= 1   ? g_strdup ("all")
                           : foretold->share <= 0 ? g_strdup ("less than 1/64")
                                                  : g_strdup_printf ("1/%.0f", 1 / foretold->share);

  if (foretold->missing == foretold->kinds)
    return g_strdup_printf ("not known, more than %s: no part of any cell ended by then", took);
  if (foretold->missing > 0)
    return g_strdup_printf ("more than %s: of %u kinds of cells %u had no part that ended well "
                            "within %s, the first of them %s",
                            least, foretold->kinds, foretold->missing, took, foretold->first);
  if (foretold->seconds > 2 * foretold->least)
    return g_strdup_printf ("between %s and %s: there was time in %s to play parts of one size "
                            "alone, which do not tell what grows with the size",
                            least, seconds, took);
  return g_strdup_printf ("about %s (%s of processors); parts of up to %s of each cell were played "
                          "in %s",
                          seconds, work, share, took);
}
