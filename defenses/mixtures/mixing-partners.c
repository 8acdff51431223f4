/* Which images are mixed with which.
 *
 * Secrets among themselves: Huang et al. 2020, algorithms 1 and 2, take pi_1 = identity and k - 1
 * random permutations. Taken literally these may put an image twice into one mixture (with chance
 * 1 / n each), and a mixture of an image with itself is that image in the clear whatever
 * max_coefficient says; figure 4 of the paper asks for j != i. So here the k secrets of a mixture
 * are distinct: a permutation keeps the values that do not clash, and the few others are placed by
 * augmenting paths. As every secret is still to be used by n - j images, and every image can still
 * use n - j secrets, such places exist (Hall's theorem on regular bipartite graphs).
 *
 * Public images: "the k - 1 images used for mixing with x_i will not be reused to encrypt other
 * images. They constitute a random one-time private key" (section 3.1). They are dealt from a
 * shuffled deck, which is what this comes to while the public set is large enough; when it is used
 * up, it is shuffled anew. */
#include "defenses/mixtures/mixing-partners.h"

#define NONE G_MAXSIZE

/* One column that is being placed. */
typedef struct {
  gsize n;
  gsize s;
  gsize column;
  gint64 *sources; /* n x s: columns before this one are whole */
  gsize *holder;   /* of each value: the image that has it in this column, or NONE */
  gsize *from;     /* of each image that a search has reached: the one before it; or NONE */
  gsize *queue;
  gsize *loose; /* values without a place */
  gsize n_loose;
} Placing;

/* Whether @image has @value in a column before this one. */
static gboolean
has_already (const Placing *placing, gsize image, gsize value)
{
  for (gsize j = 0; j < placing->column; j++)
    if ((gsize) placing->sources[image * placing->s + j] == value)
      return TRUE;
  return FALSE;
}

static void
place (Placing *placing, gsize image, gsize value)
{
  placing->sources[image * placing->s + placing->column] = (gint64) value;
  placing->holder[value] = image;
}

/* Gives @image the loose value number @choice, what it had to the image before it on the path, and
 * so on to @root, which had none. */
static void
shift_along_path (Placing *placing, gsize root, gsize image, gsize choice)
{
  gsize value = placing->loose[choice];

  placing->loose[choice] = placing->loose[--placing->n_loose];
  for (;;) {
    const gsize before = (gsize) placing->sources[image * placing->s + placing->column];

    place (placing, image, value);
    if (image == root)
      return;
    value = before;
    image = placing->from[image];
  }
}

/* Finds a value for @root, breadth first; values are tried from @start on. */
static void
find_place (Placing *placing, gsize root, gsize start)
{
  gsize n_reached = 1;

  for (gsize i = 0; i < placing->n; i++)
    placing->from[i] = NONE;
  placing->queue[0] = placing->from[root] = root;
  for (gsize done = 0; done < n_reached; done++) {
    const gsize image = placing->queue[done];

    for (gsize i = 0; i < placing->n_loose; i++)
      if (!has_already (placing, image, placing->loose[i])) {
        shift_along_path (placing, root, image, i);
        return;
      }
    for (gsize i = 0; i < placing->n; i++) {
      const gsize value = (start + i) % placing->n, holder = placing->holder[value];

      if (holder != NONE && placing->from[holder] == NONE && !has_already (placing, image, value)) {
        placing->from[holder] = image;
        placing->queue[n_reached++] = holder;
      }
    }
  }
  g_assert_not_reached ();
}

static void
shuffle (AssayStream *stream, gsize n, gsize *inout_values)
{
  for (gsize i = n; i > 1; i--) {
    const gsize j = assay_stream_below (stream, i), last = inout_values[i - 1];

    inout_values[i - 1] = inout_values[j];
    inout_values[j] = last;
  }
}

/* Permutes the values over the images; @order is room for n. */
static void
draw_column (Placing *placing, AssayStream *stream, gsize *order)
{
  gsize n_without = 0;

  assay_stream_permutation (stream, placing->n, order);
  placing->n_loose = 0;
  for (gsize i = 0; i < placing->n; i++) {
    const gsize value = order[i];

    if (!has_already (placing, i, value)) {
      place (placing, i, value);
      continue;
    }
    placing->holder[value] = NONE;
    placing->loose[placing->n_loose++] = value;
    order[n_without++] = i; /* behind what is still to be read */
  }
  /* So that no number is preferred: where few images are mixed, many clash. */
  shuffle (stream, n_without, order);
  shuffle (stream, placing->n_loose, placing->loose);
  for (gsize i = 0; i < n_without; i++)
    find_place (placing, order[i], assay_stream_below (stream, placing->n));
}

gboolean
mixing_draw_sources (AssayStreamKey key, guint64 item, gsize n, gsize s, gint64 *ret_sources,
                     GError **error)
{
  g_autofree gsize *room = assay_alloc (n, 5 * sizeof *room, "permutation", error);
  Placing placing = { .n = n, .s = s, .sources = ret_sources };

  g_return_val_if_fail (s <= n, FALSE);
  if (room == NULL)
    return FALSE;
  placing.holder = room + n;
  placing.from = room + 2 * n;
  placing.queue = room + 3 * n;
  placing.loose = room + 4 * n;
  for (gsize i = 0; i < n; i++)
    ret_sources[i * s] = (gint64) i;
  for (placing.column = 1; placing.column < s; placing.column++) {
    AssayStream stream = assay_stream (key, item + placing.column);

    draw_column (&placing, &stream, room);
  }
  return TRUE;
}

gboolean
mixing_draw_partners (const MixingDraw *draw, AssayStreamKey key, guint64 item,
                      gint64 *ret_partners, GError **error)
{
  const gsize n_public = draw->n_public, p = draw->p;
  g_autofree gsize *deck = assay_alloc (n_public, sizeof *deck, "order of the public rows", error);
  const gsize per_deck = n_public / p;

  g_return_val_if_fail (p <= n_public, FALSE);
  if (deck == NULL)
    return FALSE;
  for (gsize i = 0; i < draw->count; i++) {
    if (i % per_deck == 0) {
      AssayStream stream = assay_stream (key, item + i / per_deck);

      assay_stream_permutation (&stream, n_public, deck);
    }
    for (gsize j = 0; j < p; j++)
      ret_partners[i * p + j] = (gint64) deck[i % per_deck * p + j];
  }
  return TRUE;
}
