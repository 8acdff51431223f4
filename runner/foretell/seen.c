/* What was seen of a run while parts of it were played, and what follows for the whole. */
#include "runner/foretell/seen.h"

#include <sys/resource.h>
#include <time.h>

AssayInstant
assay_instant_now (void)
{
  struct timespec work;
  struct rusage ended;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &work);
  getrusage (RUSAGE_CHILDREN, &ended);
  return (AssayInstant){
    .work = (double) (work.tv_sec + ended.ru_utime.tv_sec + ended.ru_stime.tv_sec)
            + 1e-9 * (double) work.tv_nsec
            + 1e-6 * (double) (ended.ru_utime.tv_usec + ended.ru_stime.tv_usec),
    .wall = (double) g_get_monotonic_time () / G_USEC_PER_SEC,
  };
}

AssayInstant
assay_instant_since (AssayInstant start)
{
  const AssayInstant end = assay_instant_now ();

  return (AssayInstant){ end.work - start.work, end.wall - start.wall };
}

static GArray *
played_array (void)
{
  return g_array_new (FALSE, FALSE, sizeof (AssayPlayed));
}

static ASSAY_CLEAR_FUNC (AssaySeenKind, clear_kind, g_array_unref (self->first),
                         g_array_unref (self->later))

static AssaySeenKind
new_kind (const AssayPlan *plan, const AssayCell *cell)
{
  const gboolean is_audit
      = assay_plan_attack_or_utility (plan, cell)->plugin->type == ASSAY_PLUGIN_AUDITOR;

  return (AssaySeenKind){ played_array (), played_array (),
                          is_audit ? ASSAY_STEEPEST_AUDIT : ASSAY_STEEPEST };
}

AssaySeen *
assay_seen_new (const AssayPlan *plan)
{
  AssaySeen *seen = g_new0 (AssaySeen, 1);

  seen->plan = plan;
  seen->kinds = g_array_new (FALSE, FALSE, sizeof (AssaySeenKind));
  g_array_set_clear_func (seen->kinds, (GDestroyNotify) clear_kind);
  seen->judged = played_array ();
  seen->whole = played_array ();
  ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells) {
    const AssaySeenKind kind = cell->trial == 0 ? new_kind (plan, cell) : (AssaySeenKind){ 0 };

    if (cell->trial == 0)
      g_array_append_val (seen->kinds, kind);
  }
  return seen;
}

ASSAY_FREE_FUNC (AssaySeen, assay_seen_free, g_array_unref (self->kinds),
                 g_array_unref (self->judged), g_array_unref (self->whole))

double
assay_seen_pace (const AssaySeen *seen)
{
  return seen->spent.wall / MAX (seen->spent.work, 1e-9);
}

double
assay_seen_carry_on (const GArray *played, double share, double steepest)
{
  return assay_growth_foretell ((const AssayPlayed *) (gpointer) played->data, played->len, share,
                                steepest);
}

/* By how much the work of what was played twice grows in all: what was played once, because the
 * time was over, is taken to grow as that did. 0: nothing was played twice. */
static double
growth_of_others (const AssaySeen *seen)
{
  double first = 0, full = 0;

  ASSAY_FOR_EACH_IN (const AssaySeenKind, kind, seen->kinds) {
    const GArray *played = kind->first;

    if (played->len > 1) {
      first += g_array_index (played, AssayPlayed, 0).seconds;
      full += assay_seen_carry_on (played, 1, kind->steepest);
    }
  }
  return first > 0 ? full / first : 0;
}

static double
full_time (const GArray *played, double growth, double steepest)
{
  const AssayPlayed *only = &g_array_index (played, AssayPlayed, 0);

  return played->len == 1 && only->share < 1 && growth > 0
             ? only->seconds * growth
             : assay_seen_carry_on (played, 1, steepest);
}

static char *
name_of (const AssayPlan *plan, guint index)
{
  const AssayCell *cell = NULL;

  for (gsize i = 0; i < plan->cells->len; i++) {
    cell = assay_plan_cell (plan, i);
    if (cell->trial == 0 && index-- == 0)
      break;
  }
  return g_strdup_printf ("%s of %s", assay_plan_attack_or_utility (plan, cell)->name,
                          assay_plan_defense (plan, cell)->name);
}

/* The work of all trials of the kind, where what was played once alone grows by @growth. */
static double
kind_work (const AssaySeen *seen, const AssaySeenKind *kind, double growth)
{
  const double first = full_time (kind->first, growth, kind->steepest);
  const double later
      = kind->later->len > 0 ? full_time (kind->later, growth, kind->steepest) : first;

  return first + (double) (seen->plan->trials - 1) * later;
}

void
assay_seen_add_up (const AssaySeen *seen, AssayForetold *foretold)
{
  const double growth = growth_of_others (seen);
  double work = 0, least = 0;

  foretold->kinds = seen->kinds->len;
  for (guint i = 0; i < seen->kinds->len; i++) {
    const AssaySeenKind *kind = &g_array_index (seen->kinds, AssaySeenKind, i);

    if (kind->first->len == 0) {
      if (foretold->missing++ == 0)
        foretold->first = name_of (seen->plan, i);
      continue;
    }
    work += kind_work (seen, kind, growth);
    least += kind_work (seen, kind, growth > 0 ? growth : 1);
  }
  if (seen->judged->len > 0) {
    work += full_time (seen->judged, growth, ASSAY_STEEPEST_RESULTS);
    least += full_time (seen->judged, growth > 0 ? growth : 1, ASSAY_STEEPEST_RESULTS);
  }
  foretold->work = seen->opening.work + work;
  foretold->seconds = seen->opening.wall + assay_seen_pace (seen) * work;
  foretold->least = seen->opening.wall + assay_seen_pace (seen) * least;
  ASSAY_FOR_EACH_IN (const AssayPlayed, ended, seen->whole)
    foretold->share = ended->share;
}
