/* Requests to stop, and what heeds them between pieces of work. */
#include <criterion/criterion.h>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/parallel.h"

static guint asked, stops_at; /* how often it was asked; from which time on it says so; 0: never */

static gboolean
is_wanted (void)
{
  asked++;
  return stops_at > 0 && asked >= stops_at;
}

static void
begin (guint when)
{
  asked = 0;
  stops_at = when;
  assay_interrupt_set_check (is_wanted);
}

Test (interrupt, limit)
{
  begin (0);
  cr_assert_not (assay_interrupt_is_wanted ());
  assay_interrupt_set_limit (g_get_monotonic_time () + (gint64) 3600 * G_USEC_PER_SEC);
  cr_assert_not (assay_interrupt_is_wanted ());
  cr_assert_not (assay_interrupt_was_told ());
  assay_interrupt_set_limit (g_get_monotonic_time ());
  cr_assert (assay_interrupt_is_wanted ());
  assay_interrupt_set_limit (0);
  cr_assert_not (assay_interrupt_is_wanted ());
  /* What was told stays so until it is asked. */
  cr_assert (assay_interrupt_was_told ());
  cr_assert_not (assay_interrupt_was_told ());
}

static gboolean
fail_second (gsize index, guint worker, gpointer data, GError **error)
{
  guint *done = data;

  (void) worker;
  (*done)++;
  return index != 1 || assay_fail (error, ASSAY_ERROR_DATA, "the second one");
}

/* Pieces that were begun are done; the first error in their order is reported. */
Test (interrupt, pieces_that_were_not_begun_are_left_out)
{
  static const struct {
    guint stops_at, done;
    AssayErrorCode code;
  } cases[] = { { 1, 0, ASSAY_ERROR_CANCELLED },
                { 2, 1, ASSAY_ERROR_CANCELLED },
                { 4, 3, ASSAY_ERROR_DATA },
                { 0, 10, ASSAY_ERROR_DATA } };

  assay_parallel_set_threads (1);
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autoptr (GError) error = NULL;
    guint done = 0;

    begin (cases[c].stops_at);
    cr_assert_not (assay_parallel_try (10, fail_second, &done, &error));
    cr_assert (done == cases[c].done && g_error_matches (error, ASSAY_ERROR, (gint) cases[c].code),
               "case %zu: %u done, %s", c, done, error->message);
    cr_assert_eq (assay_interrupt_was_told (), cases[c].stops_at > 0);
  }
}
