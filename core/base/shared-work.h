/* What is expensive to make and asked for again: loaded data, dictionaries, learned hash functions,
 * releases that several attacks read, scans. It is kept in one cache for the process, within one
 * budget of memory.
 *
 * Who needs something asks for it, makes it where it is not there, and adds it. What was found or
 * added is held until it is let go; while anything is more than the budget, what nobody holds goes,
 * the one that was asked for longest ago first. It is made again when it is needed, to the same
 * bits. What is held is never dropped, also where it alone is more than the budget; what is larger
 * than the whole budget is gone as soon as it is let go, and displaces nothing.
 *
 * All of this may be called from any thread. Free functions are called outside the lock, so that
 * they may let go of other things. */
#pragma once

#include "core/base/free.h"

/* Something that is held. */
typedef struct _AssayShared AssayShared;

/* A number that nobody else has: the first half of names. Never 0. */
guint64 assay_shared_owner (void);

/* What was added under this name, held; NULL: it is not there, and is to be made. */
AssayShared *assay_shared_find (guint64 owner, const char *key);
/* Adds @value (taken over) and holds it. @bytes: the memory that it takes. What had the name before
 * has it no longer, and goes when nobody holds it. */
AssayShared *assay_shared_add (guint64 owner, const char *key, gpointer value, gsize bytes,
                               GDestroyNotify free_value);

gpointer assay_shared_value (const AssayShared *shared);
/* Who holds it uses it for something else: counts as found. */
void assay_shared_touch (AssayShared *shared);
/* Its value has grown, or shrunk. */
void assay_shared_resize (AssayShared *shared, gsize bytes);
/* Lets go of it. */
ASSAY_DECLARE_FREE (AssayShared, assay_shared_release)

/* What will not be asked for again: one thing, or all that the owner has. What is held goes when it
 * is let go. */
void assay_shared_forget (guint64 owner, const char *key);
void assay_shared_forget_all (guint64 owner);

/* The budget: a quarter of the machine's memory, at most 4 GiB, until it is set. 0: nothing is kept
 * that nobody holds. */
guint64 assay_shared_default_budget (void);
void assay_shared_set_budget (guint64 bytes);
guint64 assay_shared_budget (void);

typedef struct {
  guint64 found;   /* times that something was there */
  guint64 made;    /* times that it was not */
  guint64 dropped; /* things that went for lack of room */
  guint64 bytes;   /* what is held and kept */
  guint64 peak;    /* the most that it was at any time */
} AssaySharedCounts;

AssaySharedCounts assay_shared_counts (void);
/* "found 12 times, made 3, dropped for room 0; at most 34.5 MiB, of 2.0 GiB to keep" */
char *assay_shared_describe (void);
