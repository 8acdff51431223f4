/* Playing audits. */
#include "tests/unit/attacks/audit-play.h"

#include <criterion/criterion.h>

#include "core/games/distinguish.h"
#include "core/plugin/registry.h"

const AssayAuditor *
audit_auditor (void)
{
  return (const AssayAuditor *) assay_registry_find (ASSAY_PLUGIN_AUDITOR, "distinguish", NULL);
}

AssaySettings *
audit_settings (const char *text)
{
  AssaySettings *settings
      = assay_settings_new (audit_auditor ()->parameters, audit_auditor ()->settings_size);
  g_auto (GStrv) words = g_strsplit (text, " ", -1);

  for (gsize i = 0; words[i] != NULL; i++) {
    g_auto (GStrv) sides = g_strsplit (words[i], "=", 2);

    cr_assert (assay_settings_set (settings, sides[0], sides[1], NULL), "%s", words[i]);
  }
  return settings;
}

gboolean
audit_try (const AssayMechanism *mechanism, const Known *known, const char *text, guint64 seed,
           AuditOutcome *ret_outcome, GError **error)
{
  g_autoptr (AssaySettings) settings = audit_settings (text);
  const AssayAuditContext context = { .settings = settings->values };
  const AssayOracle oracle
      = assay_oracle (mechanism, known, 1, assay_stream_key (seed, 0, "mechanism", text),
                      audit_auditor ()->delta (settings->values));
  g_autoptr (AssayEvent) event = audit_auditor ()->choose_event (&context, &oracle, error);

  if (event == NULL)
    return FALSE;
  *ret_outcome = (AuditOutcome){ .pair = event->pair, .trained_on = event->trained_on };
  if (!assay_distinguish (&oracle, event, &ret_outcome->audit, error))
    return FALSE;
  g_strlcpy (ret_outcome->says, event->says, sizeof ret_outcome->says);
  return TRUE;
}

AuditOutcome
audit_play (const AssayMechanism *mechanism, const Known *known, const char *text, guint64 seed)
{
  g_autoptr (GError) error = NULL;
  AuditOutcome outcome = { 0 };

  cr_assert (audit_try (mechanism, known, text, seed, &outcome, &error), "%s: %s", text,
             error != NULL ? error->message : "");
  return outcome;
}
