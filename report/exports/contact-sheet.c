/* Contact sheets: pictures in a grid, rows of units and columns of what was done to them, as figure
 * 3 of the LDP-FEAT paper has them. All pictures of a column stand in the middle of a field that is
 * as wide as the widest of the column and as high as the highest of the row; what a cell has no
 * picture of is a hatched field. Between fields, and around them, is a white gap.
 *
 * Nothing in the file depends on machine or time, beyond the version of zlib that packs it. */
#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>

#include "core/base/error.h"
#include "core/base/free.h"
#include "report/exports/exports.h"
#include "runner/plan/folders.h"

#define RGB 3
#define GAP 2
/* Smaller pictures are enlarged by a whole number until the longer side has so many pixels. */
#define MIN_SIDE 96
#define EMPTY_SIDE MIN_SIDE
#define WHITE 255
/* The hatch: diagonal lines of LINE pixels, STEP apart. */
#define PAPER 224
#define INK 176
#define STEP 8
#define LINE 2
/* Of pictures that are marked: a red that no grey picture has. */
#define FRAME 3
static const guint8 frame_colour[RGB] = { 208, 32, 32 };

/* Where fields begin (n + 1 of them: the last is where another would), and their lengths. */
typedef struct {
  gsize *x, *width;
  gsize *y, *height;
  gsize total_width, total_height;
} Layout;

static ASSAY_CLEAR_FUNC (Layout, layout_clear, g_free (self->x), g_free (self->width),
                         g_free (self->y), g_free (self->height))

gsize
assay_contact_sheet_scale (const AssayThumbnail *thumbnail)
{
  const gsize longest = MAX (thumbnail->width, thumbnail->height);

  return longest < MIN_SIDE ? (MIN_SIDE + longest - 1) / longest : 1;
}

static const AssayThumbnail *
thumbnail_at (const AssayResultContactSheet *sheet, gsize column, gsize row)
{
  const AssayResultColumn *of = sheet->columns->pdata[column];

  return of->thumbnails->pdata[row];
}

static gsize
place (const gsize *lengths, gsize n, gsize *ret_starts)
{
  gsize at = GAP;

  for (gsize i = 0; i < n; i++) {
    ret_starts[i] = at;
    at += lengths[i] + GAP;
  }
  return at;
}

/* A field that no picture gives a size is as large as its row or column asks, or EMPTY_SIDE. */
static void
layout_init (const AssayResultContactSheet *sheet, Layout *layout)
{
  const gsize n_columns = sheet->columns->len;

  *layout = (Layout){ .x = g_new0 (gsize, n_columns),
                      .width = g_new0 (gsize, n_columns),
                      .y = g_new0 (gsize, sheet->n_rows),
                      .height = g_new0 (gsize, sheet->n_rows) };
  for (gsize c = 0; c < n_columns; c++)
    for (gsize r = 0; r < sheet->n_rows; r++) {
      const AssayThumbnail *thumbnail = thumbnail_at (sheet, c, r);

      if (thumbnail == NULL)
        continue;
      layout->width[c]
          = MAX (layout->width[c], thumbnail->width * assay_contact_sheet_scale (thumbnail));
      layout->height[r]
          = MAX (layout->height[r], thumbnail->height * assay_contact_sheet_scale (thumbnail));
    }
  for (gsize c = 0; c < n_columns; c++)
    layout->width[c] = layout->width[c] > 0 ? layout->width[c] : EMPTY_SIDE;
  for (gsize r = 0; r < sheet->n_rows; r++)
    layout->height[r] = layout->height[r] > 0 ? layout->height[r] : EMPTY_SIDE;
  layout->total_width = place (layout->width, n_columns, layout->x);
  layout->total_height = place (layout->height, sheet->n_rows, layout->y);
}

/* ---- Pixels ---- */

static void
draw_thumbnail (const AssayThumbnail *thumbnail, gsize scale, gsize left, gsize top, gsize stride,
                guint8 *pixels)
{
  for (gsize y = 0; y < thumbnail->height * scale; y++)
    for (gsize x = 0; x < thumbnail->width * scale; x++) {
      const guint8 *from
          = thumbnail->data + ((y / scale) * thumbnail->width + x / scale) * thumbnail->channels;
      guint8 *to = pixels + (top + y) * stride + (left + x) * RGB;

      for (gsize c = 0; c < RGB; c++)
        to[c] = from[thumbnail->channels == RGB ? c : 0];
    }
}

