/* An event in words.
 *
 * The region of a column is found on the training runs: their values in ascending order, in the
 * event or not, and between two neighbours of which one is in it the first float32 that is as the
 * second of them (bisection over all float32 between). An event that changes twice between two
 * neighbours looks there as if it did not. */
#include "attacks/mechanisms/event-says.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define MOST_INTERVALS 5
#define MOST_VALUES 32768 /* that are looked at, of either side */

typedef struct {
  const EventLesson *lesson;
  const EventScore *score;
  const EventCut *cut;
} Event;

static gboolean
holds (const Event *event, guint32 key)
{
  const float value = event_score_value (key);
  double score;

  event->score->score (event->score->data, event->lesson->oracle, &value, 1, &score);
  return event->cut->is_swapped ? score < event->cut->threshold : score >= event->cut->threshold;
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  const guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return x < y ? -1 : x > y;
}

/* The first key after @low at which it is as at @high, and not as at @low. */
static guint32
find_change (const Event *event, guint32 low, guint32 high)
{
  const gboolean is_in = holds (event, high);

  while (high - low > 1) {
    const guint32 middle = low + (high - low) / 2;

    if (holds (event, middle) == is_in)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* From @first to before @end; 0: from the lowest, or to the highest. */
static void
append_interval (GString *text, guint32 first, guint32 end)
{
  const double low = (double) event_score_value (first);
  const double high = (double) event_score_value (end - 1);

  if (text->len > 0)
    g_string_append (text, " or ");
  if (first == 0 && end == 0)
    g_string_append (text, "any");
  else if (first > 0 && isnan (low))
    g_string_append (text, "y1 is NaN");
  else if (first == end - 1)
    g_string_append_printf (text, "y1 = %.9g", low);
  else if (first == 0)
    g_string_append_printf (text, "y1 <= %.9g", high);
  else if (end == 0)
    g_string_append_printf (text, "y1 >= %.9g", low);
  else
    g_string_append_printf (text, "%.9g <= y1 <= %.9g", low, high);
}

/* Of ascending keys that were seen; NULL where there are too many intervals. */
static char *
list_intervals (const Event *event, const guint32 *keys, gsize n)
{
  g_autoptr (GString) text = g_string_new ("");
  guint32 first = 0;
  gboolean is_in = holds (event, keys[0]);
  guint intervals = 0;

  for (gsize i = 1; i < n; i++) {
    guint32 change;

    if (keys[i] == keys[i - 1] || holds (event, keys[i]) == is_in)
      continue;
    change = find_change (event, keys[i - 1], keys[i]);
    if (is_in)
      append_interval (text, first, change);
    if (is_in && ++intervals > MOST_INTERVALS)
      return NULL;
    first = change;
    is_in = !is_in;
  }
  if (is_in)
    append_interval (text, first, 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
find_region (const Event *event)
{
  const EventLesson *lesson = event->lesson;
  const gsize rows = MIN (lesson->count, MOST_VALUES);
  g_autofree guint32 *keys = g_new (guint32, 2 * rows);

  for (guint side = 0; side < 2; side++)
    for (gsize i = 0; i < rows; i++)
      keys[side * rows + i] = event_score_key (lesson->outputs[side][i]);
  qsort (keys, 2 * rows, sizeof *keys, compare_keys);
  return list_intervals (event, keys, 2 * rows);
}

char *
event_says (const EventLesson *lesson, const EventScore *score, const EventCut *cut)
{
  const Event event = { lesson, score, cut };
  g_autofree char *threshold = NULL;
  g_autofree char *how = NULL;

  if (cut->threshold == -DBL_MAX)
    return g_strdup_printf ("any output, pair %u", lesson->pair);
  threshold = g_strdup_printf ("%s %s %.4g", score->what, cut->is_swapped ? "below" : "at least",
                               cut->threshold);
  if (score->is_learned && lesson->oracle->n_outputs == 1)
    how = find_region (&event);
  if (how == NULL && score->describe != NULL)
    how = score->describe (score->data);
  return how != NULL && *how != '\0'
             ? g_strdup_printf ("%s: %s, pair %u", threshold, how, lesson->pair)
             : g_strdup_printf ("%s, pair %u", threshold, lesson->pair);
}
