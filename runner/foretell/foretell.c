/* How long a run takes, by playing small parts of it. */
#include "runner/foretell/foretell.h"

#include "core/base/interrupt.h"
#include "core/base/shared-work.h"
#include "runner/foretell/part.h"
#include "runner/foretell/seen.h"
#include "runner/judge/load.h"
#include "runner/run/run.h"

#define SMALLEST (1.0 / 64)
#define STEP 4.0       /* from one part to the next, where there is time for it */
#define SMALL_STEP 2.0 /* where there is not */
#define TRIALS 2       /* the first makes what later ones share */
#define LOOK_US 20000  /* between two looks at whether Ctrl-C was pressed */
#define PATIENCE_US (3 * G_USEC_PER_SEC)

typedef struct {
  AssayForetelling given;
  GMutex lock;        /* of what follows, which the thread that plays writes */
  GCond is_over_cond; /* it has ended */
  gboolean is_over;
  AssaySeen *seen;
} Playing;

static gint is_late; /* the time is over: what is under way shall end */
static gboolean (*is_cancelled) (void);

static gboolean
must_end (void)
{
  return g_atomic_int_get (&is_late) || (is_cancelled != NULL && is_cancelled ());
}

static double
seconds_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
}

static Playing *
playing_new (const AssayForetelling *given)
{
  Playing *playing = g_new0 (Playing, 1);

  playing->given = *given;
  playing->seen = assay_seen_new (given->plan);
  g_mutex_init (&playing->lock);
  g_cond_init (&playing->is_over_cond);
  return playing;
}

static ASSAY_FREE_FUNC (Playing, playing_free, assay_seen_free (self->seen),
                        g_mutex_clear (&self->lock), g_cond_clear (&self->is_over_cond))

/* ---- Playing, in a thread of its own ---- */

/* That cell @number of trial @trial, of which @share was played, took the time since @start. */
static void
add_cell (Playing *playing, guint number, guint trial, double share, AssayInstant start)
{
  const AssaySeenKind *kind = &g_array_index (playing->seen->kinds, AssaySeenKind, number);
  const AssayInstant took = assay_instant_since (start);
  const AssayPlayed played = { share, took.work };

  g_mutex_lock (&playing->lock);
  playing->seen->spent.work += took.work;
  playing->seen->spent.wall += took.wall;
  g_array_append_val (trial == 0 ? kind->first : kind->later, played);
  g_mutex_unlock (&playing->lock);
}

/* A part under way, with nothing left of what an earlier one made but the data. */
typedef struct {
  AssayPlan *plan;
  AssayWorkspace *workspace;
  AssayStore *store;
  AssayRunner *runner;
} Part;

static ASSAY_CLEAR_FUNC (Part, part_clear, assay_drop (self->runner, assay_runner_free),
                         assay_drop (self->store, assay_store_close),
                         assay_drop (self->workspace, assay_workspace_free),
                         assay_drop (self->plan, assay_plan_free))

/* FALSE: such a part is refused. */
static gboolean
part_open (Playing *playing, double share, guint64 owner, Part *ret_part)
{
  static const AssayRunCallbacks callbacks = { .progress = NULL };
  const AssayPlan *plan = playing->given.plan;
  const guint64 budget = assay_shared_budget ();
  g_auto (GStrv) assignments
      = share < 1 ? assay_part_assignments (plan, share) : g_new0 (char *, 1);

  *ret_part = (Part){ .plan = playing->given.make (assignments, MIN (plan->trials, TRIALS),
                                                   playing->given.data) };
  if (ret_part->plan == NULL)
    return FALSE;
  assay_shared_set_budget (0);
  assay_shared_set_budget (budget);
  ret_part->workspace = assay_workspace_new (ret_part->plan);
  assay_workspace_share_data (ret_part->workspace, owner);
  ret_part->store = assay_store_new_in_memory (NULL);
  ret_part->runner
      = assay_runner_new (ret_part->plan, ret_part->workspace, ret_part->store, &callbacks);
  return TRUE;
}

/* Plays cell @index of @part, the @number-th of its trial, and takes down what it took; not of one
 * that failed, as with few secrets some do at once. FALSE: the time is over. */
