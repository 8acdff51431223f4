/* Edge lists: text files. */
#include "core/graph/edge-list.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/base/text.h"
#include "core/base/vectors.h"
#include "core/data/matrix.h"

/* An array of GLib has no more. */
#define MAX_IDS ((guint) 1 << 28)

typedef struct {
  const char *at, *end;
  gsize line;
} Reader;

static gboolean
is_between (char c)
{
  return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

static void
skip_blanks (Reader *reader)
{
  while (reader->at < reader->end && is_between (*reader->at))
    reader->at++;
}

/* Up to the first number of the next line that has one; FALSE at the end. */
static gboolean
next_line (Reader *reader)
{
  while (reader->at < reader->end) {
    const char *newline;

    skip_blanks (reader);
    if (reader->at < reader->end && *reader->at != '#' && *reader->at != '%' && *reader->at != '\n')
      return TRUE;
    newline = memchr (reader->at, '\n', (gsize) (reader->end - reader->at));
    reader->at = newline != NULL ? newline + 1 : reader->end;
    reader->line++;
  }
  return FALSE;
}

static gboolean
read_id (Reader *reader, const char *what, gint64 *ret_id, GError **error)
{
  const char *start;
  guint64 id = 0;

  skip_blanks (reader);
  for (start = reader->at; reader->at < reader->end && g_ascii_isdigit (*reader->at); reader->at++)
    if (id <= G_MAXINT64 / 10)
      id = 10 * id + (guint64) (*reader->at - '0');
    else
      id = G_MAXUINT64;
  if (reader->at == start
      || (reader->at < reader->end && !is_between (*reader->at) && *reader->at != '\n'))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %zu: expected two whole numbers of 0 or more, %s", reader->line, what);
  if (id > G_MAXINT64)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "line %zu: an id is too large; expected one below 2^63", reader->line);
  *ret_id = (gint64) id;
  return TRUE;
}

/* All numbers, two a line. @what: what both of a line are. */
static GArray *
read_ids (GBytes *bytes, const char *what, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  /* Of an empty file there is no memory to point into. */
  Reader reader = { data, size > 0 ? data + size : data, 1 };

  while (size > 0 && next_line (&reader)) {
    gint64 pair[2];

    if (!read_id (&reader, what, &pair[0], error) || !read_id (&reader, what, &pair[1], error))
      return NULL;
    skip_blanks (&reader);
    if (reader.at < reader.end && *reader.at != '\n')
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "line %zu: has more than two columns; expected %s and nothing else",
                              reader.line, what);
    if (ids->len > MAX_IDS)
      return assay_fail_null (error, ASSAY_ERROR_DATA, "has more than %u lines of links",
                              MAX_IDS / 2);
    g_array_append_vals (ids, pair, 2);
  }
  if (ids->len == 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "has no numbers; expected in each line two, %s", what);
  return g_steal_pointer (&ids);
}

static gsize
rank_of (gint64 id, const gint64 *ids, gsize n)
{
  const gint64 *found = bsearch (&id, ids, n, sizeof id, assay_compare_int64s);

  return (gsize) (found - ids);
}

static AssayEdgeList *
from_ids (const GArray *linked, GError **error)
{
  g_autoptr (AssayEdgeList) list = g_new0 (AssayEdgeList, 1);
  const gint64 *both = (const gint64 *) (gconstpointer) linked->data;
  g_autofree AssayLink *links = assay_alloc (linked->len / 2, sizeof (AssayLink), "links", error);
  gsize n = 0;

  if (links == NULL)
    return NULL;
  list->ids = g_memdup2 (both, linked->len * sizeof (gint64));
  qsort (list->ids, linked->len, sizeof (gint64), assay_compare_int64s);
  for (gsize i = 0; i < linked->len; i++)
    if (i == 0 || list->ids[i] != list->ids[n - 1])
      list->ids[n++] = list->ids[i];
  if (n > ASSAY_GRAPH_MAX_NODES)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "has %zu nodes; expected at most %u", n,
                            ASSAY_GRAPH_MAX_NODES);
  for (gsize i = 0; i < linked->len / 2; i++)
    links[i] = (AssayLink){ (guint32) rank_of (both[2 * i], list->ids, n),
                            (guint32) rank_of (both[2 * i + 1], list->ids, n) };
  list->graph = assay_graph_new (n, links, linked->len / 2, &list->counts, error);
  return list->graph != NULL ? g_steal_pointer (&list) : NULL;
}

GArray *
assay_number_pairs_read (const char *path, const char *what, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map (path, error);
  GArray *pairs;

  if (bytes == NULL)
    return NULL;
  pairs = read_ids (bytes, what, error);
  return pairs != NULL ? pairs : assay_prefix_null (error, "%s: ", path);
}

AssayEdgeList *
assay_edge_list_read (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map (path, error);
  g_autoptr (GArray) ids = NULL;
  AssayEdgeList *list;

  if (bytes == NULL)
    return NULL;
  ids = read_ids (bytes, "the ids of two nodes", error);
  list = ids != NULL ? from_ids (ids, error) : NULL;
  return list != NULL ? list : assay_prefix_null (error, "%s: ", path);
}

ASSAY_FREE_FUNC (AssayEdgeList, assay_edge_list_free, assay_graph_free (self->graph),
                 g_free (self->ids))

char *
assay_edge_list_describe (const AssayEdgeList *list)
{
  g_autofree char *loops = assay_text_count (list->counts.loops);
  g_autofree char *repeats = assay_text_count (list->counts.repeats);
  g_autofree char *one_way = assay_text_count (list->counts.one_way);
  g_autofree char *edges = assay_text_count (assay_graph_edges (list->graph));

  return g_strdup_printf ("%s %s left out, %s repeated %s taken once, %s of %s edges in one "
                          "direction alone",
                          loops, list->counts.loops == 1 ? "loop" : "loops", repeats,
                          list->counts.repeats == 1 ? "link" : "links", one_way, edges);
}
