/* Programs of others as a scenario names them: words, and the files behind the words.
 *
 * Relative words that name a file are looked for in the folder of the scenario first, as the files
 * of datasets are, then in the working folder; the first word only where it has a slash, because
 * otherwise it is looked up in PATH. */
#pragma once

#include <glib.h>

/* The words of @command as a shell would split it, of which there is one at least, with those that
 * name a file in @folder (NULL: none) led to it. ASSAY_ERROR_PARAMETER. */
char **assay_program_words (const char *command, const char *folder, GError **error);

/* @path, or where it names a file in @folder (NULL: none) that file. */
char *assay_program_path (const char *path, const char *folder);

/* The program's own files, in the order of the words: those that name a regular file, and the first
 * word's file unless it is the system's (in /usr, /bin or /sbin): interpreters are not the
 * program. */
GPtrArray *assay_program_files (char *const *words);

/* The file that the first word starts; NULL with ASSAY_ERROR_DATA. */
char *assay_program_find (const char *word, GError **error);
