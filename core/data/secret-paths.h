/* Files and folders with what programs of others must not see: the data of this process's datasets,
 * releases and truths that a scenario names, the cache, and the folder that its results go to.
 * Whoever opens them says so here; whoever confines a program (core/external/confine.h) hides
 * them. */
#pragma once

#include <glib.h>

/* @path, which need not be there yet; a relative one is of the working folder of now. */
void assay_secret_path_add (const char *path);

/* What links in @folder and in its sub-folders lead to, which stands elsewhere. */
void assay_secret_links_add (const char *folder);

/* All of them, absolute, as strings. */
GPtrArray *assay_secret_paths (void);

/* The folder of what took long to compute (core/search/disk-cache.h), which is among them: it keeps
 * features of private photographs. NULL: nothing is kept. */
char *assay_cache_folder (void);
