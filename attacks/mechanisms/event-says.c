/* An event in words.
 *
 * The region of a column is found on the training runs: their values in ascending order, in the
 * event or not, and between two neighbours of which one is in it the first number that is as the
 * second of them (bisection over all float32, or doubles, between). An event that changes twice
 * between two neighbours looks there as if it did not. */
#include "attacks/mechanisms/event-says.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/each.h"

#define MOST_INTERVALS 5
#define MOST_VALUES 32768 /* that are looked at, of either side */

typedef struct {
  const EventLesson *lesson;
  const EventScore *score;
  const EventCut *cut;
} Event;

/* Keys of the type that the outputs have: between two float32 no double is looked for. */
static guint64
key_of (const Event *event, double value)
{
  guint32 bits;
  const float narrow = (float) value;

  if (event->lesson->oracle->is_double)
    return assay_output_key (value);
  if (isnan (value))
    return G_MAXUINT32;
  memcpy (&bits, &narrow, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static double
value_of (const Event *event, guint64 key)
{
  const guint32 low = (guint32) key, bits = low & 0x80000000u ? low & 0x7FFFFFFFu : ~low;
  float value;

  if (event->lesson->oracle->is_double)
    return assay_output_value (key);
  memcpy (&value, &bits, sizeof value);
  return (double) value;
}

static gboolean
holds (const Event *event, guint64 key)
{
  const AssayOracle *oracle = event->lesson->oracle;
  const double value = value_of (event, key);
  const float narrow = (float) value;
  double score;

  event->score->score (
      event->score->data, oracle,
      assay_oracle_outputs (oracle, oracle->is_double ? (gconstpointer) &value : &narrow), 1,
      &score);
  return event->cut->is_swapped ? score < event->cut->threshold : score >= event->cut->threshold;
}

/* The first key after @low at which it is as at @high, and not as at @low. */
static guint64
find_change (const Event *event, guint64 low, guint64 high)
{
  const gboolean is_in = holds (event, high);

  ASSAY_BISECT_BETWEEN (guint64, key, low, high, holds (event, key) != is_in)
  return high;
}

/* From @first to before @end; 0: from the lowest, or to the highest. */
static void
append_interval (const Event *event, GString *text, guint64 first, guint64 end)
{
  g_autofree char *low = event_number (value_of (event, first));
  g_autofree char *high = event_number (value_of (event, end - 1));

  if (text->len > 0)
    g_string_append (text, " or ");
  if (first == 0 && end == 0)
    g_string_append (text, "any");
  else if (first > 0 && assay_output_is_failed (value_of (event, first)))
    g_string_append (text, "the program failed");
  else if (first > 0 && isnan (value_of (event, first)))
    g_string_append (text, "y1 is NaN");
  else if (first == end - 1)
    g_string_append_printf (text, "y1 = %s", low);
  else if (first == 0)
    g_string_append_printf (text, "y1 <= %s", high);
  else if (end == 0)
    g_string_append_printf (text, "y1 >= %s", low);
  else
    g_string_append_printf (text, "%s <= y1 <= %s", low, high);
}

typedef void (*AppendInterval) (const Event *event, GString *text, guint64 first, guint64 end);

/* The same as an expression in Python on the keys of doubles. */
static void
append_python (const Event *event, GString *text, guint64 first, guint64 end)
{
  if (text->len > 0)
    g_string_append (text, " | ");
  g_string_append (text, "((k >= k)");
  if (first != 0)
    g_string_append_printf (text, " & (k >= numpy.uint64(%" G_GUINT64_FORMAT "))",
                            assay_output_key (value_of (event, first)));
  if (end != 0)
    g_string_append_printf (text, " & (k <= numpy.uint64(%" G_GUINT64_FORMAT "))",
                            assay_output_key (value_of (event, end - 1)));
  g_string_append_c (text, ')');
}

/* Of ascending keys that were seen; NULL where there are too many intervals. */
static char *
list_intervals (const Event *event, const guint64 *keys, gsize n, AppendInterval append)
{
  g_autoptr (GString) text = g_string_new ("");
  guint64 first = 0;
  gboolean is_in = holds (event, keys[0]);
  guint intervals = 0;

  for (gsize i = 1; i < n; i++) {
    guint64 change;

    if (keys[i] == keys[i - 1] || holds (event, keys[i]) == is_in)
      continue;
    change = find_change (event, keys[i - 1], keys[i]);
    if (is_in)
      append (event, text, first, change);
    if (is_in && ++intervals > MOST_INTERVALS)
      return NULL;
    first = change;
    is_in = !is_in;
  }
  if (is_in)
    append (event, text, first, 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
find_region (const Event *event, AppendInterval append)
{
  const EventLesson *lesson = event->lesson;
  const gsize rows = MIN (lesson->count, MOST_VALUES);
  g_autofree guint64 *keys = g_new (guint64, 2 * rows);

  for (guint side = 0; side < 2; side++)
    for (gsize i = 0; i < rows; i++)
      keys[side * rows + i] = key_of (event, assay_output_at (lesson->outputs[side], i, 0));
  event_sort_keys (keys, 2 * rows);
  return list_intervals (event, keys, 2 * rows, append);
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
  if (score->is_learned && lesson->oracle->n_outputs == 1 && lesson->oracle->single_runs == 0)
    how = find_region (&event, append_interval);
  if (how == NULL && score->describe != NULL)
    how = score->describe (score->data);
  return how != NULL && *how != '\0'
             ? g_strdup_printf ("%s: %s, pair %u", threshold, how, lesson->pair)
             : g_strdup_printf ("%s, pair %u", threshold, lesson->pair);
}

static char *
indented (const char *lines)
{
  g_auto (GStrv) all = g_strsplit (lines, "\n", -1);
  GString *text = g_string_new ("");

  for (char **line = all; *line != NULL; line++)
    if (**line != '\0')
      g_string_append_printf (text, "    %s\n", *line);
  return g_string_free (text, FALSE);
}

char *
event_in_python (const EventLesson *lesson, const EventScore *score, const EventCut *cut)
{
  const Event event = { lesson, score, cut };
  g_autofree char *lines = score->python != NULL ? score->python (score->data) : NULL;
  g_autofree char *body = lines != NULL ? indented (lines) : NULL;
  g_autofree char *region = NULL;

  if (cut->threshold == -DBL_MAX)
    return NULL;
  if (body != NULL)
    return g_strdup_printf ("def score(y):\n%s\n\n"
                            "def event(y):\n    return score(y) %s %.17g\n",
                            body, cut->is_swapped ? "<" : ">=", cut->threshold);
  if (lesson->oracle->n_outputs != 1 || lesson->oracle->single_runs > 0)
    return NULL;
  region = find_region (&event, append_python);
  return region != NULL && *region != '\0'
             ? g_strdup_printf ("def event(y):\n    k = key(y[:, 0])\n    return %s\n", region)
             : NULL;
}
