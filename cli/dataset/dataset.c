/* assay dataset: data files from one format to another. */
#include "cli/dataset/dataset.h"

#include <string.h>

#include "cli/commands.h"
#include "config.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/row-file.h"
#include "datasets/tables/table-summary.h"

const CliCommand cli_dataset_commands[] = {
  { "info", &cli_dataset_info, "What is in data files" },
  { "convert", &cli_dataset_convert, "The same numbers in another format" },
  { "import", &cli_dataset_convert, "Another name of convert" },
  { "extract", &cli_dataset_extract, "SIFT descriptors of photographs" },
  { "fetch", &cli_dataset_fetch, "Public data sets, verified" },
  { NULL, NULL, NULL },
};

static void
print_help (void)
{
  g_print (
      "Usage:\n"
      "  assay dataset info FILE...          What is in data files: format, shape, type,\n"
      "                                      range, mean, duplicates, sha256\n"
      "  assay dataset convert IN OUT        The same numbers in another format (also: import)\n"
      "  assay dataset extract FOLDER OUT    SIFT descriptors of the photographs in a folder\n"
      "  assay dataset fetch [SET...]        Public data sets, verified; without SET: which\n\n"
      "Formats, by the end of a name or by --from and --to:\n"
      "  fvecs, bvecs, ivecs (TEXMEX), npy (NumPy), csv, idx (.idx, -ubyte; also with .gz); and\n"
      "  only read: cifar (.bin), tsv, text (.txt, .dat), npz, hdf5 (.h5, .hdf5) and parquet.\n"
      "  FILE[NAME] is one array of an .npz or HDF5 file, or columns of CSV, TSV or Parquet.\n\n"
      "Conversion loses nothing or is refused. It takes --rows A:B, --type, --shape HxW,\n"
      "--labels FILE and --force; info takes --from; extract takes --keypoints FILE, --largest N,\n"
      "--skip-unusable and --force; fetch takes --out DIR, --catalog FILE, --accept-unverified,\n"
      "--timeout N and --force. 'assay dataset convert --help' explains.\n");
}

int
cli_dataset (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL;
  const CliCommand *command;
  g_autofree char *program = NULL;
  g_autofree char *hint = NULL;

  if (name == NULL)
    return cli_refuse ("expected info, convert, import, extract or fetch; 'assay dataset --help' "
                       "explains");
  if (g_str_equal (name, "--help") || g_str_equal (name, "-h")) {
    print_help ();
    return EXIT_OK;
  }
  command = cli_find_command (cli_dataset_commands, name, &hint);
  if (command == NULL)
    return cli_refuse ("unknown command '%s'%s; expected info, convert, import, extract or fetch",
                       name, hint);
  program = g_strconcat ("assay dataset ", name, NULL);
  argv[1] = program;
  return cli_play (command->usage, argc - 1, argv + 1);
}

/* "people.csv[age,income]", "faces.npz[train]": the name, and what is in the brackets. */
static char *
split_name (const char *word, char **ret_choice)
{
  const char *bracket = strrchr (word, '[');
  g_autofree char *name
      = bracket != NULL ? g_strndup (word, (gsize) (bracket - word)) : g_strdup (word);
  const AssayRowFormat format = assay_row_format (name);
  const gsize length = bracket != NULL ? strlen (bracket) : 0;

  if (length < 3 || bracket[length - 1] != ']' || !assay_row_format_has_parts (format))
    return g_strdup (word);
  *ret_choice = g_strndup (bracket + 1, length - 2);
  return g_steal_pointer (&name);
}

/* Whether all rows are wanted. */
static gboolean
check_rows (const char *word, GError **error)
{
  AssayRowSpan span;
  g_autofree char *name = assay_row_span_split (word, &span, error);

  return name != NULL
         && (span.text[0] == '\0'
             || assay_fail (error, ASSAY_ERROR_DATA,
                            "%s: rows are chosen in scenarios and by 'assay audit'; expected a "
                            "whole file, or --rows of 'assay dataset convert'",
                            word));
}

