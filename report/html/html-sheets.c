/* Contact sheets in report.html: a table of pictures, with what was done over the columns, the
 * secret at the rows, and under each picture that came back its score. The file beside the page has
 * the same pictures in one. */
#include <math.h>

#include "core/base/text.h"
#include "report/exports/exports.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"
#include "runner/plan/folders.h"

/* Sheets beyond these, in bytes, stay beside the page. */
#define MAX_SHEET (3 << 20)
#define MAX_SHEETS (8 << 20)

/* The pictures of a sheet as addresses "data:...", column by column; NULL: none. */
static GPtrArray *
encode_pictures (const AssayResultContactSheet *sheet, gsize *ret_size, GError **error)
{
  g_autoptr (GPtrArray) sources = g_ptr_array_new_with_free_func (g_free);

  *ret_size = 0;
  ASSAY_FOR_EACH (const AssayResultColumn, column, sheet->columns) {
    for (gsize r = 0; r < sheet->n_rows; r++) {
      const AssayThumbnail *thumbnail = column->thumbnails->pdata[r];
      g_autoptr (GBytes) png = NULL;
      g_autofree char *base64 = NULL;

      if (thumbnail == NULL) {
        g_ptr_array_add (sources, NULL);
        continue;
      }
      png = assay_contact_sheet_picture (thumbnail, error);
      if (png == NULL)
        return NULL;
      *ret_size += g_bytes_get_size (png);
      base64 = g_base64_encode (g_bytes_get_data (png, NULL), g_bytes_get_size (png));
      g_ptr_array_add (sources, g_strconcat ("data:image/png;base64,", base64, NULL));
    }
  }
  return g_steal_pointer (&sources);
}

static void
append_heads (AssayHtml *html, const AssayResultContactSheet *sheet)
{
  assay_html_say (html, NULL, "<thead><tr><td></td>");
  ASSAY_FOR_EACH (const AssayResultColumn, column, sheet->columns) {
    const AssayResultCell *cell = column->cell;

    assay_html_open (html, "th");
    assay_html_attribute (html, "scope", "col");
    /* What the page's filters choose by. */
    if (column->role != ASSAY_SHOWN_ORIGINAL)
      assay_html_attribute (html, "data-defense", cell->defense->name);
    if (column->role == ASSAY_SHOWN_RECOVERED)
      assay_html_attribute (html, "data-attack", cell->attack_or_utility->name);
    assay_html_name (html, NULL, column->says);
    assay_html_close (html, "th");
  }
  assay_html_say (html, NULL, "</tr></thead>");
}

static void
append_field (AssayHtml *html, const AssayResultContactSheet *sheet,
              const AssayResultColumn *column, gsize row, const char *source)
{
  const AssayThumbnail *thumbnail = column->thumbnails->pdata[row];
  g_autofree char *alternative
      = g_strdup_printf ("%s %" G_GSIZE_FORMAT ", %s", sheet->unit, row, column->says);

  if (thumbnail == NULL) {
    assay_html_text (html, "td.none", "no picture");
    return;
  }
  assay_html_open (html, "td");
  assay_html_open (html, "img");
  assay_html_attribute (html, "alt", alternative);
  for (guint i = 0; i < 2; i++) {
    const gsize side = i == 0 ? thumbnail->width : thumbnail->height;
    g_autofree char *pixels
        = g_strdup_printf ("%" G_GSIZE_FORMAT, side * assay_contact_sheet_scale (thumbnail));

    assay_html_attribute (html, i == 0 ? "width" : "height", pixels);
  }
  assay_html_attribute (html, "src", source);
  if (column->scores != NULL && isfinite (column->scores[row]))
    assay_html_value (html, "div.score", sheet->measure, column->scores[row]);
  if (column->marks != NULL && column->marks[row])
    assay_html_text (html, "div.mark", sheet->mark);
  assay_html_close (html, "td");
}

static void
append_table (AssayHtml *html, const AssayResultContactSheet *sheet, const GPtrArray *sources)
{
  assay_html_open_region (html, "div.wide", "Pictures");
  assay_html_open (html, "table.sheet");
  append_heads (html, sheet);
  assay_html_open (html, "tbody");
  for (gsize r = 0; r < sheet->n_rows; r++) {
    assay_html_say (html, NULL, "<tr><th scope=\"row\">%s %zu</th>", sheet->unit, r);
    for (guint c = 0; c < sheet->columns->len; c++)
      append_field (html, sheet, sheet->columns->pdata[c], r,
                    sources->pdata[c * sheet->n_rows + r]);
    assay_html_close (html, "tr");
  }
  assay_html_say (html, NULL, "</tbody></table></div>");
}

/* In place of pictures that the page has no room for. */
static void
append_list (AssayHtml *html, const AssayResultContactSheet *sheet, gsize size)
{
  g_autofree char *bytes = assay_text_bytes (size);

  assay_html_say (html, "p",
                  "Its pictures of %s are too large for this page: they stand beside it, in "
                  "`" ASSAY_PICTURE_FOLDER "/%s.png`, with these columns from left to right.",
                  bytes, sheet->name);
  assay_html_open (html, "ol");
  ASSAY_FOR_EACH (const AssayResultColumn, column, sheet->columns)
    assay_html_name (html, "li", column->says);
  assay_html_close (html, "ol");
}

static gboolean
append_sheet (AssayHtml *html, const AssayResultContactSheet *sheet, gsize *inout_left,
              GError **error)
{
  gsize size = 0;
  g_autoptr (GPtrArray) sources = encode_pictures (sheet, &size, error);

  if (sources == NULL)
    return FALSE;
  assay_html_open (html, "figure.pictures");
  if (size > MAX_SHEET || size > *inout_left) {
    append_list (html, sheet, size);
  } else {
    *inout_left -= size;
    append_table (html, sheet, sources);
  }
  assay_html_say (html, NULL,
                  "<figcaption>Of trial 0, all in one: `" ASSAY_PICTURE_FOLDER "/%s.png`.",
                  sheet->name);
  if (sheet->measure != NULL)
    assay_html_say (html, NULL, " Under each picture that came back: `%s` (%s).",
                    sheet->measure->name, sheet->measure->direction);
  assay_html_say (html, NULL, "</figcaption></figure>");
  return TRUE;
}

gboolean
assay_html_contact_sheets (AssayHtml *html, const AssayResults *results, GError **error)
{
  gsize left = MAX_SHEETS;

  if (results->sheets->len == 0)
    return TRUE;
  assay_html_open_section (html, "pictures", "Pictures");
  ASSAY_FOR_EACH (const AssayResultContactSheet, sheet, results->sheets) {
    assay_html_name (html, "h3", sheet->name);
    if (sheet->columns->len == 0)
      assay_html_text (html, "p", "No cell has any.");
    else if (!append_sheet (html, sheet, &left, error))
      return FALSE;
  }
  assay_html_close (html, "section");
  return TRUE;
}
