/* Loops that say where they are. */
#include <criterion/criterion.h>

#include "core/base/parallel.h"
#include "core/base/progress/listen.h"
#include "core/base/progress/loop.h"

static GString *heard; /* a line each */

static void
hear (const char *says, gpointer data)
{
  g_string_append_printf (heard, "%s\n", says);
  (*(guint *) data)++;
}

static void
listen_every (gint64 us, guint *count)
{
  heard = g_string_new (NULL);
  assay_loop_listen ((AssayLoopListener){ hear, count, us });
}

static void
expect (const char *lines)
{
  cr_assert_str_eq (heard->str, lines);
  g_string_truncate (heard, 0);
}

/* The second of two turns measures nothing of its own. */
static void
train (void)
{
  g_auto (AssayLoop) epochs = { "epoch", .turns = 2 };

  for (gsize epoch = 0; epoch < 2; epoch++) {
    g_auto (AssayLoop) batches = { "batch", .turns = 3 };

    assay_loop_at (&epochs, epoch);
    assay_loop_at (&batches, 2);
    assay_loop_measured (&epochs, "loss", 0.12345);
  }
}

Test (loop, loops_are_told_from_without_to_within)
{
  g_auto (AssayLoop) networks = { "network", .turns = 3 };
  g_auto (AssayLoop) done = { .what = "measuring" };
  guint count = 0;

  listen_every (0, &count);
  assay_loop_at (&networks, 1);
  train ();
  expect ("network 2 of 3\n"
          "network 2 of 3, epoch 1 of 2\n"
          "network 2 of 3, epoch 1 of 2, batch 3 of 3\n"
          "network 2 of 3, epoch 2 of 2, loss 0.123\n"
          "network 2 of 3, epoch 2 of 2, batch 3 of 3, loss 0.123\n");
  /* What is over is told no more. */
  assay_loop_at (&networks, 2);
  expect ("network 3 of 3\n");
  assay_loop_end (&networks);
  assay_loop_at (&done, 0);
  expect ("measuring\n");
}

Test (loop, what_is_left_early_is_over)
{
  AssayLoop outer = { "round", .turns = 2 }, inner = { "step", .turns = 9 };
  guint count = 0;

  listen_every (0, &count);
  assay_loop_at (&outer, 0);
  assay_loop_at (&inner, 4);
  assay_loop_end (&outer);
  g_string_truncate (heard, 0);
  /* The inner one goes on all the same: alone. */
  assay_loop_at (&inner, 5);
  expect ("step 6 of 9\n");
  assay_loop_end (&inner);
  assay_loop_end (&inner);
}

Test (loop, a_listener_hears_no_oftener_than_it_wants)
{
  g_auto (AssayLoop) loop = { "turn", .turns = 100000 };
  guint count = 0;

  listen_every ((gint64) 3600 * G_USEC_PER_SEC, &count);
  for (gsize turn = 0; turn < loop.turns; turn++)
    assay_loop_at (&loop, turn);
  cr_assert_eq (count, 1);
}

Test (loop, without_a_listener_nothing_is_told)
{
  guint first = 0, second = 0;
  AssayLoopListener before;

  train ();
  listen_every (0, &first);
  before = assay_loop_listen ((AssayLoopListener){ hear, &second, 0 });
  train ();
  cr_assert_eq (first, 0);
  cr_assert_eq (second, 4);
  assay_loop_listen (before);
  train ();
  cr_assert_eq (first, 4);
  assay_loop_listen ((AssayLoopListener){ 0 });
  train ();
  cr_assert_eq (first, 4);
}

static void
go_through (G_GNUC_UNUSED gsize index, G_GNUC_UNUSED guint worker, G_GNUC_UNUSED gpointer data)
{
  train ();
}

/* Those of other threads are not told: lines would come from several at once. */
Test (loop, of_several_threads_one_is_told)
{
  g_auto (AssayLoop) loop = { .what = "all" };
  guint count = 0;

  listen_every (0, &count);
  assay_loop_at (&loop, 0);
  assay_parallel_set_threads (4);
  assay_parallel_for (64, go_through, NULL);
  cr_assert_eq (count % 4, 1);
  cr_assert_leq (count, 1 + 4 * 64);
  g_string_truncate (heard, 0);
  assay_loop_at (&loop, 0);
  expect ("all\n");
}
