/* Requests to stop. */
#include "core/base/interrupt.h"

#include "core/base/error.h"

static const int signals[] = { SIGINT, SIGTERM };

static volatile sig_atomic_t has_come;
static gboolean (*check) (void);
static gint64 limit;   /* read by the threads of whatever runs, which start after it is set */
static gint was_told; /* atomic */

static void
on_signal (int number)
{
  has_come = number;
}

void
assay_interrupt_set_check (gboolean (*is_wanted) (void))
{
  check = is_wanted;
}

void
assay_interrupt_begin (AssayInterrupt *ret_interrupt)
{
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++) {
    struct sigaction action = { .sa_handler = on_signal };

    action.sa_flags = (int) (SA_RESETHAND | SA_RESTART);
    sigaction (signals[i], NULL, &ret_interrupt->before[i]);
    /* Where there is a check, a default handler is one that was used up: let the second end it. */
    ret_interrupt->is_held[i] = check == NULL && ret_interrupt->before[i].sa_handler == SIG_DFL;
    if (ret_interrupt->is_held[i])
      sigaction (signals[i], &action, NULL);
  }
}

void
assay_interrupt_set_limit (gint64 end)
{
  limit = end;
}

gboolean
assay_interrupt_is_wanted (void)
{
  const gboolean is_wanted = has_come != 0 || (check != NULL && check ())
                             || (limit != 0 && g_get_monotonic_time () >= limit);

  if (is_wanted)
    g_atomic_int_set (&was_told, TRUE);
  return is_wanted;
}

gboolean
assay_interrupt_was_told (void)
{
  return g_atomic_int_compare_and_exchange (&was_told, TRUE, FALSE);
}

gboolean
assay_interrupt_goes_on (GError **error)
{
  return !assay_interrupt_is_wanted ()
         || assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
}

void
assay_interrupt_end (const AssayInterrupt *interrupt)
{
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (interrupt->is_held[i])
      sigaction (signals[i], &interrupt->before[i], NULL);
}
