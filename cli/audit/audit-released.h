/* A release that exists already, beside its secrets, in place of a program that makes one: what the
 * customer of a vendor has (assay audit --released). */
#pragma once

#include "cli/audit/audit-data.h"

/* What was released of each row of @data, from any file that rows come from. ASSAY_ERROR_DATA: it
 * has another number of rows. */
AssayMatrix *cli_audit_released_read (const char *file, const CliAuditData *data, GError **error);

/* Where deviations of columns differ as those of units do, divides them by powers of two, in rows
 * and release alike: both are the same numbers in other units. A release with columns of its own
 * has units of its own. Sets @ret_is_scaled. */
gboolean cli_audit_released_scale (AssayMatrix **inout_rows, AssayMatrix **inout_released,
                                   gboolean *ret_is_scaled, GError **error);

/* Lays the release out in the folder: "release", of the private rows in their order, is attacked;
 * "pairs" are the public rows beside what was released of them. All private rows are one trial. */
gboolean cli_audit_released_write (const char *folder, const AssayMatrix *released,
                                   const AssayMatrix *public_rows, const CliAuditSplit *split,
                                   GError **error);
