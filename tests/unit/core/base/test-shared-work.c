/* The cache of shared work: bounded, the one asked for longest ago goes first, what is held never
 * goes, and every value is freed exactly once. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/shared-work.h"

enum { KIB = 1024 };

/* A value that says when it is freed. */
static guint n_freed; /* atomic */

static void
value_free (gpointer value)
{
  g_atomic_int_inc (&n_freed);
  g_free (value);
}

static AssayShared *
add (guint64 owner, const char *key, gsize bytes)
{
  return assay_shared_add (owner, key, g_strdup (key), bytes, value_free);
}

static void
add_and_release (guint64 owner, const char *key, gsize bytes)
{
  assay_shared_release (add (owner, key, bytes));
}

/* Asks for it, which makes it the one asked for last. */
static gboolean
is_there (guint64 owner, const char *key)
{
  g_autoptr (AssayShared) shared = assay_shared_find (owner, key);

  cr_assert (shared == NULL || g_str_equal (assay_shared_value (shared), key), "%s", key);
  return shared != NULL;
}

static void
assert_there (guint64 owner, const char *keys)
{
  for (const char *key = "abcdef"; *key != '\0'; key++) {
    const char name[] = { *key, '\0' };

    cr_assert (is_there (owner, name) == (strchr (keys, *key) != NULL), "%s of %s", name, keys);
  }
}

Test (shared_work, the_one_asked_for_longest_ago_goes_first)
{
  const guint64 owner = assay_shared_owner ();
  AssaySharedCounts counts;

  assay_shared_set_budget (10 * KIB);
  add_and_release (owner, "a", 4 * KIB);
  add_and_release (owner, "b", 4 * KIB);
  cr_assert (is_there (owner, "a"));
  add_and_release (owner, "c", 4 * KIB);
  cr_assert (n_freed == 1);
  cr_assert (!is_there (owner, "b") && is_there (owner, "c") && is_there (owner, "a"));
  /* Of what is full to the byte nothing goes. */
  add_and_release (owner, "d", 2 * KIB);
  assert_there (owner, "acd");
  /* One that is larger may cost several. */
  add_and_release (owner, "e", 7 * KIB);
  assert_there (owner, "de");
  counts = assay_shared_counts ();
  cr_assert (counts.dropped == 3 && n_freed == 3 && counts.bytes == 9 * KIB);
  cr_assert (counts.peak <= 17 * KIB && counts.peak >= 10 * KIB);
  /* Two of three, then three and two of six. */
  cr_assert (counts.found == 3 + 3 + 2 && counts.made == 1 + 3 + 4, "%d %d", (int) counts.found,
             (int) counts.made);
}

Test (shared_work, what_is_held_never_goes)
{
  const guint64 owner = assay_shared_owner ();
  AssayShared *held[3];

  assay_shared_set_budget (10 * KIB);
  held[0] = add (owner, "a", 6 * KIB);
  held[1] = add (owner, "b", 6 * KIB);
  add_and_release (owner, "c", KIB);
  cr_assert (n_freed == 1 && assay_shared_counts ().bytes == 12 * KIB);
  assert_there (owner, "ab");
  /* Held twice, it stays when one lets go. */
  held[2] = assay_shared_find (owner, "a");
  cr_assert (held[2] == held[0]);
  assay_shared_release (held[0]);
  assert_there (owner, "ab");
  assay_shared_release (held[2]);
  /* Now it is the one that makes room. */
  assert_there (owner, "b");
  cr_assert (n_freed == 2);
  assay_shared_release (held[1]);
  assert_there (owner, "b");
}

/* Nothing goes for the sake of what would not fit into an empty cache; while it is held it is
 * shared all the same. */
Test (shared_work, what_is_larger_than_the_budget_is_gone_when_it_is_let_go)
{
  const guint64 owner = assay_shared_owner ();
  AssayShared *giant;

  assay_shared_set_budget (10 * KIB);
  add_and_release (owner, "a", 5 * KIB);
  add_and_release (owner, "b", 5 * KIB);
  giant = add (owner, "c", 10 * KIB + 1);
  assert_there (owner, "abc");
  assay_shared_release (giant);
  assert_there (owner, "ab");
  cr_assert (n_freed == 1 && assay_shared_counts ().bytes == 10 * KIB);
  cr_assert (assay_shared_counts ().dropped == 1);

  /* It may become so by growing, and fit again. */
  giant = assay_shared_find (owner, "a");
  assay_shared_resize (giant, 20 * KIB);
  assert_there (owner, "ab");
  assay_shared_resize (giant, 4 * KIB);
  assay_shared_release (giant);
  assert_there (owner, "ab");
  cr_assert (assay_shared_counts ().peak == 25 * KIB);
}

Test (shared_work, a_budget_of_nothing_keeps_nothing)
{
  const guint64 owner = assay_shared_owner ();
  AssayShared *held;

  assay_shared_set_budget (0);
  held = add (owner, "a", 1);
  assert_there (owner, "a");
  assay_shared_release (held);
  assert_there (owner, "");
  cr_assert (n_freed == 1 && assay_shared_counts ().bytes == 0);
}

