/* Files of ASSAY_DATA, and rows of tables. */
#include "bench/mixture-cases.h"

#include <math.h>
#include <string.h>

#include "core/base/rng.h"
#include "datasets/images/idx-file.h"

#define SIDE 32
#define CHANNELS 3
#define COLS (SIDE * SIDE * CHANNELS)
#define RECORD (COLS + 1)
#define GARMENTS 4000 /* public ones */
#define USED "photos/imagenet_patches32.bin"
#define OTHER "cifar10/cifar10_test2k.bin"

/* ---- Data ---- */

static char *
find_file (const char *name)
{
  const char *folder = g_getenv ("ASSAY_DATA");

  return g_build_filename (folder != NULL ? folder : ".", name, NULL);
}

/* Each channel of pixels, interleaved, to mean 0 and deviation 1. */
static void
normalise (AssayMatrix *images, gsize channels)
{
  const gsize n = images->rows * images->cols;

  for (gsize c = 0; c < channels; c++) {
    const double count = (double) (n / channels);
    double sum = 0, square = 0, mean, deviation;

    for (gsize i = c; i < n; i += channels) {
      sum += images->data[i];
      square += (double) images->data[i] * images->data[i];
    }
    mean = sum / count;
    deviation = sqrt (MAX (square / count - mean * mean, 1e-9));
    for (gsize i = c; i < n; i += channels)
      images->data[i] = (float) ((images->data[i] - mean) / deviation);
  }
}

/* Images of a CIFAR file, height x width x channels. */
static AssayMatrix *
read_colour (const char *name, gint64 **ret_labels)
{
  const gsize plane = COLS / CHANNELS;
  g_autofree char *path = find_file (name);
  g_autofree char *bytes = NULL;
  g_autoptr (GError) error = NULL;
  AssayMatrix *images;
  gsize size, n;

  if (!g_file_get_contents (path, &bytes, &size, &error))
    measure_stop (path, error);
  n = size / RECORD;
  images = assay_matrix_new (n, COLS, &error);
  if (images == NULL)
    measure_stop (path, error);
  for (gsize i = 0; i < n; i++)
    for (gsize c = 0; c < CHANNELS; c++)
      for (gsize p = 0; p < plane; p++)
        images->data[i * COLS + p * CHANNELS + c] = (guint8) bytes[i * RECORD + 1 + c * plane + p];
  normalise (images, CHANNELS);
  if (ret_labels != NULL)
    *ret_labels = g_new (gint64, n);
  for (gsize i = 0; ret_labels != NULL && i < n; i++)
    (*ret_labels)[i] = (guint8) bytes[i * RECORD];
  return images;
}

/* Means of the three channels: a third of the numbers. */
static AssayMatrix *
to_grey (AssayMatrix *taken)
{
  g_autoptr (AssayMatrix) colour = taken;
  const gsize cols = COLS / CHANNELS;
  AssayMatrix *grey = assay_matrix_new (colour->rows, cols, NULL);

  for (gsize i = 0; i < colour->rows * cols; i++)
    for (gsize c = 0; c < CHANNELS; c++)
      grey->data[i] += colour->data[i * CHANNELS + c] / CHANNELS;
  return grey;
}

static AssayMatrix *
read_images (const char *name, gboolean is_grey, gint64 **ret_labels)
{
  AssayMatrix *images = read_colour (name, ret_labels);

  return is_grey ? to_grey (images) : images;
}

/* The first images of an IDX file, at most @most. */
static AssayMatrix *
read_idx (const char *name, gsize most)
{
  g_autofree char *path = find_file (name);
  g_autoptr (GError) error = NULL;
  gsize shape[ASSAY_IDX_MAX_DIMENSIONS];
  g_autofree guint8 *bytes = assay_idx_read (path, 3, shape, &error);
  AssayMatrix *images;

  if (bytes == NULL)
    measure_stop (path, error);
  images = assay_matrix_new (MIN (shape[0], most), shape[1] * shape[2], &error);
  if (images == NULL)
    measure_stop (path, error);
  for (gsize i = 0; i < images->rows * images->cols; i++)
    images->data[i] = bytes[i];
  normalise (images, 1);
  return images;
}

