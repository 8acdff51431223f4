/* Pieces of a scenario, as text. */
#pragma once

#include "core/plugin/plugin.h"

/* The value of a setting that must be given. */
#define CLI_GAP "FILL_IN"

/* Lines that begin with "# " and end before the last column. */
void cli_append_comment (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* A group [defense ID] of @settings, with what is to be known of each. */
void cli_append_defense (GString *text, const AssayDefense *defense, const AssaySettings *settings);
