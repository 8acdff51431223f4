/* Processes that share a run. */
#include "cli/workers.h"

#include <string.h>

#include "cli/cli.h"
#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "runner/crew/crew-local.h"

CliParty
cli_party_join (void)
{
  CliParty party = { .post = assay_post_local_new () };

  party.is_local = party.post != NULL;
  if (party.is_local)
    return party;
  party.mpi = assay_mpi_join ();
  if (party.mpi.is_running && party.mpi.size > 1) {
    if (party.mpi.rank == 0)
      party.ranks = assay_crew_mpi_new (&party.mpi);
    else
      party.post = assay_post_mpi_new ();
  }
  return party;
}

void
cli_party_leave (CliParty *party)
{
  if (party->ranks != NULL)
    party->ranks->free (party->ranks);
  if (party->is_local)
    assay_post_local_free (party->post);
  else
    g_free (party->post);
  assay_mpi_leave (&party->mpi);
}

/* Warnings about data, which whoever sends the cells gives too. */
static void
drop_warning (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  (void) domain;
  (void) level;
  (void) message;
  (void) data;
}

static gboolean
on_is_cancelled (gpointer data)
{
  (void) data;
  return cli_is_interrupted ();
}

void
cli_party_work (CliParty *party, char **scenarios, guint n, const CliPlanOptions *options,
                gboolean opens_ahead)
{
  g_autoptr (GPtrArray) plans = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_plan_free);
  const char *name = party->is_local ? "a worker" : party->mpi.name;

  g_log_set_handler (NULL, G_LOG_LEVEL_WARNING, drop_warning, NULL);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GBytes) mail = NULL;
    g_autofree char *text = NULL;
    AssayPlan *plan = cli_plan_new (scenarios[i], options, &error);

    if (plan != NULL) {
      g_ptr_array_add (plans, plan);
      continue;
    }
    text = g_strdup_printf ("%s: %s", name, error->message);
    mail = assay_mail_new (ASSAY_MAIL_FAILED, (guint64) error->code, text, strlen (text));
    party->post->send (party->post, mail);
    break;
  }
  assay_work ((const AssayPlan *const *) plans->pdata, plans->len, opens_ahead, party->post, name,
              on_is_cancelled, NULL);
}

/* The same command for one scenario, without what only the process that writes needs. */
static GPtrArray *
worker_arguments (const AssayPlan *plan, const CliPlanOptions *options, guint n,
                  gboolean is_verbose)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (words, g_strdup ("/proc/self/exe"));
  g_ptr_array_add (words, g_strdup ("run"));
  g_ptr_array_add (words, g_strdup_printf ("--jobs=%u", MAX (assay_parallel_threads () / n, 1)));
  g_ptr_array_add (words, g_strdup_printf ("--cache-memory=%" G_GUINT64_FORMAT,
                                           assay_shared_budget () / n));
  if (is_verbose)
    g_ptr_array_add (words, g_strdup ("--verbose"));
  for (guint i = 0; options->assignments != NULL && options->assignments[i] != NULL; i++)
    g_ptr_array_add (words, g_strconcat ("--set=", options->assignments[i], NULL));
  if (options->seed != NULL)
    g_ptr_array_add (words, g_strconcat ("--seed=", options->seed, NULL));
  if (options->trials != NULL)
    g_ptr_array_add (words, g_strconcat ("--trials=", options->trials, NULL));
  g_ptr_array_add (words, g_strdup (plan->scenario));
  g_ptr_array_add (words, NULL);
  return words;
}

AssayCrew *
cli_crew_new (const AssayPlan *plan, const CliPlanOptions *options, guint n, gboolean is_verbose,
              GError **error)
{
  g_autoptr (GPtrArray) words = worker_arguments (plan, options, n, is_verbose);

  return assay_crew_local_new (n, (const char *const *) words->pdata, error);
}