AssayTable *
cli_dataset_open (const char *word, const char *format, GError **error)
{
  const char *const folders[] = { ".", assay_data_folder (ASSAY_DEFAULT_DATA), NULL };
  AssayTableFormat known;
  g_autofree char *choice = NULL;
  g_autofree char *name = split_name (word, &choice);
  g_autofree char *path
      = check_rows (word, error) ? assay_row_file_find (name, folders, error) : NULL;

  if (path == NULL)
    return NULL;
  if (g_str_has_prefix (path, "./"))
    memmove (path, path + 2, strlen (path + 2) + 1);
  if (format != NULL) {
    if (!assay_table_format_from_name (format, &known, error))
      return assay_prefix_null (error, "--from: ");
  } else if (!assay_table_format_of_path (path, &known, error))
    return assay_prefix_null (error, "expected --from: ");
  return assay_table_open_part (path, known, choice, error);
}

int
cli_dataset_fail (const GError *error)
{
  if (!g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    return cli_fail (error);
  g_printerr ("assay: interrupted; nothing was written\n");
  return EXIT_INTERRUPTED;
}

/* ---- info ---- */

static char *
describe_shape (const AssayTableInfo *info)
{
  GString *text = g_string_new (NULL);

  for (guint k = 0; k < info->n_dimensions; k++)
    g_string_append_printf (text, "%s%zu", k == 0 ? "" : " x ", info->shape[k]);
  return g_string_free (text, FALSE);
}

static void
print_summary (const char *name, const AssayTableInfo *info, const AssayTableSummary *summary)
{
  g_autofree char *shape = describe_shape (info);
  g_autofree char *mean = assay_text_number (summary->mean);

  g_print ("%s\n", name);
  g_print ("  format         %s%s\n", assay_table_format_name (info->format),
           info->is_gzip ? ", gzip" : "");
  g_print ("  shape          %s\n", shape);
  g_print ("  type           %s%s\n", assay_type_name (info->type),
           summary->is_whole && (info->type == ASSAY_FLOAT32 || info->type == ASSAY_FLOAT64)
               ? ", all whole numbers"
               : "");
  if (summary->least != NULL)
    g_print ("  range          %s to %s\n  mean           %s\n", summary->least, summary->most,
             mean);
  for (guint k = 0; k < info->n_labels; k++)
    g_print ("  label %u        %d to %d\n", k, summary->least_label[k], summary->most_label[k]);
  g_print ("  not finite     %zu\n", summary->n_not_finite);
  g_print ("  duplicates     %zu\n", summary->n_duplicates);
  g_print ("  sha256         %s\n", summary->file_sha256);
  g_print ("  sha256 of rows %s\n", summary->rows_sha256);
}

static gboolean
show (const char *name, const char *format, GError **error)
{
  g_autoptr (AssayTable) table = cli_dataset_open (name, format, error);
  g_autoptr (AssayTableSummary) summary
      = table != NULL ? assay_table_summarise (table, cli_is_interrupted, error) : NULL;

  if (summary == NULL)
    return FALSE;
  print_summary (table->path, &table->info, summary);
  return TRUE;
}

static char *from;

static const GOptionEntry entries[] = { { "from", 0, 0, G_OPTION_ARG_STRING, &from,
                                          "The format, if the name does not tell it", "FORMAT" },
                                        G_OPTION_ENTRY_NULL };

static int
info (int n, char **files)
{
  int code = EXIT_OK;

  cli_catch_interrupts ();
  for (int i = 0; i < n && code != EXIT_INTERRUPTED; i++) {
    g_autoptr (GError) error = NULL;

    if (!show (files[i], from, &error))
      code = cli_dataset_fail (error);
  }
  return code;
}

const CliUsage cli_dataset_info = {
  .parameters = "FILE...",
  .summary = "Tells what is in data files: format, shape, type, range, mean, checksums.",
  .description
  = "Formats: fvecs, bvecs, ivecs, npy, csv, idx, cifar, tsv, text, npz, hdf5 and parquet.\n"
    "'duplicates' counts rows whose bytes are those of an earlier row; 'sha256 of rows' is\n"
    "that of the numbers alone, in NumPy hashlib.sha256 (array.tobytes ()).\n\n"
    "Example:\n"
    "  printf '1,2\\n3,4\\n' > vectors.csv\n"
    "  assay dataset info vectors.csv\n",
  .entries = entries,
  .min_words = 1,
  .max_words = CLI_ANY_NUMBER,
  .expected = "FILE",
  .run = info,
};
