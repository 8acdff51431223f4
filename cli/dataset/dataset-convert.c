/* assay dataset convert: the same numbers in another format, or a refusal. */

#include "cli/cli.h"
#include "cli/dataset/dataset.h"
#include "core/base/error.h"
#include "core/base/free.h"
#include "datasets/tables/table-value.h"
#include "datasets/tables/table-writer.h"

typedef struct {
  const char *out;
  char *from, *to, *rows, *type, *shape, *labels;
  gboolean may_replace;
} ConvertOptions;

/* ---- Options ---- */

/* A whole number of digits alone. */
static gboolean
parse_size (const char *text, gsize *ret_size)
{
  guint64 size = 0;

  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXSIZE, &size, NULL))
    return FALSE;
  *ret_size = (gsize) size;
  return TRUE;
}

static gboolean
parse_rows (const char *text, const char *path, gsize count, gsize *ret_first, gsize *ret_end,
            GError **error)
{
  g_auto (GStrv) bounds = g_strsplit (text != NULL ? text : ":", ":", -1);
  gsize first = 0, end = count;

  if (g_strv_length (bounds) != 2 || (*bounds[0] != '\0' && !parse_size (bounds[0], &first))
      || (*bounds[1] != '\0' && !parse_size (bounds[1], &end)))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--rows %s: expected FIRST:END, rows counted from 0 and END not included; "
                       "either may be left out",
                       text);
  if (first >= end)
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "--rows %s: is an empty range of %s", text,
                       path);
  if (end > count)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--rows %s: reaches out of %s, which has %zu rows", text, path, count);
  *ret_first = first;
  *ret_end = end;
  return TRUE;
}

static gboolean
parse_type (const char *text, AssayType *ret_type, GError **error)
{
  static const AssayType types[]
      = { ASSAY_FLOAT32, ASSAY_FLOAT64, ASSAY_UINT8, ASSAY_INT32, ASSAY_INT64 };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (assay_type_name (types[i]), text)) {
      *ret_type = types[i];
      return TRUE;
    }
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "--type %s: expected float32, float64, uint8, int32 or int64", text);
}

/* "28x28" as the shape of a row. */
static gboolean
parse_shape (const char *text, AssayTableInfo *info, GError **error)
{
  g_auto (GStrv) sides = g_strsplit (text, "x", -1);
  gsize height = 0, width = 0, pixels;

  if (g_strv_length (sides) != 2 || !parse_size (sides[0], &height)
      || !parse_size (sides[1], &width) || !g_size_checked_mul (&pixels, height, width)
      || pixels == 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--shape %s: expected HEIGHTxWIDTH, such as 28x28", text);
  if (pixels != info->cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "--shape %s: a row has %zu numbers, not %zu",
                       text, info->cols, pixels);
  if (info->format != ASSAY_TABLE_NPY && info->format != ASSAY_TABLE_IDX)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--shape: %s has rows and columns only; expected npy or idx",
                       assay_table_format_name (info->format));
  info->n_dimensions = 3;
  info->shape[1] = height;
  info->shape[2] = width;
  return TRUE;
}

/* What is to be written of @n rows like those of @from. */
static gboolean
plan_output (const char *path, const ConvertOptions *options, const AssayTableInfo *from, gsize n,
             AssayTableInfo *ret_info, GError **error)
{
  AssayTableInfo info = *from;
  AssayType wanted = from->type;

  if (options->to != NULL ? !assay_table_format_from_name (options->to, &info.format, error)
                          : !assay_table_format_of_path (path, &info.format, error))
    return assay_prefix (error, options->to != NULL ? "--to: " : "expected --to: ");
  info.shape[0] = info.count = n;
  if (options->type != NULL && !parse_type (options->type, &wanted, error))
    return FALSE;
  info.type = wanted;
  if (assay_table_fixed_type (info.format, &info.type) && options->type != NULL
      && info.type != wanted)
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "--type %s: %s holds %s", options->type,
                       assay_table_format_name (info.format), assay_type_name (info.type));
  if (options->shape != NULL && !parse_shape (options->shape, &info, error))
    return FALSE;
  *ret_info = info;
  return TRUE;
}

/* ---- Labels ---- */

