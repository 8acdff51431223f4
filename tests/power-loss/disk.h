/* A disk that may lose what was not synced, for tests/cli/test_power_loss.py.
 *
 * What a program writes stands in the files at once, as in the page cache. Beside it this remembers
 * what each file held when it was last synced, and how each change of a folder is undone; when the
 * power fails, both decide by dice what of the difference had reached the disk. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* @is_ordered: a sync of any file makes all earlier changes of folders last, as journals of ext4,
 * xfs and btrfs do; else that of their folder alone, as POSIX has it. @is_lying: syncs do
 * nothing. */
void disk_init (const char *saved, bool is_ordered, bool is_lying);

/* The file behind @fd is written from now on. @is_new: nothing of it is on the disk. */
void disk_open (int fd, bool is_new);
void disk_sync (int fd);

/* Changes of folders, before (save) and after (made) they are done. */
typedef enum { CREATED, REMOVED, RENAMED, EXCHANGED, MADE_FOLDER, REMOVED_FOLDER } DiskChange;

/* Keeps the file at @path, which is about to go; its place, or NULL if there is none. */
char *disk_save (const char *path);
void disk_made (DiskChange change, const char *from, const char *to, char *saved);

/* Puts back a part of what was not synced, by the dice of @seed. */
void disk_fail (uint64_t seed);
