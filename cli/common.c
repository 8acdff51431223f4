/* What the subcommands share. */
#include "cli/cli.h"
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "config.h"
#include "core/base/text.h"
#include "core/data/row-file.h"
#include "datasets/images/file-rows.h"

const GOptionEntry cli_no_options[] = { G_OPTION_ENTRY_NULL };

/* " (did you mean '--out'?)" for an option that there is not: a misspelt one, or the beginning of
 * one or what goes on from it. */
static char *
suggest_option (const char *message, const GOptionEntry *entries)
{
  const char *option = strstr (message, "--");
  const char *nearest;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  if (option == NULL || strlen (option) < strlen ("--ab"))
    return g_strdup ("");
  for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++)
    g_ptr_array_add (names, (gpointer) entry->long_name);
  g_ptr_array_add (names, NULL);
  option += strlen ("--");
  nearest = assay_text_closest (option, (const char *const *) names->pdata);
  for (guint i = 0; nearest == NULL && names->pdata[i] != NULL; i++)
    if (g_str_has_prefix (option, names->pdata[i]) || g_str_has_prefix (names->pdata[i], option))
      nearest = names->pdata[i];
  return nearest != NULL ? g_strdup_printf (" (did you mean '--%s'?)", nearest) : g_strdup ("");
}

static gboolean
is_number_option (const GOptionEntry *entry, char name)
{
  return entry->short_name == name
         && (entry->arg == G_OPTION_ARG_INT || entry->arg == G_OPTION_ARG_INT64);
}

/* What the words of a command were made into: there for as long as the process. */
static GPtrArray *made_words;
static char **all_words;

/* "-j4" as "-j" and "4", which GLib wants apart. */
static char **
split_numbers (const GOptionEntry *entries, int *argc, char **argv)
{
  GPtrArray *words = g_ptr_array_new ();
  gboolean is_over = FALSE;

  made_words = g_ptr_array_new ();
  for (int i = 0; i < *argc; i++) {
    const char *word = argv[i];
    const GOptionEntry *entry = entries;

    is_over |= g_str_equal (word, "--");
    while (entry->long_name != NULL && !is_number_option (entry, word[0] == '-' ? word[1] : '\0'))
      entry++;
    if (is_over || word[0] != '-' || word[1] == '\0' || !g_ascii_isdigit (word[2])
        || entry->long_name == NULL) {
      g_ptr_array_add (words, argv[i]);
      continue;
    }
    g_ptr_array_add (made_words, g_strndup (word, 2));
    g_ptr_array_add (words, made_words->pdata[made_words->len - 1]);
    g_ptr_array_add (words, argv[i] + 2);
  }
  *argc = (int) words->len;
  g_ptr_array_add (words, NULL);
  all_words = (char **) g_ptr_array_free (words, FALSE);
  return all_words;
}

static gboolean
parse (const CliUsage *usage, int *argc, char ***argv)
{
  GOptionContext *context = g_option_context_new (usage->parameters);
  g_autoptr (GError) error = NULL;
  g_autofree char *hint = NULL;
  g_autofree char *description
      = usage->description != NULL ? cli_as_called (usage->description) : NULL;

  g_option_context_set_summary (context, usage->summary);
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, usage->entries, NULL);
  *argv = split_numbers (usage->entries, argc, *argv);
  if (!g_option_context_parse (context, argc, argv, &error)) {
    hint = g_error_matches (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)
               ? suggest_option (error->message, usage->entries)
               : g_strdup ("");
    cli_refuse ("%s%s; '%s --help' explains", error->message, hint, g_get_prgname ());
  }
  g_option_context_free (context);
  return error == NULL;
}

static void
free_options (const GOptionEntry *entries)
{
  for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++)
    if (entry->arg == G_OPTION_ARG_STRING || entry->arg == G_OPTION_ARG_FILENAME)
      g_clear_pointer ((char **) entry->arg_data, g_free);
    else if (entry->arg == G_OPTION_ARG_STRING_ARRAY || entry->arg == G_OPTION_ARG_FILENAME_ARRAY)
      g_clear_pointer ((char ***) entry->arg_data, g_strfreev);
}

int
cli_play (const CliUsage *usage, int argc, char **argv)
{
  int code = EXIT_BAD_INPUT;

  g_set_prgname (argv[0]);
  if (!parse (usage, &argc, &argv))
    ;
  else if (argc - 1 > usage->max_words)
    cli_refuse ("unexpected '%s'; '%s --help' explains", argv[usage->max_words + 1],
                g_get_prgname ());
  else if (argc - 1 < usage->min_words)
    cli_refuse ("expected %s", usage->expected);
  else
    code = usage->run (argc - 1, argv + 1);
  free_options (usage->entries);
  return code;
}

int
cli_refuse (const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("%s: %s\n", g_get_prgname (), message);
  return EXIT_BAD_INPUT;
}

char *
cli_shown_path (const char *path)
{
  g_autofree char *name = g_filename_display_name (path);

  return assay_text_plain (name);
}

/* Messages may hold what programs of others said: nothing in them may steer the terminal. */
int
cli_fail_early (const GError *error)
{
  g_autofree char *plain = assay_text_plain_lines (error->message);

  g_printerr ("assay: %s\n", plain);
  return EXIT_BAD_INPUT;
}

