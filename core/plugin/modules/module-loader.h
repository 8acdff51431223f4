/* Loading plugins that were compiled out of the tree (core/plugin/module.h) into the registry. */
#pragma once

#include <glib.h>

/* The folder for plugins of the installation that the running program is part of, whether it is
 * there or not; NULL where the program was not installed: PREFIX/bin/assay has
 * PREFIX/LIBDIR/assay/plugins, wherever the whole was moved. @bindir and @libdir are relative to
 * the prefix, as configured; an absolute @libdir is taken as it is. */
char *assay_modules_installed_folder (const char *bindir, const char *libdir);

/* Loads every FILE.so of the folders in @path (separated by colons; NULL or "": none) and of
 * @installed (NULL, or a folder that need not be there), in the order of names; a file that is
 * there under two names is loaded once. Returns what was refused, "PATH: reason" each: an audit
 * must not go on with a plugin missing that its user counts on. NULL: nothing was refused. To be
 * called once, before any thread. */
char **assay_modules_load (const char *path, const char *installed);

/* The files that were loaded into this process, whether anything names their plugins or not, for as
 * long as it lasts: AssayPluginOrigin, in the order of loading. */
const GPtrArray *assay_modules_loaded (void);
