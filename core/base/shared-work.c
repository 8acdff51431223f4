/* What is expensive to make and asked for again. */
#include "core/base/shared-work.h"

#include <unistd.h>

#include "core/base/text.h"

#define MAX_BY_DEFAULT ((guint64) 4 << 30)

struct _AssayShared {
  guint64 owner;
  char *key;
  gpointer value;
  GDestroyNotify free_value;
  gsize bytes;
  guint holds;
  gboolean is_named;   /* it can be found; otherwise it goes with the last hold */
  gboolean takes_room; /* it is no larger than the whole budget, and counts against it */
  GList link;          /* in `idle`, where it is named and nobody holds it */
  GList own;           /* in the queue of its owner, where it is named */
};

/* Everything below belongs to the lock. */
static GMutex lock;
static GHashTable *named;          /* a set of AssayShared, by owner and key */
static GHashTable *owners;         /* guint64 to GQueue of the AssayShared that are named */
static GQueue idle = G_QUEUE_INIT; /* of AssayShared; the one asked for longest ago first */
static AssaySharedCounts counts;
static guint64 room_taken; /* bytes of what is named and counts */
static guint64 budget;
static gboolean has_budget;
static guint64 last_owner;

/* ---- Names ---- */

static guint
hash_name (gconstpointer data)
{
  const AssayShared *shared = data;

  return g_int64_hash (&shared->owner) * 31 + g_str_hash (shared->key);
}

static gboolean
is_same_name (gconstpointer a, gconstpointer b)
{
  const AssayShared *x = a, *y = b;

  return x->owner == y->owner && g_str_equal (x->key, y->key);
}

static AssayShared *
look_up (guint64 owner, const char *key)
{
  const AssayShared name = { .owner = owner, .key = (char *) key };

  return named != NULL ? g_hash_table_lookup (named, &name) : NULL;
}

/* Releases come and go by the thousand, and most own nothing: what is forgotten with an owner is
 * found without a look at all that others own. */
static void
add_to_owner (AssayShared *shared)
{
  GQueue *own = g_hash_table_lookup (owners, &shared->owner);

  if (own == NULL) {
    own = g_new0 (GQueue, 1);
    g_hash_table_insert (owners, g_memdup2 (&shared->owner, sizeof shared->owner), own);
  }
  g_queue_push_tail_link (own, &shared->own);
}

static void
take_from_owner (AssayShared *shared)
{
  GQueue *own = g_hash_table_lookup (owners, &shared->owner);

  g_queue_unlink (own, &shared->own);
  if (own->head == NULL)
    g_hash_table_remove (owners, &shared->owner);
}

/* ---- Room ---- */

guint64
assay_shared_default_budget (void)
{
  const guint64 machine = (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);

  return MIN (machine / 4, MAX_BY_DEFAULT);
}

static guint64
budget_now (void)
{
  return has_budget ? budget : assay_shared_default_budget ();
}

static void
count_in (AssayShared *shared)
{
  shared->takes_room = shared->is_named && shared->bytes <= budget_now ();
  room_taken += shared->takes_room ? shared->bytes : 0;
}

static void
count_out (AssayShared *shared)
{
  room_taken -= shared->takes_room ? shared->bytes : 0;
  shared->takes_room = FALSE;
}

static void
add_bytes (gsize bytes)
{
  counts.bytes += bytes;
  counts.peak = MAX (counts.peak, counts.bytes);
}

/* ---- What goes ---- */

static ASSAY_FREE_FUNC (AssayShared, shared_free, self->free_value (self->value),
                        g_free (self->key))

/* What is to be freed when the lock is no longer held. */
static GPtrArray *
gone_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) shared_free);
}

/* It can no longer be found, and goes unless it is held. */
static void
take_name (AssayShared *shared, GPtrArray *gone)
{
  g_hash_table_remove (named, shared);
  take_from_owner (shared);
  count_out (shared);
  shared->is_named = FALSE;
  if (shared->holds > 0)
    return;
  g_queue_unlink (&idle, &shared->link);
  counts.bytes -= shared->bytes;
  g_ptr_array_add (gone, shared);
}

static void
make_room (GPtrArray *gone)
{
  while (room_taken > budget_now () && idle.head != NULL) {
    take_name (idle.head->data, gone);
    counts.dropped++;
  }
}

/* ---- Holding ---- */