static gboolean
play_cell (Playing *playing, const Part *part, gsize index, guint number)
{
  const AssayCell *cell = assay_plan_cell (part->plan, index);
  const AssayInstant start = assay_instant_now ();
  AssayCellRecord record = { 0 };

  if (!assay_runner_cell (part->runner, index, NULL) || must_end ()
      || !assay_store_cell (part->store, index, &record, NULL))
    return FALSE;
  g_free (record.message);
  if (record.status == ASSAY_CELL_OK || record.status == ASSAY_CELL_CONTROL_FAILED)
    add_cell (playing, number, cell->trial,
              assay_part_share (playing->given.plan, part->plan, cell), start);
  return TRUE;
}

/* Cells stand in the order of the plan, trial for trial, in parts as in the whole. */
static gboolean
play_cells (Playing *playing, const Part *part)
{
  guint next[TRIALS] = { 0 };

  for (gsize i = 0; i < part->plan->cells->len; i++)
    if (!play_cell (playing, part, i, next[assay_plan_cell (part->plan, i)->trial]++))
      return FALSE;
  return TRUE;
}

static gboolean
forget_cell (G_GNUC_UNUSED const AssayResultCell *cell, G_GNUC_UNUSED gpointer data,
             G_GNUC_UNUSED GError **error)
{
  return TRUE;
}

/* Measures and judges @part as a run does in the end, if there is time. */
static void
judge_part (Playing *playing, const Part *part, double share, double left)
{
  const AssayInstant start = assay_instant_now ();
  AssayPlayed played
      = { .share = share * (double) part->plan->trials / (double) playing->given.plan->trials };
  g_autoptr (AssayResults) results = NULL;

  if (playing->seen->judged->len > 0
      && assay_seen_pace (playing->seen)
                 * assay_seen_carry_on (playing->seen->judged, played.share, ASSAY_STEEPEST_RESULTS)
             > left)
    return;
  results = assay_results_load (part->plan, part->store, NULL);
  if (results == NULL || !assay_results_each_cell (results, TRUE, forget_cell, NULL, NULL))
    return;
  played.seconds = assay_instant_since (start).work;
  g_mutex_lock (&playing->lock);
  g_array_append_val (playing->seen->judged, played);
  g_mutex_unlock (&playing->lock);
}

/* Plays @share of the work of each cell. FALSE: the time is over. */
static gboolean
play_part (Playing *playing, double share, guint64 owner, double left)
{
  const gint64 start = g_get_monotonic_time ();
  AssayPlayed played = { .share = share };
  gboolean is_over;
  Part part;

  if (!part_open (playing, share, owner, &part))
    return TRUE;
  is_over = !play_cells (playing, &part);
  if (!is_over)
    judge_part (playing, &part, share, left - seconds_since (start));
  part_clear (&part);
  if (is_over)
    return FALSE;
  played.seconds = seconds_since (start);
  g_mutex_lock (&playing->lock);
  g_array_append_val (playing->seen->whole, played);
  g_mutex_unlock (&playing->lock);
  return TRUE;
}

/* The kind that was not @is_done and is foretold to take longest, of those that take at most @left
 * at @share; -1: none. */
static gint
largest_kind (const Playing *playing, const gboolean *is_done, double share, double left)
{
  double most = 0;
  gint largest = -1;

  for (guint i = 0; i < playing->seen->kinds->len; i++) {
    const AssaySeenKind *kind = &g_array_index (playing->seen->kinds, AssaySeenKind, i);
    const double full
        = kind->first->len > 0 ? assay_seen_carry_on (kind->first, 1, kind->steepest) : 0;

    if (!is_done[i] && full > most
        && assay_seen_pace (playing->seen)
                   * assay_seen_carry_on (kind->first, share, kind->steepest)
               <= left) {
      most = full;
      largest = (gint) i;
    }
  }
  return largest;
}

/* Where there is no time for another part: plays @share of the cells that decide how long the run
 * takes, as many as there is time for. FALSE: there was none for any. */
static gboolean
play_largest (Playing *playing, double share, guint64 owner, gint64 start)
{
  g_autofree gboolean *is_done = g_new0 (gboolean, playing->seen->kinds->len);
  g_autofree gsize *places = g_new0 (gsize, playing->seen->kinds->len); /* in the part */
  gboolean is_any = FALSE;
  guint next = 0;
  Part part;
  gint kind;

  if (!part_open (playing, share, owner, &part))
    return FALSE;
  for (gsize i = 0; i < part.plan->cells->len; i++)
    if (assay_plan_cell (part.plan, i)->trial == 0)
      places[next++] = i;
  while (!must_end ()
         && (kind = largest_kind (playing, is_done, share,
                                  playing->given.seconds - seconds_since (start)))
                >= 0) {
    is_any = is_done[kind] = TRUE;
    if (!play_cell (playing, &part, places[kind], (guint) kind))
      break;
  }
  part_clear (&part);
  return is_any;
}