static gint64 *
read_idx_labels (const char *name)
{
  g_autofree char *path = find_file (name);
  g_autoptr (GError) error = NULL;
  gsize shape[ASSAY_IDX_MAX_DIMENSIONS];
  g_autofree guint8 *bytes = assay_idx_read (path, 1, shape, &error);
  gint64 *labels;

  if (bytes == NULL)
    measure_stop (path, error);
  labels = g_new (gint64, shape[0]);
  for (gsize i = 0; i < shape[0]; i++)
    labels[i] = bytes[i];
  return labels;
}

/* ---- Scenes ---- */

/* From the least to the greatest of all numbers. */
static void
to_unit (AssayMatrix *images)
{
  float least = images->data[0], most = images->data[0];

  for (gsize i = 0; i < images->rows * images->cols; i++) {
    least = MIN (least, images->data[i]);
    most = MAX (most, images->data[i]);
  }
  for (gsize i = 0; i < images->rows * images->cols; i++)
    images->data[i] = (images->data[i] - least) / (most - least);
}

/* A random part of the images. */
static AssayMatrix *
take_share (AssayMatrix *taken, double share, guint64 seed)
{
  g_autoptr (AssayMatrix) all = taken;
  const gsize count = (gsize) MAX (1, share * (double) all->rows);
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "public", "bench"), 0);
  g_autofree gsize *chosen = g_new (gsize, count);
  AssayMatrix *some = assay_matrix_new (count, all->cols, NULL);

  assay_stream_choose (&stream, all->rows, count, chosen);
  for (gsize i = 0; i < count; i++)
    memcpy (assay_matrix_row (some, i), assay_matrix_row (all, chosen[i]),
            all->cols * sizeof (float));
  return some;
}

static void
choose_secrets (AssayMatrix *all, const gint64 *all_labels, gsize n, guint64 seed, Scene *scene)
{
  g_autofree gsize *chosen = g_new (gsize, n);
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "secrets", "bench"), 0);

  scene->secrets = assay_matrix_new (n, all->cols, NULL);
  scene->labels = g_new (gint64, n);
  assay_stream_choose (&stream, all->rows, n, chosen);
  for (gsize i = 0; i < n; i++) {
    memcpy (assay_matrix_row (scene->secrets, i), assay_matrix_row (all, chosen[i]),
            all->cols * sizeof (float));
    scene->labels[i] = all_labels[chosen[i]];
  }
}

/* As many classes as any, dealt in turn. */
static gint64 *
deal_labels (gsize n)
{
  gint64 *labels = g_new (gint64, n);

  for (gsize i = 0; i < n; i++)
    labels[i] = (gint64) (i % MIXTURE_CLASSES);
  return labels;
}

/* Patches of photographs for both: the secrets are among every other one, and what they are mixed
 * with, and the attacker has of the same, are the others. */
static void
divide_patches (AssayMatrix *all, gsize which, AssayMatrix **ret_part)
{
  AssayMatrix *part = assay_matrix_new (all->rows / 2, all->cols, NULL);

  for (gsize i = 0; i < part->rows; i++)
    memcpy (assay_matrix_row (part, i), assay_matrix_row (all, 2 * i + which),
            all->cols * sizeof (float));
  *ret_part = part;
}

