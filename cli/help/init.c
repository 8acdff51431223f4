/* assay init: a scenario to begin with. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/help/starter-programs.h"
#include "cli/help/starter.h"
#include "core/base/output-file.h"
#include "core/plugin/registry.h"

static char *out;
static char **assignments;

static const GOptionEntry entries[] = { { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &assignments,
                                          "A setting of the defense", "SETTING=VALUE" },
                                        { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out,
                                          "The file to write (default: DEFENSE.scenario)", "FILE" },
                                        G_OPTION_ENTRY_NULL };

static void
print_defenses (void)
{
  gsize width = 0;

  for (guint i = 0; assay_defenses[i] != NULL; i++)
    width = MAX (width, strlen (assay_defenses[i]->id));
  printf ("Usage: assay init DEFENSE [--set SETTING=VALUE] [--out FILE]\n\n"
          "Writes a scenario to begin with, in which one of these defenses is attacked:\n");
  for (guint i = 0; assay_defenses[i] != NULL; i++)
    printf ("  %-*s %s\n", (int) width, assay_defenses[i]->id, assay_defenses[i]->summary);
}

static gboolean
write_text (const char *path, const char *text, GError **error)
{
  g_autoptr (AssayOutputFile) file = assay_output_file_new (path, FALSE, FALSE, error);

  return file != NULL && assay_output_file_write (file, text, strlen (text), error)
         && assay_output_file_finish (file, error);
}

/* That nothing stands there, in words that fit this command: there is no way to replace it. */
static gboolean
check_place (const char *path, GError **error)
{
  if (*path == '\0')
    return assay_fail (error, ASSAY_ERROR_DATA, "--out: expected a file name");
  if (g_file_test (path, G_FILE_TEST_EXISTS) || g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: is there already and is not replaced; expected another name with --out "
                       "FILE",
                       path);
  return TRUE;
}

/* The programs beside the scenario, each where nothing stands. */
static gboolean
write_programs (const CliProgram *programs, const char *scenario, GString *names, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (scenario);

  for (guint pass = 0; pass < 2; pass++)
    for (const CliProgram *program = programs; program != NULL && program->name != NULL;
         program++) {
      g_autofree char *path = g_str_equal (folder, ".")
                                  ? g_strdup (program->name)
                                  : g_build_filename (folder, program->name, NULL);

      if (pass == 0 ? !check_place (path, error) : !write_text (path, program->text, error))
        return FALSE;
      if (pass == 1)
        g_string_append_printf (names, ", %s", path);
    }
  return TRUE;
}

static gboolean
init (const char *id, GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, id, error);
  g_autofree char *own = g_strconcat (id, ".scenario", NULL);
  const char *path = out != NULL ? out : own;
  g_autofree char *text = NULL;
  g_autoptr (GString) programs = g_string_new (NULL);
  gboolean has_gaps;

  if (plugin == NULL || !check_place (path, error))
    return FALSE;
  text = assay_starter_new ((const AssayDefense *) plugin, (const char *const *) assignments,
                            &has_gaps, error);
  if (text == NULL
      || !write_programs (cli_starter_programs ((const AssayDefense *) plugin), path, programs,
                          error)
      || !write_text (path, text, error))
    return FALSE;
  if (has_gaps)
    printf ("%s: replace FILL_IN in it, then\n  %s run %s\n", path, cli_name (), path);
  else
    printf ("%s%s: written. To run it:\n  %s run %s\n", path, programs->str, cli_name (), path);
  return TRUE;
}

static int
init_or_list (int n, char **words)
{
  g_autoptr (GError) error = NULL;

  if (n > 0)
    return init (words[0], &error) ? EXIT_OK : cli_fail (error);
  print_defenses ();
  return EXIT_OK;
}

const CliUsage cli_init = {
  .parameters = "[DEFENSE]",
  .summary = "Writes a commented scenario in which DEFENSE is attacked, on generated data, by\n"
             "everything that can attack it. Of 'exec', a program of one's own, it writes\n"
             "my_defense.py and my_attack.py, too. Without DEFENSE: lists what there is.",
  .description = "Example:\n  assay init ldp-feat && assay run ldp-feat.scenario\n",
  .entries = entries,
  .max_words = 1,
  .run = init_or_list,
};