/* The next share to play: as large as the time that is @left has room for. The second part is
 * played in any case, as one alone does not tell what grows. 0: none. */
static double
next_share (const Playing *playing, double share, double left)
{
  const double far = MIN (share * STEP, 1), near = MIN (share * SMALL_STEP, 1);

  if (share >= 1)
    return 0;
  if (playing->seen->whole->len == 0
      || assay_seen_carry_on (playing->seen->whole, far, ASSAY_STEEPEST) <= left)
    return far;
  return assay_seen_carry_on (playing->seen->whole, near, ASSAY_STEEPEST) <= left
                 || playing->seen->whole->len == 1
             ? near
             : 0;
}

/* One of few secrets is the smallest part that there is of them. */
static double
smallest_share (const AssayPlan *plan)
{
  const gsize n = plan->secret_groups > 0 ? plan->secret_groups : plan->secrets;

  return assay_plan_has_releases (plan) && n > 0 ? CLAMP (1 / (double) n, SMALLEST, 1) : SMALLEST;
}

/* Holds all data of the plan, so that no part opens it again. */
static GPtrArray *
open_data (Playing *playing, guint64 owner)
{
  const AssayPlan *plan = playing->given.plan;
  GPtrArray *keepers = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_workspace_free);
  const AssayInstant start = assay_instant_now ();
  gboolean is_open = TRUE;

  for (guint i = 0; i < plan->datasets->len && is_open && !must_end (); i++) {
    AssayWorkspace *keeper = assay_workspace_new (plan);
    const char *sha256;

    g_ptr_array_add (keepers, keeper);
    assay_workspace_share_data (keeper, owner);
    is_open = assay_workspace_dataset (keeper, i, &sha256, NULL);
  }
  g_mutex_lock (&playing->lock);
  playing->seen->opening = assay_instant_since (start);
  g_mutex_unlock (&playing->lock);
  return keepers;
}

static gpointer
play (gpointer data)
{
  Playing *playing = data;
  const gint64 start = g_get_monotonic_time ();
  const guint64 owner = assay_shared_owner ();
  G_GNUC_UNUSED g_autoptr (GPtrArray) keepers = open_data (playing, owner);
  double share = smallest_share (playing->given.plan), next = share;

  while (next > 0 && !must_end ()) {
    share = next;
    if (!play_part (playing, share, owner, playing->given.seconds - seconds_since (start)))
      break;
    next = next_share (playing, share, playing->given.seconds - seconds_since (start));
  }
  while (share < 1 && !must_end ()) {
    share = MIN (share * SMALL_STEP, 1);
    if (!play_largest (playing, share, owner, start))
      break;
  }
  g_mutex_lock (&playing->lock);
  playing->is_over = TRUE;
  g_cond_signal (&playing->is_over_cond);
  g_mutex_unlock (&playing->lock);
  return NULL;
}

/* With the lock held: waits until @until for the thread to end. Whether it has. */
static gboolean
await (Playing *playing, gint64 until)
{
  while (!playing->is_over && g_get_monotonic_time () < until)
    g_cond_wait_until (&playing->is_over_cond, &playing->lock,
                       MIN (until, g_get_monotonic_time () + LOOK_US));
  return playing->is_over;
}

gboolean
assay_foretell (const AssayForetelling *foretelling, AssayForetold *ret_foretold)
{
  Playing *playing = playing_new (foretelling);
  const gint64 start = g_get_monotonic_time ();
  gboolean is_over;
  GThread *thread;

  *ret_foretold = (AssayForetold){ 0 };
  is_cancelled = foretelling->is_cancelled;
  g_atomic_int_set (&is_late, FALSE);
  assay_interrupt_set_check (must_end);
  thread = g_thread_new ("foretell", play, playing);
  g_mutex_lock (&playing->lock);
  if (!await (playing, start + (gint64) (foretelling->seconds * G_USEC_PER_SEC)))
    g_atomic_int_set (&is_late, TRUE);
  is_over = await (playing, g_get_monotonic_time () + PATIENCE_US);
  ret_foretold->took = seconds_since (start);
  assay_seen_add_up (playing->seen, ret_foretold);
  g_mutex_unlock (&playing->lock);
  if (!is_over) {
    g_thread_unref (thread); /* which still uses what it plays */
    return FALSE;
  }
  g_thread_join (thread);
  playing_free (playing);
  return TRUE;
}
