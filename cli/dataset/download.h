/* A file of the catalogue on this disk: there whole and verified, or not under its name. */
#pragma once

#include "cli/dataset/catalog.h"

typedef struct {
  guint timeout_s;
  gboolean may_replace;
  gboolean accepts_unverified;
} CliDownloadOptions;

typedef struct {
  char *path;   /* without a sha256 in the catalogue its name ends in ".unverified" */
  char *sha256; /* of what is there */
  gboolean was_there;
} CliDownload;

void cli_download_clear (CliDownload *download);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CliDownload, cli_download_clear)

/* Brings @file to @folder, which exists.
 *
 * What has come is kept as "NAME.part", on which the next call goes on; what has come whole and has
 * another sha256 as "NAME.wrong". Where another process fetches the same file, and for what
 * cli_transfer reports, an error. */
gboolean cli_download (const CatalogFile *file, const char *folder,
                       const CliDownloadOptions *options, CliDownload *ret_download,
                       GError **error);
