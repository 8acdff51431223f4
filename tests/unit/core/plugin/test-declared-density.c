/* The attack `distinguish` against mechanisms whose declared density is not that of their code: an
 * audit that trusted it would look for the wrong event, or for none. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/distinguish.h"
#include "core/plugin/registry.h"
#include "core/stats/epsilon.h"
#include "tests/reference/known-mechanisms.h"

/* "Both inputs give every output equally often." */
static void
declare_nothing (gconstpointer settings, gsize cols, AssayInputPair pair, const float *outputs,
                 gsize count, double *ret_scores)
{
  (void) settings;
  (void) cols;
  (void) pair;
  (void) outputs;
  memset (ret_scores, 0, count * sizeof *ret_scores);
}

static void
run_constant (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
              gsize count, float *ret_outputs)
{
  (void) settings;
  (void) cols;
  (void) stream;
  (void) input;
  memset (ret_outputs, 0, count * sizeof *ret_outputs);
}

static AssayAudit
play (const AssayMechanism *mechanism, const Known *known, const char *score, char **ret_says)
{
  const AssayAuditor *auditor
      = (const AssayAuditor *) assay_registry_find (ASSAY_PLUGIN_AUDITOR, "distinguish", NULL);
  g_autoptr (AssaySettings) settings
      = assay_settings_new (auditor->parameters, auditor->settings_size);
  const AssayAuditContext context = { .settings = settings->values };
  const AssayOracle oracle
      = assay_oracle (mechanism, known, 1, assay_stream_key (1, 0, "declared", score), -1);
  g_autoptr (AssayEvent) event = NULL;
  AssayAudit audit;

  cr_assert (assay_settings_set (settings, "runs", "20000", NULL));
  cr_assert (assay_settings_set (settings, "training", "20000", NULL));
  cr_assert (assay_settings_set (settings, "score", score, NULL));
  event = auditor->choose_event (&context, &oracle, NULL);
  cr_assert (event != NULL);
  *ret_says = g_strdup (event->says);
  cr_assert (assay_distinguish (&oracle, event, &audit, NULL));
  return audit;
}

/* It claims 0, declares 0 and leaks 2: only a score that looks at the runs sees it. */
Test (declared_density, a_declared_density_is_not_trusted)
{
  const Known known = { .epsilon = 2, .outputs = 1, .leaky_pair = G_MAXUINT };
  AssayMechanism lies = known_bit;
  g_autofree char *says = NULL;
  g_autofree char *blind = NULL;
  AssayAudit seen, unseen;

  lies.log_ratio = declare_nothing;
  seen = play (&lies, &known, "auto", &says);
  cr_assert (assay_epsilon_lower (&seen, 0.05) > 1.8, "%s: %g", says,
             assay_epsilon_lower (&seen, 0.05));
  unseen = play (&lies, &known, "likelihood", &blind);
  cr_assert (unseen.hits == 20000 && unseen.mistakes == 20000, "%s", blind);
  cr_assert (assay_epsilon_lower (&unseen, 0.05) == 0);
}

/* Against the right density nothing that is learned promises clearly more. */
Test (declared_density, the_right_density_is_kept)
{
  const Known known = { .epsilon = 1, .outputs = 1, .leaky_pair = G_MAXUINT };

  for (guint i = 0; i < 2; i++) {
    g_autofree char *says = NULL;
    const AssayAudit audit = play (i == 0 ? &known_bit : &known_laplace, &known, "auto", &says);

    cr_assert (g_str_has_prefix (says, "log-likelihood ratio"), "%s", says);
    cr_assert (assay_epsilon_lower (&audit, 0.05) > 0.9);
  }
}

/* Of what always puts out the same, the event is that it does not. */
Test (declared_density, a_constant_has_epsilon_zero)
{
  const Known known = { .epsilon = 1, .outputs = 1, .leaky_pair = G_MAXUINT };
  AssayMechanism constant = known_bit_unknown;
  g_autofree char *says = NULL;
  AssayAudit audit;

  constant.run = run_constant;
  audit = play (&constant, &known, "auto", &says);
  cr_assert (g_str_has_prefix (says, "another output than the one") && audit.hits == 0
                 && audit.mistakes == 0,
             "%s", says);
}