/* In the middle of field (@column, @row). */
static void
draw_in_field (const AssayThumbnail *thumbnail, const Layout *layout, gsize column, gsize row,
               guint8 *pixels)
{
  const gsize scale = assay_contact_sheet_scale (thumbnail);
  const gsize left = layout->x[column] + (layout->width[column] - thumbnail->width * scale) / 2;
  const gsize top = layout->y[row] + (layout->height[row] - thumbnail->height * scale) / 2;

  draw_thumbnail (thumbnail, scale, left, top, layout->total_width * RGB, pixels);
}

/* Around a picture that is marked, over its outermost pixels. */
static void
draw_frame (const AssayThumbnail *thumbnail, const Layout *layout, gsize column, gsize row,
            guint8 *pixels)
{
  const gsize scale = assay_contact_sheet_scale (thumbnail);
  const gsize width = thumbnail->width * scale, height = thumbnail->height * scale;
  const gsize left = layout->x[column] + (layout->width[column] - width) / 2;
  const gsize top = layout->y[row] + (layout->height[row] - height) / 2;

  for (gsize y = 0; y < height; y++)
    for (gsize x = 0; x < width; x++)
      if (MIN (MIN (x, width - 1 - x), MIN (y, height - 1 - y)) < FRAME)
        memcpy (pixels + ((top + y) * layout->total_width + left + x) * RGB, frame_colour, RGB);
}

static void
draw_hatch (gsize left, gsize top, gsize width, gsize height, gsize stride, guint8 *pixels)
{
  for (gsize y = 0; y < height; y++)
    for (gsize x = 0; x < width; x++)
      memset (pixels + (top + y) * stride + (left + x) * RGB, (x + y) % STEP < LINE ? INK : PAPER,
              RGB);
}

static void
draw (const AssayResultContactSheet *sheet, const Layout *layout, guint8 *pixels)
{
  const gsize stride = layout->total_width * RGB;

  memset (pixels, WHITE, layout->total_height * stride);
  for (gsize c = 0; c < sheet->columns->len; c++) {
    const AssayResultColumn *column = sheet->columns->pdata[c];

    for (gsize r = 0; r < sheet->n_rows; r++) {
      const AssayThumbnail *thumbnail = thumbnail_at (sheet, c, r);

      if (thumbnail == NULL)
        draw_hatch (layout->x[c], layout->y[r], layout->width[c], layout->height[r], stride,
                    pixels);
      else
        draw_in_field (thumbnail, layout, c, r, pixels);
      if (thumbnail != NULL && column->marks != NULL && column->marks[r])
        draw_frame (thumbnail, layout, c, r, pixels);
    }
  }
}

/* ---- The file ---- */

/* Text chunks of PNG are Latin-1: what is not ASCII becomes a question mark. */
static char *
to_ascii (const char *text)
{
  GString *ascii = g_string_new (NULL);

  for (; *text != '\0'; text = g_utf8_next_char (text)) {
    const gunichar c = g_utf8_get_char (text);

    g_string_append_c (ascii, c == '\n' || (c >= 0x20 && c < 0x7f) ? (char) c : '?');
  }
  return g_string_free (ascii, FALSE);
}

static char *
legend (const AssayResultContactSheet *sheet)
{
  GString *text = g_string_new ("Columns from left to right:");

  for (guint c = 0; c < sheet->columns->len; c++)
    g_string_append_printf (text, "%s %u %s", c > 0 ? ";" : "", c + 1,
                            ((const AssayResultColumn *) sheet->columns->pdata[c])->says);
  if (sheet->mark != NULL)
    g_string_append_printf (text, ". A red frame: %s", sheet->mark);
  return g_string_free (text, FALSE);
}

/* With text in the file: @names and @values; NULL ends. */
static GBytes *
encode (const guint8 *pixels, gsize width, gsize height, char **names, char **values,
        GError **error)
{
  g_autoptr (GdkPixbuf) pixbuf
      = gdk_pixbuf_new_from_data (pixels, GDK_COLORSPACE_RGB, FALSE, 8, (int) width, (int) height,
                                  (int) (width * RGB), NULL, NULL);
  g_autoptr (GError) problem = NULL;
  char *buffer = NULL;
  gsize length = 0;

  if (!gdk_pixbuf_save_to_bufferv (pixbuf, &buffer, &length, "png", names, values, &problem))
    return assay_fail_null (error, ASSAY_ERROR_IO, "a contact sheet cannot be made: %s",
                            problem->message);
  return g_bytes_new_take (buffer, length);
}

static GBytes *
encode_sheet (const guint8 *pixels, const Layout *layout, const char *title,
              const char *description, GError **error)
{
  g_autofree char *plain_title = to_ascii (title);
  g_autofree char *plain_description = to_ascii (description);
  char *names[] = { (char *) "tEXt::Title", (char *) "tEXt::Description", NULL };
  char *values[] = { plain_title, plain_description, NULL };

  return encode (pixels, layout->total_width, layout->total_height, names, values, error);
}

