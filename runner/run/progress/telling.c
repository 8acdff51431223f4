/* Progress of a run. */
#include "runner/run/progress/telling.h"

ASSAY_CLEAR_FUNC (AssayRunTelling, assay_run_telling_clear, g_clear_pointer (&self->doing, g_free))

void
assay_run_tell (AssayRunTelling *telling, const char *doing)
{
  g_free (telling->doing);
  telling->doing = g_strdup (doing);
  telling->state.doing = telling->doing;
  assay_run_report (telling->callbacks, &telling->state);
}

static void
tell_part (const char *says, gpointer data)
{
  AssayRunTelling *telling = data;

  telling->state.part = says;
  assay_run_report (telling->callbacks, &telling->state);
  telling->state.part = NULL;
}

AssayLoopListener
assay_run_listen (AssayRunTelling *telling)
{
  const AssayRunCallbacks *callbacks = telling->callbacks;
  const gboolean is_wanted = callbacks->progress != NULL && callbacks->part_us > 0;

  return assay_loop_listen (
      (AssayLoopListener){ is_wanted ? tell_part : NULL, telling, callbacks->part_us });
}
