/* A scenario to begin with, for one defense: what `assay init` writes. */
#pragma once

#include "core/plugin/plugin.h"

/* The text of a scenario in which @defense meets generated data that suits it, every attack and
 * utility that can be played on its release there, and a claim for each measure. What can be played
 * is not guessed: the planner is asked. A defense with a setting that must be given has FILL_IN in
 * its place, @ret_has_gaps. @given: settings other than the defaults, "SETTING=VALUE"; NULL: none.
 * ASSAY_ERROR_MISMATCH where no generated data suits it, ASSAY_ERROR_PARAMETER for settings that it
 * does not have. */
char *assay_starter_new (const AssayDefense *defense, const char *const *given,
                         gboolean *ret_has_gaps, GError **error);

/* Lines that begin with "# " and end before the last column. */
void cli_append_comment (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* A group [defense ID] of @settings, with what is to be known of each. */
void cli_append_defense (GString *text, const AssayDefense *defense, const AssaySettings *settings);
