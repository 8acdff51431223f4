/* Rows of files that are images. */
#include "datasets/tables/row-images.h"

#include "core/base/error.h"

#define PANEL 256
#define MAX_SIDE 65536
#define MAX_CHANNELS 4

typedef struct {
  float least, most;
} Range;

static gboolean
widen (AssayView panel, G_GNUC_UNUSED gsize first, gpointer data, G_GNUC_UNUSED GError **error)
{
  Range *range = data;

  for (gsize i = 0; i < panel.rows; i++)
    for (gsize j = 0; j < panel.cols; j++) {
      range->least = MIN (range->least, assay_view_row (panel, i)[j]);
      range->most = MAX (range->most, assay_view_row (panel, i)[j]);
    }
  return TRUE;
}

/* "28x28x1" as three numbers. */
static gboolean
parse_size (const char *text, gsize *ret_sizes)
{
  g_auto (GStrv) words = g_strsplit (text, "x", -1);
  const guint n = g_strv_length (words);

  ret_sizes[2] = 1;
  for (guint i = 0; i < n && n <= 3; i++) {
    guint64 size = 0;

    if (!g_ascii_string_to_unsigned (words[i], 10, 1, i < 2 ? MAX_SIDE : MAX_CHANNELS, &size, NULL))
      return FALSE;
    ret_sizes[i] = (gsize) size;
  }
  return n == 2 || n == 3;
}

gboolean
row_images_find (const char *text, const AssayRowFiles *rows, AssayGeometry *ret_geometry,
                 GError **error)
{
  const gsize cols = assay_rows_cols (rows->rows);
  gsize sizes[3] = { 0 };
  Range range = { 0, 0 };

  if (*text == '\0')
    return TRUE;
  if (!parse_size (text, sizes))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "images = %s: expected HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS, as 28x28 or "
                       "32x32x3",
                       text);
  if (sizes[0] * sizes[1] * sizes[2] != cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "images = %s: has %zu numbers; the private rows have %zu", text,
                       sizes[0] * sizes[1] * sizes[2], cols);
  if (!assay_rows_for_each_panel (rows->rows, PANEL, ASSAY_SCALE_NONE, widen, &range, error))
    return FALSE;
  *ret_geometry = (AssayGeometry){ .height = sizes[0], .width = sizes[1], .channels = sizes[2] };
  if (range.least >= 0 && range.most <= 255)
    ret_geometry->white = range.most <= 1 ? 1 : 255;
  return TRUE;
}
