/* The folder of an audit: what is written into it, and taken back. */
#pragma once

#include "cli/audit/audit-data.h"

/* @out, or a name in assay-out. Nothing that is there is replaced: audits of defense @id on @data
 * get numbers. ASSAY_ERROR_DATA: @out is there already. */
char *cli_audit_choose_folder (const char *out, const char *id, const char *data, GError **error);

/* Writes the @n rows that @numbers name, and what is known of them, as files of @role; returns the
 * rows. */
AssayMatrix *cli_audit_write_part (const char *folder, const char *role, const CliAuditData *data,
                                   const gsize *numbers, gsize n, GError **error);

/* Removes them: what was written of an audit that cannot be run is of no use. */
void cli_audit_take_back (const char *folder);
