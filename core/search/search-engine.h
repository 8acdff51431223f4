/* The engine of a search, for search*.c and scan.c alone: how it is cut, what its threads hold, and
 * what a way to compare (SearchKind) has to do.
 *
 * Rows are cut into panels and queries into blocks, so that the product of both stays in L2 while
 * the epilogue reads it (search-plan.c). A piece of work is one panel against all blocks of a
 * batch, or a part of them. A pool for each query, shared by the threads, keeps the best (pool.h),
 * and the k best of a set do not depend on the order in which it arrives: so threads change
 * nothing. Nor do they change the shapes of products, which depend on the sizes of rows alone. */
#pragma once

#include <float.h>

#include "core/data/arena.h"
#include "core/search/pool.h"
#include "core/search/search-panel.h"
#include "core/search/search.h"

/* What one thread needs for itself. */
typedef struct {
  float *raw;         /* panel x columns of the rows: as they are read */
  float *panel;       /* panel x d: as they are compared; the same, unless there is a shape */
  float *products;    /* PANEL x PANEL; of codes the panel, turned */
  gsize n_loaded;     /* number of the panel that was read, plus 1 */
  float norms[PANEL]; /* of the rows of the panel, squared; or what is added to their products */
  float scores[PANEL];
  gint8 flags[PANEL];
  guint64 found[PANEL];
} Slot;

/* What is to be cut. */
typedef struct {
  gsize n;         /* queries */
  gsize dimension; /* a query is so many rows of a product and one */
  gsize cols;      /* of what is compared: d */
  gsize raw_cols;  /* of the rows, where something else is made of them; otherwise 0 */
  gsize n_rows;
  gsize k;
  gboolean may_prune;  /* where it is possible and pays */
  gboolean must_prune; /* where it is possible */
} SearchSizes;

typedef struct {
  gsize panel;        /* rows of a panel, and at most so many stacked rows in a product */
  gsize stacked;      /* rows of one query in the stack: m + 1, or 1 if it is wide */
  gsize block;        /* queries of a product */
  gsize batch;        /* queries of a pass over the rows: whole blocks */
  gsize max_fresh;    /* keys of a pool */
  gsize slots;        /* threads at work */
  gboolean is_wide;   /* one query is more than a product: its basis is not stacked but read
                         where it stands, so many rows at a time */
  gboolean is_coarse; /* there is a coarse pass, where the machine can make it */
} Plan;

Plan search_plan_make (const SearchSizes *sizes);

typedef struct _Search Search;

typedef struct {
  /* Before the first panel, for query @i of the batch; NULL: nothing. */
  void (*prepare) (Search *search, Slot *slot, gsize i);
  /* Of a panel that has been read; NULL: nothing. */
  void (*load) (Search *search, Slot *slot, gsize count);
  /* @n queries of the batch from number @first on with the @count rows of the slot's panel, which
   * begins at @first_row. */
  void (*compare) (Search *search, Slot *slot, gsize first, gsize n, gsize first_row, gsize count);
  float (*score) (guint64 key); /* that a key stands for */
} SearchKind;

struct _Search {
  const SearchKind *kind;
  AssaySearchSet set;
  gsize n;
  gsize cols; /* d, of what is compared */
  Plan plan;
  AssayNearest *nearest;
  Slot *slots;
  Pool *pools; /* of the batch, as is the next */
  guint64 *fresh;
  gsize first; /* the queries of the batch */
  gsize count;
  _Atomic gsize next;     /* query or piece to be worked on */
  _Atomic gsize n_failed; /* panels that cannot be read */
  GMutex lock;            /* of what follows */
  gsize failed;           /* the first of them */
  GError *error;
  AssayArena arena; /* what it holds, and what its kind does */
};

gboolean search_check (const SearchSizes *sizes, GError **error);
/* @sizes without those of the set. ASSAY_ERROR_MISMATCH and ASSAY_ERROR_MEMORY as for
 * assay_scan_subspaces. @ret_search is to be cleared also where it fails. */
gboolean search_init (const SearchKind *kind, const AssaySearchSet *set, const SearchSizes *sizes,
                      Search *ret_search, GError **error);
gboolean search_run (Search *search, GError **error);
void search_clear (Search *search);

static inline guint64
search_bar (const Search *search, gsize i)
{
  return pool_bar (search->pools + i);
}

/* Rows that are compared: lane l is row first_row + l, or + numbers[l] where these are not NULL. */
typedef struct {
  const guint16 *numbers;
  gsize count;
  gsize first_row;
} Lanes;

/* Adds the flagged ones of @lanes that pass the bar to the pool of query @i of the batch. Here, so
 * that @key is compiled into the loop, which runs for every block of every panel. */
static inline void
search_keep (Search *search, Slot *slot, gsize i, Lanes lanes,
             guint64 (*key) (float score, gsize row))
{
  const gsize count = lanes.count;
  const guint64 bar = search_bar (search, i);
  gsize n_found = 0;

  memset (slot->flags + count, 0, search_whole_tiles (count) - count);
  for (gsize l = 0; l < count; l += sizeof (guint64)) {
    guint64 word;

    memcpy (&word, slot->flags + l, sizeof word);
    word = GUINT64_FROM_LE (word);
    while (word != 0) {
      const gsize lane = l + (gsize) __builtin_ctzll (word) / 8;

      slot->found[n_found]
          = key (slot->scores[lane],
                 lanes.first_row + (lanes.numbers == NULL ? lane : lanes.numbers[lane]));
      n_found += slot->found[n_found] < bar;
      word &= ~(G_GUINT64_CONSTANT (0xff) << 8 * (lane - l));
    }
  }
  if (n_found > 0)
    pool_add (search->pools + i, slot->found, n_found, search->nearest->k, search->plan.max_fresh);
}
