/* Items stand in a row by class, within a class in random order, so that groups and classes are
 * ranges of it, and a draw is a search among sums of activities. */
#include "core/graph/interactions.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/each.h"
#include "core/data/matrix.h"

#define GROUP 60
#define IN_GROUP 0.5
#define IN_CLASS 0.3

typedef struct {
  gint64 class;
  guint64 order;
  guint32 item;
} Place;

typedef struct {
  gsize n;
  Place *places;
  double *sums; /* n + 1: of the activities of the places before */
} Row;

ASSAY_LOCAL_CLEAR (Row, row_clear, g_free (self->places), g_free (self->sums))

static int
compare_places (const void *a, const void *b)
{
  const Place *first = a, *second = b;

  if (first->class != second->class)
    return first->class < second->class ? -1 : 1;
  if (first->order != second->order)
    return first->order < second->order ? -1 : 1;
  return (first->item > second->item) - (first->item < second->item);
}

static gboolean
line_up (const AssayInteractions *interactions, AssayStream *stream, Row *row, GError **error)
{
  const gsize n = interactions->n;
  const double most = sqrt ((double) n);

  row->n = n;
  row->places = assay_alloc (n, sizeof (Place), "items", error);
  row->sums = row->places != NULL ? assay_alloc (n + 1, sizeof (double), "items", error) : NULL;
  if (row->sums == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    row->places[i] = (Place){ interactions->classes != NULL ? interactions->classes[i] : 0,
                              (guint64) assay_stream_u32 (stream) << 32 | assay_stream_u32 (stream),
                              (guint32) i };
  qsort (row->places, n, sizeof *row->places, compare_places);
  for (gsize i = 0; i < n; i++) {
    const double u = 1 - assay_stream_uniform (stream);

    row->sums[i + 1] = row->sums[i] + MIN (pow (u, -1 / (interactions->exponent - 1)), most);
  }
  return TRUE;
}

/* A place from @first to before @end, with probability ~ its activity. */
static gsize
draw_place (const Row *row, gsize first, gsize end, AssayStream *stream)
{
  const double at = assay_stream_between (stream, row->sums[first], row->sums[end]);
  gsize low = first, high = end - 1;

  ASSAY_BISECT (gsize, place, low, high, !(row->sums[place + 1] > at))
  return low;
}

AssayGraph *
assay_interactions_draw (const AssayInteractions *interactions, AssayStream *stream, GError **error)
{
  const gsize n = interactions->n;
  const gsize count = (gsize) (interactions->mean_degree * (double) n / 2);
  g_auto (Row) row = { 0 };
  g_autofree AssayLink *links = assay_alloc (MAX (count, 1), sizeof (AssayLink), "links", error);
  g_autofree gsize *starts = NULL, *ends = NULL; /* of the class of each place */

  if (links == NULL || !line_up (interactions, stream, &row, error))
    return NULL;
  starts = g_new (gsize, n + 1);
  ends = g_new (gsize, n + 1);
  for (gsize i = 0; i < n; i++)
    starts[i] = i > 0 && row.places[i].class == row.places[i - 1].class ? starts[i - 1] : i;
  for (gsize i = n; i-- > 0;)
    ends[i] = i + 1 < n && row.places[i].class == row.places[i + 1].class ? ends[i + 1] : i + 1;
  for (gsize k = 0; k < count; k++) {
    const gsize from = draw_place (&row, 0, n, stream);
    const double where = assay_stream_uniform (stream);
    gsize first = 0, end = n, to;

    if (where < IN_GROUP) {
      first = starts[from] + (from - starts[from]) / GROUP * GROUP;
      end = MIN (first + GROUP, ends[from]);
    } else if (where < IN_GROUP + IN_CLASS) {
      first = starts[from];
      end = ends[from];
    }
    to = draw_place (&row, first, end, stream);
    links[k] = (AssayLink){ row.places[from].item, row.places[to].item };
  }
  return assay_graph_new (n, links, count, NULL, error);
}