static Scene
scene_of_patches (const Case *c, gboolean is_grey, guint64 seed)
{
  g_autoptr (AssayMatrix) patches = read_images (USED, is_grey, NULL);
  g_autoptr (AssayMatrix) secret = NULL;
  g_autofree gint64 *labels = deal_labels (patches->rows);
  const gsize channels = is_grey ? 1 : CHANNELS;
  Scene scene = { .geometry = { .height = SIDE, .width = SIDE, .channels = channels } };
  AssayMatrix *mixed, *known;

  divide_patches (patches, 0, &secret);
  divide_patches (patches, 1, &mixed);
  known = g_str_equal (c->public_known, USED) ? assay_matrix_copy (assay_matrix_view (mixed), NULL)
                                              : read_images (c->public_known, is_grey, NULL);
  choose_secrets (secret, labels, c->n_secrets, seed, &scene);
  if (c->known_share > 0)
    known = take_share (known, c->known_share, seed);
  scene.mixed_with = assay_rows_take_matrix (mixed);
  scene.known = assay_rows_take_matrix (known);
  return scene;
}

static Scene
scene_of_secrets (const Case *c, gboolean is_grey, guint64 seed)
{
  const gboolean is_digits = c->kind == DIGITS;
  g_autofree gint64 *labels
      = is_digits ? read_idx_labels ("mnist/t10k-labels-idx1-ubyte.gz") : NULL;
  g_autoptr (AssayMatrix) all
      = is_digits ? read_idx ("mnist/t10k-images-idx3-ubyte.gz", G_MAXSIZE)
                  : read_images ("cifar10/cifar10_train10k.bin", is_grey, &labels);
  AssayMatrix *mixed = is_digits ? read_idx ("fashion_mnist/t10k-images-idx3-ubyte.gz", GARMENTS)
                                 : read_images ("photos/imagenet_patches32.bin", is_grey, NULL);
  AssayMatrix *known = is_digits ? assay_matrix_copy (assay_matrix_view (mixed), NULL)
                                 : read_images (c->public_known, is_grey, NULL);
  const gsize channels = is_grey || is_digits ? 1 : CHANNELS;
  const gsize side = (gsize) lround (sqrt ((double) (all->cols / channels)));
  Scene scene = { .geometry = { .height = side, .width = side, .channels = channels } };

  choose_secrets (all, labels, c->n_secrets, seed, &scene);
  if (c->known_share > 0)
    known = take_share (known, c->known_share, seed);
  if (c->twist == UNIT_PUBLIC)
    to_unit (known);
  scene.mixed_with = assay_rows_take_matrix (mixed);
  scene.known = assay_rows_take_matrix (known);
  return scene;
}

Scene
scene_make (const Case *c, gboolean is_grey, guint64 seed)
{
  return c->kind == PATCHES ? scene_of_patches (c, is_grey, seed)
                            : scene_of_secrets (c, is_grey, seed);
}

void
scene_clear (Scene *scene)
{
  assay_matrix_free (scene->secrets);
  g_free (scene->labels);
  assay_rows_unref (scene->mixed_with);
  assay_rows_unref (scene->known);
}

/* ---- Tables ---- */

#define DEFAULT -1

/* Where it was known to fail. */
#define HARD(row, n, epochs, k, labels, known, made, twist)                                        \
  {                                                                                                \
    "hard", row,                                                                                   \
    {                                                                                              \
      n, epochs, k, labels, known, DEFAULT, DEFAULT, made, twist, PHOTOGRAPHS, 0                   \
    }                                                                                              \
  }

/* Of public images alone, so that whoever attacks can print it; what is left of 1,859 patches is
 * what is mixed in. */
#define FITTED(row, epochs, k, labels, known, made, share)                                         \
  {                                                                                                \
    "reliability", row,                                                                            \
    {                                                                                              \
      24, epochs, k, labels, known, DEFAULT, DEFAULT, made, NOTHING, PATCHES, share                \
    }                                                                                              \
  }

/* How many mixtures of each secret, how many images in each, and how much of the public set. */
#define PHASE(row, epochs, k, share)                                                               \
  {                                                                                                \
    "phases", row,                                                                                 \
    {                                                                                              \
      50, epochs, k, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, share               \
    }                                                                                              \
  }

