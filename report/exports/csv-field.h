/* Fields of a CSV file (RFC 4180), with the commas between them. The first of a line is not empty.
 */
#pragma once

#include <glib.h>

void assay_csv_field (GString *text, const char *value);
/* As results.json has it; empty where there is no number, or no bound. */
void assay_csv_number (GString *text, double value);
