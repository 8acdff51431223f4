/* What a release is made of. */
#include "runner/run/terms.h"

AssayRunPosition
assay_release_terms_position (const AssayReleaseTerms *terms, gsize repeat)
{
  return (AssayRunPosition){ .folders = (const char *const *) terms->plan->folders,
                             .trial = terms->is_tuning ? 0 : terms->cell->trial,
                             .repeat = repeat,
                             .defense = assay_plan_defense (terms->plan, terms->cell)->name,
                             .is_tuning = terms->is_tuning };
}

AssayStreamKey
assay_release_terms_stream (const AssayReleaseTerms *terms, const char *format, ...)
{
  AssayCell keyed = *terms->cell;
  g_autofree char *role = NULL;
  g_autofree char *name = NULL;
  va_list words;

  va_start (words, format);
  role = g_strdup_vprintf (format, words);
  va_end (words);
  name = g_strconcat (terms->is_tuning ? "tune-" : "", role, NULL);
  if (terms->is_tuning)
    keyed.trial = 0;
  return assay_plan_stream (terms->plan, &keyed, name, NULL);
}
