/* assay export: what a cell of a run was made of, as folders for other programs. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/like.h"
#include "runner/run/export.h"
#include "runner/run/inputs.h"

static gboolean
export_cell (CliLike *like, const char *to, GError **error)
{
  g_autoptr (AssayWorkspace) workspace = NULL;

  if (!cli_like_open (like, error) || !assay_exchange_check_target (to, error))
    return FALSE;
  /* Data that changed since would make another cell. */
  workspace = assay_workspace_new (like->run->plan);
  return assay_inputs_check_data (workspace, like->run->store, like->cell->dataset, FALSE, error)
         && assay_export_cell (like->run->plan, like->run->store, like->cell, to, error);
}

int
cli_export (int argc, char **argv)
{
  CliLike like = { 0 };
  char *to = NULL;
  const GOptionEntry entries[]
      = { { "cell", 0, 0, G_OPTION_ARG_STRING, &like.id, "The cell, as results.json names it",
            "ID" },
          { "to", 0, 0, G_OPTION_ARG_FILENAME, &to, "A new folder for what it was made of", "DIR" },
          G_OPTION_ENTRY_NULL };
  g_autoptr (GError) error = NULL;
  int code = EXIT_BAD_INPUT;

  if (!cli_parse (
          &argc, &argv, "RUN",
          "Plays a cell of a run again and writes what it was made of: secrets, knowledge,\n"
          "release, truth and guess, in .npy files that any program reads.",
          "Example:\n  assay export assay-out/quickstart-1a2b3c4d --cell 0123456789abcdef "
          "--to cell\n",
          entries)
      || !cli_check_words (argc, argv, 1))
    ;
  else if (argc < 2 || like.id == NULL || to == NULL)
    g_printerr ("assay export: expected the output folder of a run, --cell and --to\n");
  else {
    like.folder = g_strdup (argv[1]);
    code = export_cell (&like, to, &error) ? EXIT_OK : cli_fail (error);
  }
  cli_like_clear (&like);
  g_free (to);
  return code;
}
