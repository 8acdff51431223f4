/* assay dataset fetch: files of public data sets, from where their authors publish them. */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/dataset/catalog.h"
#include "cli/dataset/dataset.h"
#include "cli/dataset/download.h"
#include "core/base/error.h"
#include "core/base/text.h"

#define DEFAULT_TIMEOUT_S 60
#define MAX_TIMEOUT_S 86400

static void
print_list (const AssayScenario *catalog)
{
  int width = 0;

  ASSAY_FOR_EACH (const AssayGroup, group, catalog->groups)
    width = MAX (width, (int) strlen (group->kind));
  ASSAY_FOR_EACH (const AssayGroup, set, catalog->groups) {
    g_autoptr (GPtrArray) files = cli_catalog_files (set);
    g_autofree char *bytes = NULL;
    gboolean is_verified = TRUE;
    guint64 size = 0;

    if (*set->label != '\0')
      continue;
    ASSAY_FOR_EACH (const AssayGroup, group, files) {
      const CatalogFile file = cli_catalog_file (group);

      size += file.size;
      is_verified = is_verified && file.sha256 != NULL;
    }
    bytes = assay_text_bytes (size);
    g_print ("%-*s  %9s  %-10s  %s\n", width, set->kind, bytes,
             is_verified ? "verified" : "unverified", cli_catalog_text (set, "title"));
  }
}

static void
print_set (const AssayGroup *set)
{
  const char *note = cli_catalog_text (set, "note");

  g_print ("%s\n  page      %s\n  licence   %s\n  cite      %s\n%s%s%s",
           cli_catalog_text (set, "title"), cli_catalog_text (set, "page"),
           cli_catalog_text (set, "licence"), cli_catalog_text (set, "citation"),
           note != NULL ? "  note      " : "", note != NULL ? note : "", note != NULL ? "\n" : "");
}

static gboolean
fetch_file (const AssayGroup *group, const char *folder, const CliDownloadOptions *options,
            GError **error)
{
  const CatalogFile file = cli_catalog_file (group);
  g_auto (GStrv) members = cli_catalog_members (group);
  g_auto (CliDownload) download = { 0 };

  if (!cli_download (&file, folder, options, &download, error))
    return FALSE;
  if (file.sha256 == NULL) {
    g_print ("%s: NOT verified; its sha256 is\n  %s\n"
             "  Compare it with what the authors say. With 'sha256 = ...' and its size in a\n"
             "  catalogue of your own (--catalog), %s is verified%s.\n",
             download.path, download.sha256, file.name, members != NULL ? " and unpacked" : "");
    return TRUE;
  }
  g_print ("%s: %s, and its sha256 fits\n", download.path,
           download.was_there ? "was there" : "fetched");
  if (members != NULL
      && !cli_unpack (download.path, members, folder, options->may_replace, error))
    return FALSE;
  for (guint i = 0; members != NULL && members[i] != NULL; i++) {
    g_autofree char *name = g_path_get_basename (members[i]);

    g_print ("  %s/%s\n", folder, name);
  }
  return TRUE;
}

static gboolean
fetch_set (const AssayGroup *set, const char *out, const CliDownloadOptions *options,
           GError **error)
{
  const char *name = cli_catalog_text (set, "folder");
  g_autofree char *folder = g_build_filename (out, name != NULL ? name : set->kind, NULL);
  g_autoptr (GPtrArray) files = cli_catalog_files (set);

  print_set (set);
  if (g_mkdir_with_parents (folder, 0777) != 0)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: the folder cannot be made: %s", folder,
                       g_strerror (errno));
  ASSAY_FOR_EACH (const AssayGroup, file, files)
    if (!fetch_file (file, folder, options, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_names (const AssayScenario *catalog, char **words, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  while (*words != NULL && assay_scenario_find (catalog, *words, "") != NULL)
    words++;
  if (*words == NULL)
    return TRUE;
  ASSAY_FOR_EACH (const AssayGroup, group, catalog->groups)
    g_ptr_array_add (names, group->kind);
  hint = assay_names_hint (names, *words);
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "the catalogue has no '%s'%s; 'assay dataset fetch' lists what it has", *words,
                     hint);
}

static char *out, *catalog_path;
static int timeout_s = DEFAULT_TIMEOUT_S;
static CliDownloadOptions options;

static const GOptionEntry entries[]
    = { { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out,
          "Where the files go (default: ASSAY_DATA, or here)", "DIR" },
        { "catalog", 0, 0, G_OPTION_ARG_FILENAME, &catalog_path,
          "A catalogue in place of the built-in one", "FILE" },
        { "accept-unverified", 0, 0, G_OPTION_ARG_NONE, &options.accepts_unverified,
          "Fetch files whose sha256 is not known, too", NULL },
        { "timeout", 0, 0, G_OPTION_ARG_INT, &timeout_s,
          "Give up after so many seconds without any data (default 60)", "N" },
        { "force", 'f', 0, G_OPTION_ARG_NONE, &options.may_replace,
          "Replace files that are there and do not fit", NULL },
        G_OPTION_ENTRY_NULL };

static int
fetch_all (G_GNUC_UNUSED int n, char **words)
{
  const char *data = g_getenv ("ASSAY_DATA");
  const char *place = out != NULL ? out : data != NULL && *data != '\0' ? data : ".";
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayScenario) catalog = NULL;

  if (timeout_s < 1 || timeout_s > MAX_TIMEOUT_S)
    return cli_refuse ("--timeout %d: expected 1 to %d seconds", timeout_s, MAX_TIMEOUT_S);
  options.timeout_s = (guint) timeout_s;
  catalog = cli_catalog_load (catalog_path, &error);
  /* All names before the first download. */
  if (catalog == NULL || !check_names (catalog, words, &error))
    return cli_fail (error);
  if (*words == NULL)
    print_list (catalog);
  cli_catch_interrupts ();
  for (; *words != NULL; words++)
    if (!fetch_set (assay_scenario_find (catalog, *words, ""), place, &options, &error))
      return cli_fail (error);
  return EXIT_OK;
}

const CliUsage cli_dataset_fetch = {
  .parameters = "[SET...]",
  .summary = "Downloads files of public data sets from where their authors publish them.\n"
             "Without SET: lists them.",
  .description = "A file has its name only after its sha256 was found to fit. What has come so\n"
                 "far is kept as NAME.part, and the same command goes on from there.\n\nExample:\n"
                 "  assay dataset fetch fashion-mnist --out data\n",
  .entries = entries,
  .max_words = CLI_ANY_NUMBER,
  .run = fetch_all,
};
