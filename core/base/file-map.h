/* The content of a file, mapped. Every reader of data files goes through this one function, which
 * stands in a file of its own so that fuzz/ can put another in its place and hand the readers
 * bytes that were never in a file. */
#pragma once

#include <glib.h>

/* The content of the regular file @path. Pipes, devices, folders, missing and unreadable files are
 * ASSAY_ERROR_DATA; so are large files that are all holes but for a hundredth, which would take for
 * ever to read and are made in an instant. */
GBytes *assay_file_map (const char *path, GError **error);
