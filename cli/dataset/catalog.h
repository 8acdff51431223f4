/* The catalogue of data sets: where their authors publish which files. datasets/catalog.ini says
 * how it is written. */
#pragma once

#include "runner/plan/scenario.h"

typedef struct {
  const char *name; /* of the file on disk: plain, without folders */
  const char *url;  /* http, https or ftp */
  guint64 size;     /* without a sha256 the most that it may have */
  char *sha256;     /* lower case; NULL: not established */
  char **unpack;    /* members of a .tar.gz, or NULL */
} CatalogFile;

typedef struct {
  const char *name, *title, *page, *licence, *citation;
  const char *note;   /* or NULL */
  const char *folder; /* below --out */
  GPtrArray *files;   /* of CatalogFile */
} CatalogSet;

typedef struct {
  AssayScenario *text; /* which names and texts are of */
  GPtrArray *sets;     /* in the order of the file */
} Catalog;

/* datasets/catalog.ini, built in. */
extern const char cli_catalog_text[];

/* ASSAY_ERROR_DATA or ASSAY_ERROR_SCENARIO: "PATH:LINE: what". */
Catalog *cli_catalog_parse (const char *path, const char *text, GError **error);
Catalog *cli_catalog_load (const char *path, GError **error);
void cli_catalog_free (Catalog *catalog);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Catalog, cli_catalog_free)

/* ASSAY_ERROR_DATA with the nearest name where there is no such set. */
const CatalogSet *cli_catalog_find (const Catalog *catalog, const char *name, GError **error);