GBytes *
assay_contact_sheet_picture (const AssayThumbnail *thumbnail, GError **error)
{
  const gsize stride = thumbnail->width * RGB;
  g_autofree guint8 *pixels = g_malloc (thumbnail->height * stride);
  char *none[] = { NULL };

  draw_thumbnail (thumbnail, 1, 0, 0, stride, pixels);
  return encode (pixels, thumbnail->width, thumbnail->height, none, none, error);
}

GBytes *
assay_contact_sheet_png (const AssayResultContactSheet *sheet, const char *title, GError **error)
{
  g_autofree char *description = legend (sheet);
  g_autofree guint8 *pixels = NULL;
  GBytes *png = NULL;
  Layout layout;

  layout_init (sheet, &layout);
  pixels = g_try_malloc_n (layout.total_width * layout.total_height, RGB);
  if (pixels == NULL) {
    assay_fail (error, ASSAY_ERROR_MEMORY, "contact sheet: no memory for %zu x %d bytes",
                layout.total_width * layout.total_height, RGB);
  } else {
    draw (sheet, &layout, pixels);
    png = encode_sheet (pixels, &layout, title, description, error);
  }
  layout_clear (&layout);
  return png;
}

/* ---- What stands where ---- */

static void
write_scores (AssayJson *json, const double *scores, gsize n)
{
  if (scores == NULL)
    return;
  assay_json_write (json, "scores [");
  for (gsize r = 0; r < n; r++)
    assay_json_double (json, scores[r]);
  assay_json_end_array (json);
}

static void
write_marks (AssayJson *json, const gboolean *marks, gsize n)
{
  if (marks == NULL)
    return;
  assay_json_write (json, "marks [");
  for (gsize r = 0; r < n; r++)
    assay_json_bool (json, marks[r]);
  assay_json_end_array (json);
}

static void
write_column (AssayJson *json, const AssayResultColumn *column, gsize n_rows, gsize x, gsize width)
{
  static const char *const roles[] = { [ASSAY_SHOWN_ORIGINAL] = "original",
                                       [ASSAY_SHOWN_RELEASED] = "released",
                                       [ASSAY_SHOWN_RECOVERED] = "recovered" };
  const AssayResultCell *cell = column->cell;

  assay_json_write (json, "{role %s says %s x %zu width %zu", roles[column->role], column->says, x,
                    width);
  assay_report_json_component (json, "dataset", cell->dataset, FALSE);
  assay_json_end_object (json);
  if (column->role != ASSAY_SHOWN_ORIGINAL) {
    assay_report_json_component (json, "defense", cell->defense, TRUE);
    assay_json_end_object (json);
  }
  if (column->role == ASSAY_SHOWN_RECOVERED) {
    assay_report_json_component (json, "attack", cell->attack_or_utility, TRUE);
    assay_json_write (json, "} cell %s status %s", cell->id,
                      assay_result_status_name (cell->status));
    write_scores (json, column->scores, n_rows);
    write_marks (json, column->marks, n_rows);
  }
  assay_json_end_object (json);
}

char *
assay_contact_sheet_json (const AssayResultContactSheet *sheet)
{
  AssayJson *json = assay_json_new ();
  Layout layout;

  layout_init (sheet, &layout);
  assay_json_write (json, "{format %s name %s", "assay-pictures/1", sheet->name);
  if (sheet->measure != NULL)
    assay_json_write (json, "measure %s", sheet->measure->name);
  if (sheet->mark != NULL)
    assay_json_write (json, "mark %s", sheet->mark);
  assay_json_write (json, "columns [");
  for (guint c = 0; c < sheet->columns->len; c++)
    write_column (json, sheet->columns->pdata[c], sheet->n_rows, layout.x[c], layout.width[c]);
  assay_json_write (json, "] rows [");
  for (gsize r = 0; r < sheet->n_rows; r++)
    assay_json_write (json, "{unit %zu y %zu height %zu}", r, layout.y[r], layout.height[r]);
  assay_json_write (json, "]}");
  layout_clear (&layout);
  return assay_json_finish (json);
}

char *
assay_report_contact_sheets (const AssayResults *results, const char *folder)
{
  GString *text = g_string_new (NULL);

  ASSAY_FOR_EACH (const AssayResultContactSheet, sheet, results->sheets) {
    const char *name = sheet->name;

    if (sheet->columns->len > 0)
      g_string_append_printf (
          text, "pictures in %s/" ASSAY_PICTURE_FOLDER "/%s.png: %zu rows, %u columns\n", folder,
          name, sheet->n_rows, sheet->columns->len);
    else
      g_string_append_printf (text, "pictures %s: no cell has any\n", name);
  }
  return g_string_free (text, FALSE);
}
