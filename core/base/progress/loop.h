/* How far a long loop is, for whoever waits for it. A loop whose turns may take a second in sum
 * says at the beginning of each where it is:
 *
 *   g_auto (AssayLoop) loop = { "epoch", .turns = epochs };
 *
 *   for (gsize epoch = 0; epoch < epochs; epoch++) {
 *     assay_loop_at (&loop, epoch);
 *     ...
 *
 * Loops inside loops are told together, "network 2 of 3, epoch 14 of 60, loss 0.183", as often as
 * the listener wants and no oftener: a turn costs a look at the clock. Nothing comes back from it,
 * so that no result can depend on whether somebody listens (progress/listen.h). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AssayLoop AssayLoop;
struct _AssayLoop {
  const char *what; /* a turn, such as "epoch"; or where it has none, what is done; not copied */
  gsize turns;      /* 0: it has none, or it is not known how many */
  /* Of this module alone; 0. */
  gsize turn;
  const char *measured;
  double value;
  gboolean is_told;
  AssayLoop *outer;
};

/* Turn @turn, from 0 on, begins. */
void assay_loop_at (AssayLoop *loop, gsize turn);
/* What the last turn came to: @what, which is not copied, such as "loss". */
void assay_loop_measured (AssayLoop *loop, const char *what, double value);
/* The loop is over, and those inside it. */
void assay_loop_end (AssayLoop *loop);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayLoop, assay_loop_end)

G_END_DECLS
