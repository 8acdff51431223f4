/* What took long to compute, kept on disk under a name that says all that it depends on. */
#pragma once

#include "core/data/rows.h"

/* Whether anything is kept: not if the environment variable ASSAY_CACHE is empty. Otherwise it
 * names the folder in which every kind has one of its own; where it is not set that is `assay` in
 * the user's folder of caches (XDG_CACHE_HOME). */
gboolean assay_disk_cache_is_on (void);

/* The key of what is made of @rows by so many @products; NULL where they are so few that it is not
 * kept, or where nothing is. @maker is the name and version of what makes it, @settings what else
 * it depends on, a line each. */
char *assay_disk_cache_key_of_rows (const AssayRows *rows, double products, const char *maker,
                                    const char *settings);

/* What was kept under @key, to the byte, or NULL: nothing was, or it is damaged or something else.
 * @kind is kebab-case, of at most 15 characters; @key is a sha256 in hexadecimal, of everything
 * that the content depends on, the version of what computes it included. */
GBytes *assay_disk_cache_load (const char *kind, const char *key);

/* Keeps @bytes, in place of what there was. Any number of threads and processes may do so at once.
 * Nothing is said where it cannot be done (but by g_debug): who computed it has it. */
void assay_disk_cache_keep (const char *kind, const char *key, GBytes *bytes);
