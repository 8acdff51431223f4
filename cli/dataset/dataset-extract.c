/* assay dataset extract: SIFT descriptors of photographs. */
#include <string.h>

#include "cli/cli.h"
#include "core/base/each.h"
#include "core/base/error.h"
#include "datasets/photographs/photo-set.h"
#include "datasets/tables/table-writer.h"
#include "report/exports/csv-field.h"

#define MIN_SIDE 32
#define MAX_SIDE 10000

typedef struct {
  char *keypoints;
  gint64 largest;
  gboolean skip_unusable, may_replace;
} ExtractOptions;

/* "sift_keypoints.csv" beside "sift.bvecs". */
static char *
keypoints_path (const char *out)
{
  const char *dot = strrchr (out, '.');

  return g_strdup_printf ("%.*s_keypoints.csv", (int) (dot - out), out);
}

static gsize
count_rows (const AssayPhotoSet *set)
{
  gsize count = 0;

  for (gsize i = 0; i < set->n; i++)
    if (set->photographs[i].error == NULL)
      count += set->photographs[i].features->keypoints->len;
  return count;
}

static gboolean
write_photo (const AssayPhotograph *photo, AssayTableWriter *rows, AssayOutputFile *table,
             GError **error)
{
  const AssayFeatures *features = photo->features;
  g_autofree char *name = g_path_get_basename (photo->file->path);
  g_autoptr (GString) text = g_string_new (NULL);

  ASSAY_FOR_EACH_IN (const AssayKeypoint, keypoint, features->keypoints) {
    const float numbers[] = { keypoint->x, keypoint->y, keypoint->size, keypoint->angle };

    assay_csv_field (text, name);
    for (guint k = 0; k < G_N_ELEMENTS (numbers); k++)
      assay_csv_number (text, (double) numbers[k]);
    g_string_append_c (text, '\n');
  }
  return assay_output_file_write (table, text->str, text->len, error)
         && assay_table_writer_write (rows, features->descriptors, features->keypoints->len, error);
}

static gboolean
write_all (const AssayPhotoSet *set, const char *out, const char *keypoints, gboolean may_replace,
           GError **error)
{
  static const char header[] = "photo,x,y,size,angle\n";
  const gsize count = count_rows (set);
  const AssayTableInfo info = { .format = ASSAY_TABLE_BVECS,
                                .type = ASSAY_UINT8,
                                .n_dimensions = 2,
                                .shape = { count, ASSAY_SIFT_LENGTH },
                                .count = count,
                                .cols = ASSAY_SIFT_LENGTH };
  g_autoptr (AssayTableWriter) rows = assay_table_writer_new (out, &info, may_replace, error);
  g_autoptr (AssayOutputFile) table
      = rows != NULL ? assay_output_file_new (keypoints, FALSE, may_replace, error) : NULL;

  if (table == NULL || !assay_output_file_write (table, header, strlen (header), error))
    return FALSE;
  for (gsize i = 0; i < set->n; i++)
    if (set->photographs[i].error == NULL
        && !write_photo (&set->photographs[i], rows, table, error))
      return FALSE;
  return assay_table_writer_seal (rows, error) && assay_output_file_finish (table, error)
         && assay_table_writer_finish (rows, error);
}

static gboolean
extract (const char *folder, const char *out, const ExtractOptions *options, GError **error)
{
  const AssayPhotoRole role = { .name = "photographs", .folder = folder, .share = 1 };
  const AssayPhotoRules rules
      = { .largest = (gsize) options->largest, .skip_unusable = options->skip_unusable };
  const AssayStreamKey unused = assay_stream_key (1, 0, "dataset", "extract");
  g_autofree char *keypoints = NULL;
  g_autoptr (AssayPhotoSet) set = NULL;

  if (!g_str_has_suffix (out, ".bvecs"))
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "%s: expected a name that ends in .bvecs",
                       out);
  if (options->largest < MIN_SIDE || options->largest > MAX_SIDE)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "--largest %" G_GINT64_FORMAT ": expected %d to %d pixels", options->largest,
                       MIN_SIDE, MAX_SIDE);
  keypoints = options->keypoints != NULL ? g_strdup (options->keypoints) : keypoints_path (out);
  /* Before the work, not after it. */
  if (!assay_output_file_check_target (out, options->may_replace, error)
      || !assay_output_file_check_target (keypoints, options->may_replace, error))
    return FALSE;
  set = assay_photo_set_new (&role, 1, &rules, NULL, unused, error);
  return set != NULL && assay_photo_set_describe (set, error)
         && write_all (set, out, keypoints, options->may_replace, error);
}

static ExtractOptions options = { .largest = 640 };

static const GOptionEntry entries[] = {
  { "keypoints", 0, 0, G_OPTION_ARG_FILENAME, &options.keypoints,
    "Where to write which photograph and place each descriptor is of (default: OUT_keypoints.csv)",
    "FILE" },
  { "largest", 0, 0, G_OPTION_ARG_INT64, &options.largest,
    "Reduce photographs to this many pixels on the longer side (default 640)", "N" },
  { "skip-unusable", 0, 0, G_OPTION_ARG_NONE, &options.skip_unusable,
    "Leave out photographs that cannot be used, and say so", NULL },
  { "force", 'f', 0, G_OPTION_ARG_NONE, &options.may_replace, "Replace files that are there",
    NULL },
  G_OPTION_ENTRY_NULL
};

static int
extract_folder (G_GNUC_UNUSED int n, char **words)
{
  g_autoptr (GError) error = NULL;

  return extract (words[0], words[1], &options, &error) ? EXIT_OK : cli_fail (error);
}

const CliUsage cli_dataset_extract = {
  .parameters = "FOLDER OUT.bvecs",
  .summary = "Takes SIFT descriptors from the .jpg and .png photographs in a folder, in the order\n"
             "of their names.",
  .description
  = "Row i of OUT belongs to line i, after the header, of the keypoints: photo, x, y,\n"
    "size (diameter) and angle (degrees), as OpenCV reports them.\n\nExample:\n"
    "  assay dataset extract photos sift.bvecs\n",
  .entries = entries,
  .min_words = 2,
  .max_words = 2,
  .expected = "FOLDER and OUT",
  .run = extract_folder,
};
