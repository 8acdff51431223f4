/* Loops that say where they are. */
#include "core/base/progress/loop.h"

#include <math.h>

#include "core/base/progress/listen.h"

static _Thread_local AssayLoopListener heard_by;
static _Thread_local AssayLoop *innermost; /* of those that are told; their frames still stand */
static _Thread_local gint64 next;          /* when (monotonic) the listener wants to hear again */

/* The outermost first. */
static void
describe (const AssayLoop *loop, GString *text)
{
  if (loop->outer != NULL)
    describe (loop->outer, text);
  g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", loop->what);
  if (loop->turns > 0)
    g_string_append_printf (text, " %zu of %zu", loop->turn + 1, loop->turns);
}

/* What the innermost that measures something measured. */
static void
describe_measured (const AssayLoop *loop, GString *text)
{
  while (loop != NULL && loop->measured == NULL)
    loop = loop->outer;
  if (loop != NULL && isfinite (loop->value))
    g_string_append_printf (text, ", %s %.3g", loop->measured, loop->value);
}

void
assay_loop_at (AssayLoop *loop, gsize turn)
{
  g_autoptr (GString) text = NULL;
  gint64 now;

  if (heard_by.hear == NULL)
    return;
  if (!loop->is_told) {
    loop->outer = innermost;
    loop->is_told = TRUE;
    innermost = loop;
  }
  loop->turn = turn;
  now = g_get_monotonic_time ();
  if (now < next)
    return;
  next = now + heard_by.every_us;
  text = g_string_new (NULL);
  describe (innermost, text);
  describe_measured (innermost, text);
  heard_by.hear (text->str, heard_by.data);
}

void
assay_loop_measured (AssayLoop *loop, const char *what, double value)
{
  loop->measured = what;
  loop->value = value;
}

void
assay_loop_end (AssayLoop *loop)
{
  while (loop->is_told) {
    innermost->is_told = FALSE;
    innermost = innermost->outer;
  }
}

AssayLoopListener
assay_loop_listen (AssayLoopListener listener)
{
  const AssayLoopListener before = heard_by;

  heard_by = listener;
  next = 0;
  return before;
}
