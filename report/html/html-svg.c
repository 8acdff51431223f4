/* Plots come from a program that is not ours, and their words from scenarios: what is shown in a
 * page is read first. */
#include "report/html/html-parts.h"

#include <string.h>

#include "core/base/error.h"

/* What draws; of other elements none is needed, and some do more. */
static const char *const elements[]
    = { "svg",    "g",        "defs",   "title",    "desc",    "path",           "rect",
        "circle", "ellipse",  "line",   "polyline", "polygon", "text",           "tspan",
        "use",    "clipPath", "marker", "pattern",  "mask",    "linearGradient", "radialGradient",
        "stop",   NULL };

static gboolean
is_reference (const char *attribute)
{
  return g_str_equal (attribute, "href") || g_str_equal (attribute, "xlink:href")
         || g_str_equal (attribute, "src");
}

/* "url(" that is not "url(#...)". */
static gboolean
has_outside_url (const char *value)
{
  g_autofree char *plain = g_ascii_strdown (value, -1);

  for (const char *at = strstr (plain, "url("); at != NULL; at = strstr (at + 1, "url("))
    if (at[strlen ("url(")] != '#')
      return TRUE;
  return strchr (plain, '\\') != NULL;
}

static const char *
why_not (const char *attribute, const char *value)
{
  if (g_ascii_strncasecmp (attribute, "on", 2) == 0)
    return "a handler of events";
  if (g_ascii_strcasecmp (attribute, "style") == 0)
    return "a style";
  if (is_reference (attribute) && *value != '#')
    return "something from elsewhere";
  return has_outside_url (value) ? "something from elsewhere" : NULL;
}

static void
start (GMarkupParseContext *context, const char *element, const char **names, const char **values,
       gpointer data, GError **error)
{
  guint *n_roots = data;
  const gboolean is_root = g_markup_parse_context_get_element_stack (context)->next == NULL;

  *n_roots += is_root;
  if (!g_strv_contains (elements, element) || is_root != g_str_equal (element, "svg")
      || *n_roots > 1) {
    assay_fail (error, ASSAY_ERROR_DATA, "the element <%s>; expected one <svg> of what draws",
                element);
    return;
  }
  for (guint i = 0; names[i] != NULL; i++) {
    const char *what = why_not (names[i], values[i]);

    if (what != NULL) {
      assay_fail (error, ASSAY_ERROR_DATA, "%s: %s=\"%.60s\" of <%s>", what, names[i], values[i],
                  element);
      return;
    }
  }
}

/* Comments, instructions, declarations: HTML ends some of them elsewhere than XML. */
static void
passthrough (G_GNUC_UNUSED GMarkupParseContext *context, const char *content, gsize length,
             G_GNUC_UNUSED gpointer data, GError **error)
{
  const gboolean is_comment = length >= strlen ("<!---->") && g_str_has_prefix (content, "<!--");
  const gsize inside = is_comment ? length - strlen ("<!---->") : 0;

  if (!is_comment || memchr (content + strlen ("<!--"), '>', inside) != NULL
      || memchr (content + strlen ("<!--"), '<', inside) != NULL)
    assay_fail (error, ASSAY_ERROR_DATA, "'%.*s'; expected elements, words and plain comments",
                (int) MIN (length, 60), content);
}

gboolean
assay_html_check_svg (const char *svg, GError **error)
{
  static const GMarkupParser parser = { .start_element = start, .passthrough = passthrough };
  guint n_roots = 0;
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, &n_roots, NULL);
  g_autoptr (GError) problem = NULL;
  const gboolean is_ok = g_markup_parse_context_parse (context, svg, -1, &problem)
                         && g_markup_parse_context_end_parse (context, &problem);

  g_markup_parse_context_free (context);
  return is_ok
         || assay_fail (error, ASSAY_ERROR_DATA, "the plot cannot be shown: %s",
                        problem->message);
}
