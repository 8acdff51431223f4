/* Images as bytes: dividing and comparing them. */
#include "datasets/images/images.h"

#include <string.h>

#include "core/base/error.h"
#include "core/data/matrix.h"
#include "core/data/photo.h"

AssayImages *
assay_images_probed (const AssayImages *form)
{
  AssayImages *images = g_memdup2 (form, sizeof *form);

  images->source = g_strdup (form->source);
  images->pixels = NULL;
  images->labels = images->groups = NULL;
  return images;
}

AssayImages *
assay_images_new (const AssayImages *form, GError **error)
{
  g_autoptr (AssayImages) images = assay_images_probed (form);
  gsize cols;

  if (!g_size_checked_mul (&cols, form->height, form->width)
      || !g_size_checked_mul (&cols, cols, form->channels))
    cols = G_MAXSIZE;
  images->pixels = assay_alloc (form->count, cols, "images", error);
  if (images->pixels == NULL)
    return NULL;
  if (form->has_labels) {
    images->labels = assay_alloc (form->count, sizeof (gint64), "labels", error);
    if (images->labels == NULL)
      return NULL;
  }
  return g_steal_pointer (&images);
}

ASSAY_FREE_FUNC (AssayImages, assay_images_free, g_free (self->pixels), g_free (self->labels),
                 g_free (self->groups), g_free (self->source))

static gboolean
is_same_size (const AssayImages *a, const AssayImages *b)
{
  return a->height == b->height && a->width == b->width && a->channels == b->channels;
}

gboolean
assay_images_check_size (const AssayImages *images, const char *role, const AssayImages *secrets,
                         GError **error)
{
  if (is_same_size (images, secrets))
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "%s: %s: images of %zu x %zu pixels with %zu channel%s; expected %zu x %zu "
                     "with %zu as the secrets of %s have",
                     role, images->source, images->height, images->width, images->channels,
                     assay_channels_plural (images->channels), secrets->height, secrets->width,
                     secrets->channels, secrets->source);
}

/* ---- Dividing ---- */

static void
move_image (const AssayImages *from, gsize i, AssayImages *to, gsize place)
{
  memmove (assay_images_row (to, place), assay_images_row (from, i), assay_images_cols (from));
  if (from->labels != NULL)
    to->labels[place] = from->labels[i];
  if (from->groups != NULL)
    to->groups[place] = from->groups[i];
}

gboolean
assay_images_keep (AssayImages *images, const AssayRowSpan *span, GError **error)
{
  gsize first, end;

  if (!assay_row_span_resolve (span, images->source, images->count, &first, &end, error))
    return FALSE;
  for (gsize i = first; images->pixels != NULL && i < end; i++)
    move_image (images, i, images, i - first);
  images->count = end - first;
  return TRUE;
}

gsize
assay_images_share_count (gsize count, double share)
{
  return MIN ((gsize) ((double) count * share), count - 1);
}

gboolean
assay_images_set_apart (AssayImages *images, gsize n_apart, AssayStreamKey key,
                        AssayImages **ret_apart, GError **error)
{
  AssayStream stream = assay_stream (key, (guint64) 1 << 62); /* of no image or folder */
  g_autofree gsize *order = assay_alloc (images->count, sizeof (gsize), "order", error);
  g_autofree guint8 *is_apart = NULL;
  AssayImages form, *apart;
  gsize n_stay = 0, n_moved = 0;

  if (order == NULL)
    return FALSE;
  is_apart = assay_alloc (images->count, 1, "order", error);
  if (is_apart == NULL)
    return FALSE;
  form = *images;
  form.count = n_apart;
  apart = assay_images_new (&form, error);
  if (apart == NULL)
    return FALSE;
  assay_stream_permutation (&stream, images->count, order);
  for (gsize i = 0; i < n_apart; i++)
    is_apart[order[i]] = TRUE;
  for (gsize i = 0; i < images->count; i++)
    if (is_apart[i])
      move_image (images, i, apart, n_moved++);
    else
      move_image (images, i, images, n_stay++);
  images->count = n_stay;
  *ret_apart = apart;
  return TRUE;
}

/* ---- Images that are there twice ---- */

typedef struct {
  const guint8 *pixels;
  gsize cols;
} Pixels;

static guint
hash_pixels (gconstpointer data)
{
  const Pixels *image = data;
  guint32 hash = 2166136261u; /* FNV-1a */

  for (gsize i = 0; i < image->cols; i++)
    hash = (hash ^ image->pixels[i]) * 16777619u;
  return hash;
}

static gboolean
is_equal_pixels (gconstpointer a, gconstpointer b)
{
  const Pixels *x = a, *y = b;

  return memcmp (x->pixels, y->pixels, x->cols) == 0;
}

gsize
assay_images_drop_shared (AssayImages *images, const AssayImages *others, gsize *ret_image,
                          gsize *ret_other)
{
  const gsize cols = assay_images_cols (images);
  g_autoptr (GHashTable) known = g_hash_table_new (hash_pixels, is_equal_pixels);
  g_autofree Pixels *pixels = g_new (Pixels, others->count);
  gsize n_kept = 0, n_dropped = 0;

  for (gsize i = 0; i < others->count; i++) {
    pixels[i] = (Pixels){ assay_images_row (others, i), cols };
    if (!g_hash_table_contains (known, &pixels[i]))
      g_hash_table_add (known, &pixels[i]);
  }
  for (gsize i = 0; i < images->count; i++) {
    const Pixels image = { assay_images_row (images, i), cols };
    const Pixels *other = g_hash_table_lookup (known, &image);

    if (other == NULL) {
      move_image (images, i, images, n_kept++);
    } else if (n_dropped++ == 0) {
      *ret_image = i;
      *ret_other = (gsize) (other - pixels);
    }
  }
  images->count = n_kept;
  return n_dropped;
}

void
assay_images_hash (const AssayImages *images, const char *role, GChecksum *checksum)
{
  g_autofree char *line = NULL;

  if (images == NULL)
    return;
  line = g_strdup_printf ("%s %zu x %zu x %zu x %zu%s%s\n", role, images->count, images->height,
                          images->width, images->channels, images->labels != NULL ? " labels" : "",
                          images->groups != NULL ? " groups" : "");
  g_checksum_update (checksum, (const guchar *) line, -1);
  g_checksum_update (checksum, images->pixels,
                     (gssize) (images->count * assay_images_cols (images)));
  if (images->labels != NULL)
    g_checksum_update (checksum, (const guchar *) images->labels,
                       (gssize) (images->count * sizeof (gint64)));
  if (images->groups != NULL)
    g_checksum_update (checksum, (const guchar *) images->groups,
                       (gssize) (images->count * sizeof (gint64)));
}