guint64
assay_shared_owner (void)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  return ++last_owner;
}

AssayShared *
assay_shared_find (guint64 owner, const char *key)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  AssayShared *shared = look_up (owner, key);

  if (shared == NULL) {
    counts.made++;
  } else {
    counts.found++;
    if (shared->holds++ == 0)
      g_queue_unlink (&idle, &shared->link);
  }
  return shared;
}

AssayShared *
assay_shared_add (guint64 owner, const char *key, gpointer value, gsize bytes,
                  GDestroyNotify free_value)
{
  g_autoptr (GPtrArray) gone = gone_new ();
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  AssayShared *shared = g_new (AssayShared, 1);
  AssayShared *before;

  *shared = (AssayShared){ .owner = owner,
                           .key = g_strdup (key),
                           .value = value,
                           .free_value = free_value,
                           .bytes = bytes,
                           .holds = 1,
                           .is_named = TRUE,
                           .link.data = shared,
                           .own.data = shared };
  if (named == NULL) {
    named = g_hash_table_new (hash_name, is_same_name);
    owners = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  }
  before = look_up (owner, key);
  if (before != NULL)
    take_name (before, gone);
  g_hash_table_add (named, shared);
  add_to_owner (shared);
  count_in (shared);
  add_bytes (bytes);
  make_room (gone);
  return shared;
}

gpointer
assay_shared_value (const AssayShared *shared)
{
  return shared->value;
}

void
assay_shared_touch (G_GNUC_UNUSED AssayShared *shared)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  counts.found++;
}

void
assay_shared_resize (AssayShared *shared, gsize bytes)
{
  g_autoptr (GPtrArray) gone = gone_new ();
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  count_out (shared);
  counts.bytes -= shared->bytes;
  shared->bytes = bytes;
  count_in (shared);
  add_bytes (bytes);
  make_room (gone);
}

void
assay_shared_release (AssayShared *shared)
{
  g_autoptr (GPtrArray) gone = gone_new ();
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  if (shared == NULL)
    return;
  if (--shared->holds == 0 && !shared->is_named) {
    counts.bytes -= shared->bytes;
    g_ptr_array_add (gone, shared);
  } else if (shared->holds == 0) {
    g_queue_push_tail_link (&idle, &shared->link);
    if (!shared->takes_room) {
      take_name (shared, gone);
      counts.dropped++;
    }
    make_room (gone);
  }
}

/* ---- Forgetting ---- */

void
assay_shared_forget (guint64 owner, const char *key)
{
  g_autoptr (GPtrArray) gone = gone_new ();
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  AssayShared *shared = look_up (owner, key);

  if (shared != NULL)
    take_name (shared, gone);
}

void
assay_shared_forget_all (guint64 owner)
{
  g_autoptr (GPtrArray) gone = gone_new ();
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  GQueue *own;

  /* The queue goes with its last. */
  while (owners != NULL && (own = g_hash_table_lookup (owners, &owner)) != NULL)
    take_name (own->head->data, gone);
}

/* ---- The budget ---- */

void
assay_shared_set_budget (guint64 bytes)
{
  g_autoptr (GPtrArray) gone = gone_new ();
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  GHashTableIter iter;
  gpointer shared;

  budget = bytes;
  has_budget = TRUE;
  if (named != NULL)
    g_hash_table_iter_init (&iter, named);
  while (named != NULL && g_hash_table_iter_next (&iter, &shared, NULL)) {
    count_out (shared);
    count_in (shared);
  }
  for (GList *link = idle.head, *next; link != NULL; link = next) {
    next = link->next;
    if (((const AssayShared *) link->data)->takes_room)
      continue;
    take_name (link->data, gone);
    counts.dropped++;
  }
  make_room (gone);
}

guint64
assay_shared_budget (void)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  return budget_now ();
}

AssaySharedCounts
assay_shared_counts (void)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  return counts;
}

char *
assay_shared_describe (void)
{
  const AssaySharedCounts now = assay_shared_counts ();
  g_autofree char *peak = assay_text_bytes (now.peak);
  g_autofree char *room = assay_text_bytes (assay_shared_budget ());

  return g_strdup_printf ("found %" G_GUINT64_FORMAT " times, made %" G_GUINT64_FORMAT
                          ", dropped for room %" G_GUINT64_FORMAT "; at most %s, of %s to keep",
                          now.found, now.made, now.dropped, peak, room);
}