int
cli_fail (const GError *error)
{
  cli_fail_early (error);
  return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_IO)
                 || g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY)
             ? EXIT_UNFINISHED
         : g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC)   ? EXIT_INCONCLUSIVE
         : g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED) ? EXIT_INTERRUPTED
                                                                       : EXIT_BAD_INPUT;
}

guint
cli_terminal_width (void)
{
  struct winsize size = { 0 };
  const char *columns = g_getenv ("COLUMNS");
  gint64 width;

  if (columns != NULL && assay_text_to_int (columns, &width) && width >= 20 && width <= 10000)
    return (guint) width;
  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
    return size.ws_col;
  return 100;
}

static GStrv command;
static const char *called = "assay";

void
cli_remember_name (const char *name)
{
  called = name;
}

const char *
cli_name (void)
{
  return called;
}

char *
cli_as_called (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "assay ", -1);
  g_autofree char *program = g_strconcat (called, " ", NULL);

  return g_strjoinv (program, parts);
}

void
cli_remember_command (G_GNUC_UNUSED int argc, char **argv)
{
  g_strfreev (command);
  command = g_strdupv (argv);
}

/* How many words from @words[0] on choose cells: "-k WORDS", "-kWORDS", "--cells=WORDS". */
static guint
n_words_of_cells (char **words)
{
  if (g_str_equal (words[0], "-k") || g_str_equal (words[0], "--cells"))
    return words[1] != NULL ? 2 : 1;
  return g_str_has_prefix (words[0], "-k") || g_str_has_prefix (words[0], "--cells=") ? 1 : 0;
}

char *
cli_resume_command (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; command[i] != NULL; i++) {
    const guint n_left_out = n_words_of_cells (command + i);
    g_autofree char *word = cli_seed_word (command, i);
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
    g_autofree char *quoted = g_shell_quote (word);

    if (n_left_out > 0) {
      i += n_left_out - 1;
      continue;
    }
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                            *word != '\0' && word[strspn (word, plain)] == '\0' ? word : quoted);
  }
  if (!g_strv_contains ((const char *const *) command, "--resume"))
    g_string_append (text, " --resume");
  return g_string_free (text, FALSE);
}

gboolean
cli_is_one_place (const char *a, const char *b)
{
  g_autofree char *first = g_canonicalize_filename (a, NULL);
  g_autofree char *second = g_canonicalize_filename (b, NULL);

  return g_str_equal (first, second);
}

gboolean
cli_make_folder (const char *place, const char *before, const char *hint, GError **error)
{
  return (g_mkdir_with_parents (place, 0777) == 0 && g_access (place, W_OK | X_OK) == 0)
         || assay_fail (error, ASSAY_ERROR_SCENARIO, "%s%s: cannot be written: %s%s", before, place,
                        g_strerror (errno), hint);
}

gboolean
cli_open_rows (const char *specification, const char *option, AssayRows **ret_rows, GError **error)
{
  return cli_open_rows_as (specification, option, NULL, ret_rows, error);
}

gboolean
cli_open_rows_as (const char *specification, const char *option, const AssayGeometry *geometry,
                  AssayRows **ret_rows, GError **error)
{
  const char *const folders[] = { ".", assay_data_folder (ASSAY_DEFAULT_DATA), NULL };
  g_autoptr (AssayRowFiles) files = NULL;

  *ret_rows = NULL;
  if (specification == NULL)
    return TRUE;
  if (assay_image_file_is_named (specification))
    return assay_image_file_rows (specification, folders, geometry, ret_rows, error)
           || assay_prefix (error, "--%s: ", option);
  files = assay_row_files_open (specification, folders, error);
  if (files == NULL)
    return assay_prefix (error, "--%s: ", option);
  *ret_rows = assay_rows_ref (files->rows);
  return TRUE;
}

#define MAX_NUMBER (1 << 24)

gboolean
cli_read_numbers (const char *place, const char *option, gsize n, gint64 **ret_numbers,
                  GError **error)
{
  g_autoptr (AssayRows) rows = NULL;
  g_autofree float *values = NULL;

  if (!cli_open_rows (place, option, &rows, error))
    return FALSE;
  if (rows == NULL)
    return TRUE;
  if (assay_rows_count (rows) != n || assay_rows_cols (rows) != 1)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "--%s: expected one column of %zu numbers, found %zu x %zu", option, n,
                       assay_rows_count (rows), assay_rows_cols (rows));
  values = g_new (float, n);
  assay_rows_read (rows, 0, n, ASSAY_SCALE_NONE, values);
  *ret_numbers = g_new (gint64, n);
  for (gsize i = 0; i < n; i++) {
    /* Beyond that, neighbouring numbers are one float32: two groups would become one. */
    if (values[i] != truncf (values[i]) || fabsf (values[i]) > MAX_NUMBER)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "--%s: row %zu is %.9g; expected a whole number, at most %d", option, i,
                         (double) values[i], MAX_NUMBER);
    (*ret_numbers)[i] = (gint64) values[i];
  }
  return TRUE;
}