/* The labels of the IDX file "...images-idx3...", which stand in a file of their own beside it. */
static AssayTable *
open_idx_labels (const AssayTable *images, GError **error)
{
  const char *path = images->path;
  const char *word = "images-idx3";
  g_auto (GStrv) parts = g_strsplit (path, word, -1);
  g_autofree char *beside = g_strjoinv ("labels-idx1", parts);
  g_autoptr (AssayTable) labels = NULL;

  if (g_strv_length (parts) != 2)
    return assay_fail_null (
        error, ASSAY_ERROR_DATA,
        "--labels: %s: its labels cannot be found by its name; expected one with '%s'", path, word);
  labels = assay_table_open (beside, ASSAY_TABLE_IDX, error);
  if (labels == NULL)
    return assay_prefix_null (error, "--labels: ");
  if (labels->info.n_dimensions != 1 || labels->info.count != images->info.count)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "--labels: %s: expected one number for each of the %zu images of %s",
                            beside, images->info.count, path);
  return g_steal_pointer (&labels);
}

/* Labels as a table of bytes, of the format that --labels tells. */
static gboolean
plan_labels (const char *path, const AssayTableInfo *from, gsize n, AssayTableInfo *ret_info,
             GError **error)
{
  const guint n_labels = MAX (from->n_labels, 1);
  AssayTableInfo info = { .type = ASSAY_UINT8,
                          .n_dimensions = n_labels == 1 ? 1 : 2,
                          .shape = { n, n_labels },
                          .count = n,
                          .cols = n_labels };

  if (!assay_table_format_of_path (path, &info.format, error))
    return assay_prefix (error, "--labels: ");
  assay_table_fixed_type (info.format, &info.type);
  *ret_info = info;
  return TRUE;
}

/* ---- Conversion ---- */

/* A writer and what it needs to convert what it gets. */
typedef struct {
  AssayTableWriter *writer; /* NULL: nothing is to be written */
  AssayType from;           /* of what it gets */
  AssayTableInfo info;
  gpointer values;
} Output;

ASSAY_LOCAL_CLEAR (Output, output_clear, assay_drop (self->writer, assay_table_writer_free),
                   assay_drop (self->values, g_free))

static gboolean
output_begin (Output *output, const char *path, gsize piece, gboolean may_replace, GError **error)
{
  output->values
      = assay_alloc (piece, output->info.cols * assay_type_size (output->info.type), path, error);
  if (output->values == NULL)
    return FALSE;
  output->writer = assay_table_writer_new (path, &output->info, may_replace, error);
  return output->writer != NULL;
}

/* @n rows of @table, the first of which is its row @first. */
static gboolean
output_rows (Output *output, const AssayTable *table, gconstpointer values, gsize first, gsize n,
             GError **error)
{
  const AssayType from = output->from;
  const gsize cols = output->info.cols;
  gsize bad = 0;

  if (!assay_table_convert (from, values, output->info.type, output->values, n * cols, &bad)) {
    g_autofree char *number = assay_table_number (from, values, bad);

    return assay_fail (error, ASSAY_ERROR_DATA, "%s: row %zu, column %zu is %s; expected %s for %s",
                       table->path, first + bad / cols, bad % cols, number,
                       assay_table_describe_type (output->info.type),
                       assay_table_format_name (output->info.format));
  }
  if (assay_table_writer_write (output->writer, output->values, n, error))
    return TRUE;
  if (g_error_matches (*error, ASSAY_ERROR, ASSAY_ERROR_DATA))
    g_prefix_error (error, "%s: ", table->path);
  return FALSE;
}

/* Rows [first, end) of @table to @rows and their labels to @labels. */
static gboolean
copy_rows (AssayTable *table, gsize first, gsize end, Output *rows, Output *labels, GError **error)
{
  const AssayTableInfo *info = &table->info;
  const gsize piece = assay_table_piece (table);
  g_autofree guint8 *values
      = assay_alloc (piece, info->cols * assay_type_size (info->type), "rows", error);
  g_autofree guint8 *some_labels = g_malloc (piece * ASSAY_TABLE_MAX_LABELS);

  if (values == NULL)
    return FALSE;
  /* What stands before the first row is read too: compressed files have no other way. */
  for (gsize i = 0, n; i < end; i += n) {
    n = MIN (piece, (i < first ? first : end) - i);
    if (cli_is_interrupted ())
      return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
    if (!assay_table_read (table, n, values, some_labels, error))
      return FALSE;
    if (i < first)
      continue;
    if (!output_rows (rows, table, values, i, n, error)
        || (labels->writer != NULL
            && !output_rows (labels, table, some_labels, i, n, error)))
      return FALSE;
  }
  return TRUE;
}

