/* Folders that a program of others wrote: what they hold is looked at without trust. */
#pragma once

#include <glib.h>

/* Bytes that the tree at @path takes on disk, where each entry counts as one block at least: many
 * empty files fill a disk too. Stops counting beyond @enough. Folders that were closed to us are
 * opened; links are not followed. A tree of more than 128 folders within each other is larger than
 * anything. */
guint64 assay_tree_size (const char *path, guint64 enough);

/* Removes it with all that is in it, however deep, and follows no link. */
void assay_tree_remove (const char *path);
