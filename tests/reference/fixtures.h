/* Small things that tests of plugins and of the runner are made of. */
#pragma once

#include "core/plugin/plugin.h"

G_BEGIN_DECLS

/* Standard normal numbers; row i depends on @trial and i alone. */
AssayMatrix *fixture_normal (gsize rows, gsize cols, guint64 trial);
/* The same as rows; a copy of @matrix as rows. */
AssayRows *fixture_normal_rows (gsize rows, gsize cols, guint64 trial);
AssayRows *fixture_rows (const AssayMatrix *matrix);
/* Writes the same numbers to the .npy file @folder/@name. */
void fixture_write_normal (const char *folder, const char *name, gsize rows, gsize cols,
                           guint64 trial);

/* The settings of @plugin with "name=value name=value" set over the defaults. */
AssaySettings *fixture_settings (const AssayPlugin *plugin, const char *assignments);

/* A new folder under the temporary one; and its removal with everything in it. */
char *fixture_folder (void);
void fixture_remove (const char *folder);
/* Writes @text to @folder/@name and returns its path. */
char *fixture_write (const char *folder, const char *name, const char *text);

/* Whether @error is of @code and says exactly @message, in which every '@' stands for @folder
 * (NULL: none); on FALSE *@ret_why says what was found. Frees and clears @error. */
gboolean fixture_error_is (GError **error, gint code, const char *message, const char *folder,
                           char **ret_why);

/* assay_step_protect for secrets of which nothing else is known. @database (may be NULL) serves as
 * the public set too. */
gboolean fixture_protect (const AssayDefense *defense, const AssaySettings *settings,
                          AssayStreamKey stream, AssayView secrets, AssayRows *database,
                          AssayRelease **ret_release, AssayTruth **ret_truth, GError **error);

/* Arrays by hand: int64 or float32 numbers that are all different, of up to three dimensions;
 * n subspaces of dimension m along the axes of d dimensions; and n sets of w, of which row i holds
 * i, i + 1, ... modulo k. */
AssayArray *fixture_numbers (AssayType type, guint n_dimensions, gsize a, gsize b, gsize c);
AssayArray *fixture_axes (gsize n, gsize m, gsize d);
AssayArray *fixture_sets (gsize n, gsize w, gsize k);

G_END_DECLS