/* Begins the labels. IDX has them in another table, @ret_apart. */
static gboolean
begin_labels (const ConvertOptions *options, AssayTable *table, gsize n, Output *labels,
              AssayTable **ret_apart, GError **error)
{
  const AssayTableInfo *info = &table->info;

  if (options->labels == NULL)
    return TRUE;
  if (cli_is_one_place (options->out, options->labels))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--labels %s: is the file of the rows; expected another", options->labels);
  if (info->n_labels == 0 && info->format != ASSAY_TABLE_IDX)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--labels: %s has none; expected idx images or cifar",
                       assay_table_format_name (info->format));
  if (info->n_labels == 0) {
    *ret_apart = open_idx_labels (table, error);
    if (*ret_apart == NULL)
      return FALSE;
  }
  return plan_labels (options->labels, info, n, &labels->info, error)
         && output_begin (labels, options->labels,
                          assay_table_piece (*ret_apart != NULL ? *ret_apart : table),
                          options->may_replace, error);
}

static gboolean
convert (const char *in, const ConvertOptions *options, GError **error)
{
  const char *out = options->out;
  g_autoptr (AssayTable) table = cli_dataset_open (in, options->from, error);
  g_autoptr (AssayTable) apart = NULL;
  g_auto (Output) rows = { 0 };
  g_auto (Output) labels = { .from = ASSAY_UINT8 };
  Output none = { 0 };
  const AssayTableInfo *info;
  gsize first = 0, end = 0;

  if (table == NULL)
    return FALSE;
  info = &table->info;
  rows.from = info->type;
  if (!parse_rows (options->rows, table->path, info->count, &first, &end, error)
      || !plan_output (out, options, info, end - first, &rows.info, error)
      || !output_begin (&rows, out, assay_table_piece (table), options->may_replace, error)
      || !begin_labels (options, table, end - first, &labels, &apart, error)
      || !copy_rows (table, first, end, &rows, apart != NULL ? &none : &labels, error)
      || (apart != NULL && !copy_rows (apart, first, end, &labels, &none, error))
      || !assay_table_writer_seal (rows.writer, error)
      || (labels.writer != NULL && !assay_table_writer_finish (labels.writer, error))
      || !assay_table_writer_finish (rows.writer, error))
    return FALSE;
  if (info->n_labels > 0 && options->labels == NULL)
    g_printerr ("assay: the labels of %s were left out; --labels FILE keeps them\n", table->path);
  return TRUE;
}

static ConvertOptions options;

static const GOptionEntry entries[]
    = { { "from", 0, 0, G_OPTION_ARG_STRING, &options.from,
          "The format of IN (default: by its name)", "FORMAT" },
        { "to", 0, 0, G_OPTION_ARG_STRING, &options.to, "The format of OUT (default: by its name)",
          "FORMAT" },
        { "rows", 0, 0, G_OPTION_ARG_STRING, &options.rows, "Only rows A to B - 1, counted from 0",
          "A:B" },
        { "type", 0, 0, G_OPTION_ARG_STRING, &options.type,
          "The type of an npy file (default: that of IN)", "TYPE" },
        { "shape", 0, 0, G_OPTION_ARG_STRING, &options.shape,
          "Rows are images of these sides, for npy and idx", "HxW" },
        { "labels", 0, 0, G_OPTION_ARG_FILENAME, &options.labels, "Labels of idx images or cifar",
          "FILE" },
        { "force", 'f', 0, G_OPTION_ARG_NONE, &options.may_replace, "Replace files that are there",
          NULL },
        G_OPTION_ENTRY_NULL };

static int
convert_in_out (G_GNUC_UNUSED int n, char **words)
{
  g_autoptr (GError) error = NULL;

  options.out = words[1];
  cli_catch_interrupts ();
  return convert (words[0], &options, &error) ? EXIT_OK : cli_dataset_fail (error);
}

const CliUsage cli_dataset_convert = {
  .parameters = "IN OUT",
  .summary = "Writes the same numbers in another format. Nothing is rounded: what OUT cannot\n"
             "hold exactly is refused, and then nothing is written.",
  .description
  = "Formats: fvecs (float32), bvecs (uint8), ivecs (int32), npy, csv and idx (uint8);\n"
    "only read: cifar (its channels come out interleaved), tsv, text, npz, hdf5, parquet.\n\n"
    "Example:\n"
    "  printf '1,2\\n3,4\\n' > vectors.csv\n"
    "  assay dataset convert vectors.csv vectors.npy --type float64\n",
  .entries = entries,
  .min_words = 2,
  .max_words = 2,
  .expected = "IN and OUT",
  .run = convert_in_out,
};