#define PHASES(k)                                                                                  \
  PHASE ("k " #k ", 25 % known, T 5", 5, k, 0.25),                                                 \
      PHASE ("k " #k ", 25 % known, T 10", 10, k, 0.25),                                           \
      PHASE ("k " #k ", 25 % known, T 20", 20, k, 0.25),                                           \
      PHASE ("k " #k ", 25 % known, T 50", 50, k, 0.25),                                           \
      PHASE ("k " #k ", 50 % known, T 5", 5, k, 0.5),                                              \
      PHASE ("k " #k ", 50 % known, T 10", 10, k, 0.5),                                            \
      PHASE ("k " #k ", 50 % known, T 20", 20, k, 0.5),                                            \
      PHASE ("k " #k ", 50 % known, T 50", 50, k, 0.5),                                            \
      PHASE ("k " #k ", all known, T 5", 5, k, 0), PHASE ("k " #k ", all known, T 10", 10, k, 0),  \
      PHASE ("k " #k ", all known, T 20", 20, k, 0), PHASE ("k " #k ", all known, T 50", 50, k, 0)

/* Windows of images in place of them. */
#define CROPS(row, epochs, k, made)                                                                \
  {                                                                                                \
    "crops", row,                                                                                  \
    {                                                                                              \
      50, epochs, k, TRUE, USED, DEFAULT, DEFAULT, made, NOTHING, PHOTOGRAPHS, 0                   \
    }                                                                                              \
  }

/* What stands in each line: secrets, epochs, k, labels, public set, matchings, rounds. */
static const Row rows[] = {
  { "main", "k 4", { 100, 50, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "main", "k 6", { 100, 50, 6, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "steps",
    "k 4: clusters, images",
    { 100, 50, 4, TRUE, USED, 0, 0, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "steps",
    "k 4: pairs by squares",
    { 100, 50, 4, TRUE, USED, 1, 0, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "steps",
    "k 4: public images, once",
    { 100, 50, 4, TRUE, USED, 1, 1, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "steps",
    "k 4: the same, twice",
    { 100, 50, 4, TRUE, USED, 1, 2, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "steps",
    "k 6: clusters, images",
    { 100, 50, 6, TRUE, USED, 0, 0, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "steps",
    "k 6: pairs by squares",
    { 100, 50, 6, TRUE, USED, 1, 0, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "steps",
    "k 6: public images, once",
    { 100, 50, 6, TRUE, USED, 1, 1, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "steps",
    "k 6: the same, twice",
    { 100, 50, 6, TRUE, USED, 1, 2, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "labels",
    "k 4, no labels",
    { 100, 50, 4, FALSE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "labels",
    "k 6, no labels",
    { 100, 50, 6, FALSE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "labels",
    "k 4, no labels: clusters, images",
    { 100, 50, 4, FALSE, USED, 0, 0, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "labels",
    "k 6, no labels: clusters, images",
    { 100, 50, 6, FALSE, USED, 0, 0, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "epochs",
    "k 4, 10 mixtures each",
    { 100, 10, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "epochs",
    "k 4, 20 mixtures each",
    { 100, 20, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "epochs",
    "k 6, 10 mixtures each",
    { 100, 10, 6, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "epochs",
    "k 6, 20 mixtures each",
    { 100, 20, 6, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "public",
    "k 4, other public set",
    { 100, 50, 4, TRUE, OTHER, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "public",
    "k 6, other public set",
    { 100, 50, 6, TRUE, OTHER, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "sizes",
    "k 4, 25 secrets, 1,250 mixtures",
    { 25, 50, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "sizes",
    "k 4, 50 secrets, 2,500 mixtures",
    { 50, 50, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  { "sizes",
    "k 4, 200 secrets, 10,000 mixtures",
    { 200, 50, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, PHOTOGRAPHS, 0 } },
  HARD ("k 4, no labels", 100, 50, 4, FALSE, USED, NULL, NOTHING),
  HARD ("k 6, no labels", 100, 50, 6, FALSE, USED, NULL, NOTHING),
  HARD ("k 6, 20 mixtures each", 100, 20, 6, TRUE, USED, NULL, NOTHING),
  HARD ("k 4, 10 mixtures each", 100, 10, 4, TRUE, USED, NULL, NOTHING),
  HARD ("k 4, private flips", 50, 50, 4, TRUE, USED, "private_flips=yes", NOTHING),
  HARD ("k 4, private crops and flips", 50, 50, 4, TRUE, USED, "private_crops=4 private_flips=yes",
        NOTHING),
  HARD ("k 6, public crops and flips", 50, 50, 6, TRUE, USED, "crops=4 flips=yes", NOTHING),
  HARD ("k 4, other public set", 100, 50, 4, TRUE, OTHER, NULL, NOTHING),
  HARD ("k 6, other public set", 100, 50, 6, TRUE, OTHER, NULL, NOTHING),
  HARD ("k 4, noise of 0.3", 100, 50, 4, TRUE, USED, "noise=0.3", NOTHING),
  { "hard",
    "k 4, digits behind garments",
    { 100, 50, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING, DIGITS, 0 } },
  HARD ("k 4, public images from 0 to 1", 50, 50, 4, TRUE, USED, NULL, UNIT_PUBLIC),
  HARD ("k 4, invented labels", 100, 50, 4, TRUE, USED, NULL, INVENTED_LABELS),
  PHASES (4),
  PHASES (6),
  CROPS ("k 4, T 20: private flips", 20, 4, "private_flips=yes"),
  CROPS ("k 4, T 20: private crops and flips", 20, 4, "private_crops=4 private_flips=yes"),
  CROPS ("k 4, T 20: public crops and flips", 20, 4, "crops=4 flips=yes"),
  CROPS ("k 4, T 20: both", 20, 4, "crops=4 flips=yes private_crops=4 private_flips=yes"),
  CROPS ("k 6, T 20: private flips", 20, 6, "private_flips=yes"),
  CROPS ("k 6, T 20: private crops and flips", 20, 6, "private_crops=4 private_flips=yes"),
  CROPS ("k 6, T 20: public crops and flips", 20, 6, "crops=4 flips=yes"),
  CROPS ("k 6, T 20: both", 20, 6, "crops=4 flips=yes private_crops=4 private_flips=yes"),
  FITTED ("k 4, 50 mixtures each", 50, 4, TRUE, USED, NULL, 0),
  FITTED ("k 6, 50 mixtures each", 50, 6, TRUE, USED, NULL, 0),
  FITTED ("k 6, 20 mixtures each", 20, 6, TRUE, USED, NULL, 0),
  FITTED ("k 4, 10 mixtures each", 10, 4, FALSE, USED, NULL, 0),
  FITTED ("k 4, 5 mixtures each", 5, 4, FALSE, USED, NULL, 0),
  FITTED ("k 6, 5 mixtures each", 5, 6, FALSE, USED, NULL, 0),
  FITTED ("k 4, no labels", 50, 4, FALSE, USED, NULL, 0),
  FITTED ("k 4, 25 % known", 20, 4, TRUE, USED, NULL, 0.25),
  FITTED ("k 6, 25 % known", 20, 6, TRUE, USED, NULL, 0.25),
  FITTED ("k 4, other public set", 50, 4, TRUE, OTHER, NULL, 0),
  FITTED ("k 6, other public set", 50, 6, TRUE, OTHER, NULL, 0),
  FITTED ("k 4, noise of 0.3", 50, 4, TRUE, USED, "noise=0.3", 0),
  FITTED ("k 4, noise of 0.6", 20, 4, TRUE, USED, "noise=0.6", 0),
  FITTED ("k 4, private flips", 20, 4, TRUE, USED, "private_flips=yes", 0),
  FITTED ("k 4, private crops and flips", 20, 4, TRUE, USED, "private_crops=4 private_flips=yes",
          0),
  FITTED ("k 6, private crops and flips", 10, 6, TRUE, USED, "private_crops=4 private_flips=yes",
          0),
};

const Row *
mixture_rows (gsize *ret_count)
{
  *ret_count = G_N_ELEMENTS (rows);
  return rows;
}
