/* The catalogue of data sets: where their authors publish which files. datasets/catalog.ini says
 * how it is written. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  char *name;    /* of the file on disk: plain, without folders */
  char *url;     /* http, https or ftp */
  char *sha256;  /* lower case; NULL: not established */
  guint64 size;  /* without a sha256 the most that it may have */
  char **unpack; /* members of a .tar.gz, or NULL */
  guint line;
} CatalogFile;

typedef struct {
  char *name, *title, *page, *licence, *citation;
  char *note;       /* or NULL */
  char *folder;     /* below --out */
  GPtrArray *files; /* of CatalogFile */
  guint line;
} CatalogSet;

typedef struct {
  GPtrArray *sets; /* in the order of the file */
} Catalog;

/* datasets/catalog.ini, built in. */
extern const char cli_catalog_text[];

/* ASSAY_ERROR_DATA: "PATH:LINE: what". */
Catalog *cli_catalog_parse (const char *path, const char *text, GError **error);
Catalog *cli_catalog_load (const char *path, GError **error);
void cli_catalog_free (Catalog *catalog);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Catalog, cli_catalog_free)

/* ASSAY_ERROR_DATA with the nearest name where there is no such set. */
const CatalogSet *cli_catalog_find (const Catalog *catalog, const char *name, GError **error);

G_END_DECLS
