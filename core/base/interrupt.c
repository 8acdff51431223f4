/* Requests to stop. */
#include "core/base/interrupt.h"

static const int signals[] = { SIGINT, SIGTERM };

static volatile sig_atomic_t has_come;
static gboolean (*check) (void);

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

gboolean
assay_interrupt_is_wanted (void)
{
  return has_come != 0 || (check != NULL && check ());
}

void
assay_interrupt_end (const AssayInterrupt *interrupt)
{
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (interrupt->is_held[i])
      sigaction (signals[i], &interrupt->before[i], NULL);
}