/* A smaller budget than before is one from now on. */
Test (shared_work, the_budget_may_change)
{
  const guint64 owner = assay_shared_owner ();
  AssayShared *held;

  cr_assert (assay_shared_budget () == assay_shared_default_budget ());
  cr_assert (assay_shared_budget () > 0 && assay_shared_budget () <= (guint64) 4 << 30);
  assay_shared_set_budget (10 * KIB);
  add_and_release (owner, "a", KIB);
  add_and_release (owner, "b", 4 * KIB);
  held = add (owner, "c", 3 * KIB);
  add_and_release (owner, "d", KIB);
  assay_shared_set_budget (2 * KIB);
  assert_there (owner, "acd");
  assay_shared_set_budget (10 * KIB);
  add_and_release (owner, "e", 5 * KIB);
  assert_there (owner, "acde");
  assay_shared_release (held);
  assert_there (owner, "acde");
}

Test (shared_work, owners_do_not_see_each_other)
{
  const guint64 mine = assay_shared_owner (), yours = assay_shared_owner ();
  AssayShared *held;

  cr_assert (mine != yours && mine != 0 && yours != 0);
  assay_shared_set_budget (100 * KIB);
  add_and_release (mine, "a", KIB);
  add_and_release (mine, "b", KIB);
  add_and_release (yours, "b", KIB);
  held = add (mine, "c", KIB);
  assert_there (yours, "b");
  assay_shared_forget (mine, "a");
  assert_there (mine, "bc");
  assay_shared_forget_all (mine);
  assert_there (mine, "");
  assert_there (yours, "b");
  /* It lives as long as it is held, and another can have its name. */
  cr_assert (n_freed == 2 && assay_shared_counts ().bytes == 2 * KIB);
  cr_assert (g_str_equal (assay_shared_value (held), "c"));
  add_and_release (mine, "c", 2 * KIB);
  cr_assert (assay_shared_counts ().bytes == 4 * KIB);
  assay_shared_release (held);
  cr_assert (n_freed == 3 && assay_shared_counts ().bytes == 3 * KIB);
  assert_there (mine, "c");
  /* What was asked for was dropped, not for lack of room. */
  cr_assert (assay_shared_counts ().dropped == 0);
}

/* Two that made the same thing: the later one is found. */
Test (shared_work, a_name_is_of_one_thing)
{
  const guint64 owner = assay_shared_owner ();
  AssayShared *first, *second;

  assay_shared_set_budget (100 * KIB);
  first = add (owner, "a", KIB);
  second = add (owner, "a", KIB);
  cr_assert (first != second);
  assay_shared_release (first);
  cr_assert (n_freed == 1);
  first = assay_shared_find (owner, "a");
  cr_assert (first == second);
  assay_shared_release (first);
  assay_shared_release (second);
  cr_assert (n_freed == 1);
}

/* Something that holds another thing, as a release holds its dictionary, lets go of it when it is
 * freed: in the middle of making room. */
static void
let_go (gpointer held)
{
  assay_shared_release (held);
  g_atomic_int_inc (&n_freed);
}

Test (shared_work, what_goes_may_let_go_of_another)
{
  const guint64 owner = assay_shared_owner ();

  assay_shared_set_budget (10 * KIB);
  assay_shared_release (assay_shared_add (owner, "a", add (owner, "b", 2 * KIB), 5 * KIB, let_go));
  add_and_release (owner, "c", 6 * KIB);
  assert_there (owner, "bc");
  add_and_release (owner, "d", 4 * KIB);
  assert_there (owner, "cd");
  cr_assert (n_freed == 2);
}

/* ---- Threads ---- */

enum { THREADS = 4, ROUNDS = 20000, KEYS = 12 };

/* Keeps some entries for a while, so that others make room meanwhile. */
static gpointer
use (gpointer data)
{
  const guint64 owner = *(const guint64 *) data;
  GRand *random = g_rand_new_with_seed ((guint32) GPOINTER_TO_SIZE (&random));
  AssayShared *held[3] = { NULL };

  for (guint round = 0; round < ROUNDS; round++) {
    const guint number = (guint) g_rand_int_range (random, 0, KEYS);
    const char key[] = { (char) ('a' + number), '\0' };
    AssayShared **place = &held[g_rand_int_range (random, 0, G_N_ELEMENTS (held))];

    assay_shared_release (*place);
    *place = assay_shared_find (owner, key);
    if (*place == NULL)
      *place = add (owner, key, (number + 1) * KIB);
    cr_assert (g_str_equal (assay_shared_value (*place), key));
  }
  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    assay_shared_release (held[i]);
  g_rand_free (random);
  return NULL;
}

Test (shared_work, any_thread_may_use_it)
{
  guint64 owner = assay_shared_owner ();
  GThread *threads[THREADS];
  AssaySharedCounts counts;

  assay_shared_set_budget (20 * KIB);
  for (guint t = 0; t < THREADS; t++)
    threads[t] = g_thread_new ("use", use, &owner);
  for (guint t = 0; t < THREADS; t++)
    g_thread_join (threads[t]);
  counts = assay_shared_counts ();
  cr_assert (counts.found + counts.made == THREADS * ROUNDS);
  cr_assert (counts.found > 0 && counts.dropped > 0 && counts.bytes <= 20 * KIB);
  /* At any time: what is kept, and three of the largest that each thread holds. */
  cr_assert (counts.peak <= 20 * KIB + THREADS * 3 * KEYS * KIB);
  assay_shared_forget_all (owner);
  cr_assert (assay_shared_counts ().bytes == 0);
  cr_assert ((guint64) g_atomic_int_get (&n_freed) == counts.made);
}
