/* assay export: what a cell of a run was made of, as folders for other programs. */

#include "cli/cli.h"
#include "cli/step.h"
#include "runner/run/export.h"
#include "runner/run/inputs.h"

static CliLike like;
static char *to;

static const GOptionEntry entries[]
    = { { "cell", 0, 0, G_OPTION_ARG_STRING, &like.id, "The cell, as results.json names it", "ID" },
        { "to", 0, 0, G_OPTION_ARG_FILENAME, &to, "A new folder for what it was made of", "DIR" },
        G_OPTION_ENTRY_NULL };

static gboolean
export_cell (GError **error)
{
  g_autoptr (AssayWorkspace) workspace = NULL;

  if (!cli_like_open (&like, error) || !assay_exchange_check_target (to, error))
    return FALSE;
  /* Data that changed since would make another cell. */
  workspace = assay_workspace_new (like.run->plan);
  return assay_inputs_check_data (workspace, like.run->store, like.cell->dataset, FALSE, error)
         && assay_export_cell (like.run->plan, like.run->store, like.cell, to, error);
}

static int
export_run (G_GNUC_UNUSED int n, char **words)
{
  g_autoptr (GError) error = NULL;
  int code;

  if (n < 1 || like.id == NULL || to == NULL)
    return cli_refuse ("expected the output folder of a run, --cell and --to");
  like.folder = words[0];
  code = export_cell (&error) ? EXIT_OK : cli_fail (error);
  cli_like_clear (&like);
  return code;
}

const CliUsage cli_export = {
  .parameters = "RUN",
  .summary
  = "Plays a cell of a run (one defense, one attack, one trial) again, and writes what it was\n"
    "made of: secrets, knowledge, release, truth and guess, in .npy files that any program\n"
    "reads. The folder of the run has the ids of its cells in results.json and results.csv.",
  .description = "Example:\n  assay run scenarios/quickstart.scenario --out quickstart\n"
                 "  assay export quickstart --cell 4669ac4a858525d8 --to cell\n",
  .entries = entries,
  .max_words = 1,
  .run = export_run,
};
