/* That work ends upon Ctrl-C, at whatever moment it comes. */
#pragma once

#include <criterion/criterion.h>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/parallel.h"

static guint stop_asked, stop_after;

static gboolean
stop_is_wanted (void)
{
  return stop_asked++ >= stop_after;
}

/* @work asks at least @least times whether it is to stop, and where it is told so, for the first
 * time at any of @tries moments from the first to the last, it fails with ASSAY_ERROR_CANCELLED. */
static inline void
assert_stops (gboolean (*work) (gpointer data, GError **error), gpointer data, guint least,
              guint tries)
{
  g_autoptr (GError) problem = NULL;
  guint all;

  assay_parallel_set_threads (1);
  assay_interrupt_set_check (stop_is_wanted);
  stop_asked = 0;
  stop_after = G_MAXUINT;
  cr_assert (work (data, &problem), "%s", problem != NULL ? problem->message : "no message");
  all = stop_asked;
  cr_assert_geq (all, least, "it asked %u times, expected %u", all, least);
  for (guint i = 0; i < tries; i++) {
    g_autoptr (GError) error = NULL;

    stop_asked = 0;
    stop_after = tries > 1 ? (guint) ((guint64) (all - 1) * i / (tries - 1)) : 0;
    cr_assert (!work (data, &error), "told when it asked for the %uth time of %u", stop_after + 1,
               all);
    cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED)
                   && g_str_has_suffix (error->message, "interrupted"),
               "%s", error != NULL ? error->message : "no message");
  }
  assay_interrupt_set_check (NULL);
}
