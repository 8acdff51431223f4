/* The catalogue of data sets: where their authors publish which files. datasets/catalog.ini says
 * how it is written: a group [NAME] for a set, and groups [NAME FILE] for its files. */
#pragma once

#include "runner/plan/scenario.h"

/* A group of a file; its texts belong to the catalogue. */
typedef struct {
  const char *name;   /* of the file on disk: plain, without folders */
  const char *url;    /* http, https or ftp */
  const char *sha256; /* lower case; NULL: not established */
  guint64 size;       /* without a sha256 the most that it may have */
} CatalogFile;

/* Reads @path, or the catalogue that is built in (NULL). ASSAY_ERROR_DATA or ASSAY_ERROR_SCENARIO:
 * "PATH:LINE: what". */
AssayScenario *cli_catalog_load (const char *path, GError **error);

/* The text of @key, or NULL where it does not stand there. */
const char *cli_catalog_text (const AssayGroup *group, const char *key);
/* Groups [NAME FILE] of [NAME]. */
GPtrArray *cli_catalog_files (const AssayGroup *set);
CatalogFile cli_catalog_file (const AssayGroup *group);
/* The members of a .tar.gz that are taken out of it, as FOLDER/NAME; NULL: none. */
char **cli_catalog_members (const AssayGroup *group);
