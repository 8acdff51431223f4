/* assay dataset fetch: files of public data sets, from where their authors publish them. */
#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "cli/cli.h"
#include "cli/dataset/catalog.h"
#include "cli/dataset/dataset.h"
#include "cli/dataset/download.h"
#include "cli/dataset/transfer.h"
#include "config.h"
#include "core/base/error.h"
#include "core/base/text.h"

#define DEFAULT_TIMEOUT_S 60
#define MAX_TIMEOUT_S 86400

/* ---- The list ---- */

static void
print_list (const Catalog *catalog)
{
  guint width = 0;

  for (guint i = 0; i < catalog->sets->len; i++)
    width = MAX (width, (guint) strlen (((const CatalogSet *) catalog->sets->pdata[i])->name));
  ASSAY_FOR_EACH (const CatalogSet, set, catalog->sets) {
    g_autofree char *bytes = NULL;
    gboolean is_verified = TRUE;
    guint64 size = 0;

    ASSAY_FOR_EACH (const CatalogFile, file, set->files) {
      size += file->size;
      is_verified = is_verified && file->sha256 != NULL;
    }
    bytes = assay_text_bytes (size);
    g_print ("%-*s  %9s  %-10s  %s\n", (int) width, set->name, bytes,
             is_verified ? "verified" : "unverified", set->title);
  }
}

static void
print_set (const CatalogSet *set)
{
  g_print ("%s\n  page      %s\n  licence   %s\n  cite      %s\n", set->title, set->page,
           set->licence, set->citation);
  if (set->note != NULL)
    g_print ("  note      %s\n", set->note);
}

/* ---- Fetching ---- */

static void
print_outcome (const CatalogFile *file, const CliDownload *download)
{
  if (file->sha256 != NULL)
    g_print ("%s: %s, and its sha256 fits\n", download->path,
             download->was_there ? "was there" : "fetched");
  else
    g_print ("%s: NOT verified; its sha256 is\n  %s\n"
             "  Compare it with what the authors say. With 'sha256 = ...' and its size in a\n"
             "  catalogue of your own (--catalog), %s is verified%s.\n",
             download->path, download->sha256, file->name,
             file->unpack != NULL ? " and unpacked" : "");
}

static gboolean
fetch_file (const CatalogFile *file, const char *folder, const CliDownloadOptions *options,
            GError **error)
{
  g_auto (CliDownload) download = { 0 };

  if (!cli_download (file, folder, options, &download, error))
    return FALSE;
  print_outcome (file, &download);
  if (file->unpack == NULL || file->sha256 == NULL)
    return TRUE;
  if (!cli_unpack (download.path, (const char *const *) file->unpack, folder, options->may_replace,
                   error))
    return FALSE;
  for (guint i = 0; file->unpack[i] != NULL; i++) {
    g_autofree char *base = g_path_get_basename (file->unpack[i]);

    g_print ("  %s%c%s\n", folder, G_DIR_SEPARATOR, base);
  }
  return TRUE;
}

static gboolean
fetch_set (const CatalogSet *set, const char *out, const CliDownloadOptions *options,
           GError **error)
{
  g_autofree char *folder = g_build_filename (out, set->folder, NULL);

  print_set (set);
  if (g_mkdir_with_parents (folder, 0777) != 0)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: the folder cannot be made: %s", folder,
                       g_strerror (errno));
  for (guint i = 0; i < set->files->len; i++)
    if (!fetch_file (set->files->pdata[i], folder, options, error))
      return FALSE;
  return TRUE;
}

static gboolean
fetch (char **names, const char *catalog_path, const char *out, const CliDownloadOptions *options,
       GError **error)
{
  g_autoptr (Catalog) catalog = catalog_path != NULL
                                    ? cli_catalog_load (catalog_path, error)
                                    : cli_catalog_parse ("catalog.ini", cli_catalog_text, error);

  if (catalog == NULL)
    return FALSE;
  if (*names == NULL)
    print_list (catalog);
  /* All names before the first download. */
  for (char **name = names; *name != NULL; name++)
    if (cli_catalog_find (catalog, *name, error) == NULL)
      return FALSE;
  cli_catch_interrupts ();
  for (char **name = names; *name != NULL; name++)
    if (!fetch_set (cli_catalog_find (catalog, *name, NULL), out, options, error))
      return FALSE;
  return TRUE;
}

static char *out, *catalog;
static int timeout_s = DEFAULT_TIMEOUT_S;
static CliDownloadOptions options;

static const GOptionEntry entries[]
    = { { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out,
          "Where the files go (default: ASSAY_DATA, or here)", "DIR" },
        { "catalog", 0, 0, G_OPTION_ARG_FILENAME, &catalog,
          "Another catalogue than the one built in", "FILE" },
        { "accept-unverified", 0, 0, G_OPTION_ARG_NONE, &options.accepts_unverified,
          "Fetch files whose sha256 is not known, too", NULL },
        { "timeout", 0, 0, G_OPTION_ARG_INT, &timeout_s, "Seconds in which nothing comes (60)",
          "N" },
        { "force", 'f', 0, G_OPTION_ARG_NONE, &options.may_replace,
          "Replace files that are there and do not fit", NULL },
        G_OPTION_ENTRY_NULL };

static int
fetch_all (G_GNUC_UNUSED int n, char **words)
{
  const char *data = g_getenv ("ASSAY_DATA");
  const char *place = out != NULL ? out : data != NULL && *data != '\0' ? data : ".";
  g_autoptr (GError) error = NULL;

  if (timeout_s < 1 || timeout_s > MAX_TIMEOUT_S)
    return cli_refuse ("--timeout %d: expected 1 to %d seconds", timeout_s, MAX_TIMEOUT_S);
  options.timeout_s = (guint) timeout_s;
  return fetch (words, catalog, place, &options, &error) ? EXIT_OK : cli_fail (error);
}

const CliUsage cli_dataset_fetch = {
  .parameters = "[SET...]",
  .summary = "Files of public data sets, from where their authors publish them. Without\n"
             "SET: what there is.",
  .description = "A file has its name only after its sha256 was found to fit. What has come so\n"
                 "far is kept as NAME.part, and the same command goes on from there.\n\nExample:\n"
                 "  assay dataset fetch fashion-mnist --out data\n",
  .entries = entries,
  .max_words = CLI_ANY_NUMBER,
  .run = fetch_all,
};
