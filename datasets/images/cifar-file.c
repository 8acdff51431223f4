/* Reading CIFAR's binary files. */
#include "datasets/images/cifar-file.h"

#include "core/base/error.h"
#include "core/base/file-map.h"

#define PLANE (ASSAY_CIFAR_SIDE * ASSAY_CIFAR_SIDE)

/* The bytes of @path, and how long its records are. */
static GBytes *
map_file (const char *path, guint n_label_bytes, gsize *ret_record, GError **error)
{
  g_autoptr (GBytes) mapped = NULL;
  gsize record = n_label_bytes + ASSAY_CIFAR_PIXELS, length;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: is a folder; expected a CIFAR file",
                            path);
  mapped = assay_file_map (path, error);
  if (mapped == NULL)
    return NULL;
  length = g_bytes_get_size (mapped);
  if (n_label_bytes == 0)
    record = ASSAY_CIFAR_PIXELS + (length % (ASSAY_CIFAR_PIXELS + 1) == 0 ? 1 : 2);
  if (length == 0 || length % record != 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s: %zu bytes; expected a multiple of %s%zu, the records of CIFAR's "
                            "binary format",
                            path, length, n_label_bytes == 0 ? "3073 or " : "", record);
  *ret_record = record;
  return g_steal_pointer (&mapped);
}

AssayImages *
assay_cifar_probe (const char *const *paths, guint n_label_bytes, GError **error)
{
  AssayImages form = { .height = ASSAY_CIFAR_SIDE,
                       .width = ASSAY_CIFAR_SIDE,
                       .channels = ASSAY_CIFAR_CHANNELS,
                       .has_labels = n_label_bytes > 0,
                       .source = (char *) paths[0] };

  for (gsize k = 0; paths[k] != NULL; k++) {
    gsize record;
    g_autoptr (GBytes) mapped = map_file (paths[k], n_label_bytes, &record, error);

    if (mapped == NULL)
      return NULL;
    form.count += g_bytes_get_size (mapped) / record;
  }
  return assay_images_probed (&form);
}

/* The records of one file behind the first @images->count of @images, which have @room. */
static gboolean
read_file (const char *path, guint n_label_bytes, gsize n_classes, gsize room, AssayImages *images,
           GError **error)
{
  const gsize first = images->count;
  gsize record, count;
  g_autoptr (GBytes) mapped = map_file (path, n_label_bytes, &record, error);
  const guint8 *next;

  if (mapped == NULL)
    return FALSE;
  next = g_bytes_get_data (mapped, NULL);
  count = MIN (g_bytes_get_size (mapped) / record, room - first);
  for (gsize i = 0; i < count; i++, next += record) {
    const guint8 *planes = next + record - ASSAY_CIFAR_PIXELS;
    const guint8 label = planes[-1];
    guint8 *row = assay_images_row (images, first + i);

    if (images->labels != NULL && label >= n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s: record %zu has the label %d; expected 0 to %zu", path, i, label,
                         n_classes - 1);
    if (images->labels != NULL)
      images->labels[first + i] = label;
    for (gsize c = 0; c < ASSAY_CIFAR_CHANNELS; c++)
      for (gsize p = 0; p < PLANE; p++)
        row[p * ASSAY_CIFAR_CHANNELS + c] = planes[c * PLANE + p];
  }
  images->count = first + count;
  return TRUE;
}

AssayImages *
assay_cifar_read (const char *const *paths, guint n_label_bytes, gsize n_classes, GError **error)
{
  g_autoptr (AssayImages) form = assay_cifar_probe (paths, n_label_bytes, error);
  g_autoptr (AssayImages) images = form != NULL ? assay_images_new (form, error) : NULL;

  if (images == NULL)
    return NULL;
  images->count = 0; /* and in the end fewer, if a file was cut short in between */
  for (gsize k = 0; paths[k] != NULL; k++)
    if (!read_file (paths[k], n_label_bytes, n_classes, form->count, images, error))
      return NULL;
  return g_steal_pointer (&images);
}
