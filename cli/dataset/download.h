/* A file of the catalogue on this disk: there whole and verified, or not under its name. */
#pragma once

#include "cli/dataset/catalog.h"

typedef struct {
  guint timeout_s; /* for connecting, and for pauses in what comes */
  gboolean may_replace;
  gboolean accepts_unverified;
} CliDownloadOptions;

typedef struct {
  char *path;   /* without a sha256 in the catalogue its name ends in ".unverified" */
  char *sha256; /* of what is there */
  gboolean was_there;
} CliDownload;

ASSAY_DECLARE_CLEAR (CliDownload, cli_download_clear)

/* Brings @file to @folder, which exists.
 *
 * What has come is kept as "NAME.part", on which the next call goes on; what has come whole and has
 * another sha256 as "NAME.wrong". Where another process fetches the same file, and for what
 * cli_transfer reports, an error. */
gboolean cli_download (const CatalogFile *file, const char *folder,
                       const CliDownloadOptions *options, CliDownload *ret_download,
                       GError **error);

/* By libcurl: appends to @fd, which holds the first @have bytes of @file, what lacks; or begins
 * again where the server cannot go on. On an error the file keeps what has come: ASSAY_ERROR_DATA
 * (the address is wrong, or what is there is not what was expected), ASSAY_ERROR_IO (it may work
 * another time), ASSAY_ERROR_CANCELLED. */
gboolean cli_transfer (const CatalogFile *file, int fd, guint64 have, guint timeout_s,
                       GError **error);

/* By libarchive: writes each of @members that is no file in @folder yet (with @may_replace: each)
 * to @folder, under its base name; no name in the archive decides where anything is written.
 * ASSAY_ERROR_DATA: no archive, or without one of them; ASSAY_ERROR_IO. */
gboolean cli_unpack (const char *archive, char **members, const char *folder, gboolean may_replace,
                     GError **error);
