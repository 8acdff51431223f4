/* Words of a program's command that name what is to be hidden from it
 * (core/data/secret-paths.h). A file that a word names itself stays in sight: whoever writes the
 * scenario gives it to the program, and whoever reads the scenario sees that. A word that is a link
 * to one, or a hard link, says something else than it does, and opens nothing; and no word opens a
 * folder. */
#pragma once

#include <glib.h>

/* Whether @path is @folder or lies below it, by their names alone; both absolute. */
gboolean assay_path_is_in (const char *path, const char *folder);

/* That all that is secret can be hidden from the program that @words start: a folder cannot that
 * holds a word of the command or the working folder, nor a file that a word leads to by another
 * name. ASSAY_ERROR_DATA. */
gboolean assay_hidden_words_check (char *const *words, GError **error);

/* Whether one of @words is the name of the file @path: it stays in sight. */
gboolean assay_hidden_words_have (char *const *words, const char *path);

/* Of what is secret the path that is the same file as @file, by whatever name; NULL: none. */
char *assay_hidden_words_secret (const char *file);
