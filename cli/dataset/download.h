/* A file of the catalogue on this disk: there whole and verified, or not under its name. */
#pragma once

#include "cli/dataset/catalog.h"

G_BEGIN_DECLS

typedef enum {
  CLI_DOWNLOAD_WAS_THERE, /* and its sha256 fits */
  CLI_DOWNLOAD_FETCHED,   /* and its sha256 fits */
  CLI_DOWNLOAD_UNVERIFIED,
} CliDownloadOutcome;

typedef struct {
  guint timeout_s;
  gboolean may_replace;
  gboolean accepts_unverified;
} CliDownloadOptions;

/* Brings @file to @folder, which exists. @ret_path is where it is: without a sha256 in the
 * catalogue its name ends in ".unverified". @ret_sha256 is that of what is there.
 *
 * What has come is kept as "NAME.part", on which the next call goes on; what has come whole and has
 * another sha256 as "NAME.wrong". Where another process fetches the same file, and for what
 * cli_transfer reports, an error. */
gboolean cli_download (const CatalogFile *file, const char *folder,
                       const CliDownloadOptions *options, CliDownloadOutcome *ret_outcome,
                       char **ret_path, char **ret_sha256, GError **error);

G_END_DECLS
