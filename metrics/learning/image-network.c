/* A residual network that knows images. */
#include "metrics/learning/image-network.h"

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/network/classifier/image-classifier.h"

/* Items of shifts, one an epoch and image, are above those of weights and orders. */
#define FIRST_SHIFT ((guint64) 1 << 40)
#define EPOCH_SHIFTS ((guint64) 1 << 26)

typedef struct {
  const ImageNetworkRows *rows;
  const ImageNetwork *settings; /* NULL: images as they are */
  AssayStreamKey key;
} Drawing;

/* Where an image is looked at. */
typedef struct {
  gint64 down, right;
  gboolean is_mirrored;
} Sight;

static Sight
draw_sight (const Drawing *drawing, gsize index, gsize epoch)
{
  const ImageNetwork *settings = drawing->settings;
  Sight sight = { 0 };

  if (settings != NULL && epoch != ASSAY_EPOCH_NONE) {
    AssayStream stream = assay_stream (drawing->key, FIRST_SHIFT + epoch * EPOCH_SHIFTS + index);
    const gint64 shift = (gint64) settings->shift;

    sight.down = (gint64) assay_stream_below (&stream, 2 * settings->shift + 1) - shift;
    sight.right = (gint64) assay_stream_below (&stream, 2 * settings->shift + 1) - shift;
    sight.is_mirrored = settings->is_mirrored && assay_stream_below (&stream, 2) == 1;
  }
  return sight;
}

/* From interleaved channels to planes. */
static void
see (const AssayGeometry *geometry, const Sight *sight, const float *image, float *ret_planes)
{
  const gint64 height = (gint64) geometry->height, width = (gint64) geometry->width;

  for (gsize c = 0; c < geometry->channels; c++)
    for (gint64 i = 0; i < height; i++)
      for (gint64 j = 0; j < width; j++) {
        const gint64 y = i + sight->down;
        const gint64 x = (sight->is_mirrored ? width - 1 - j : j) + sight->right;
        const gboolean is_inside = y >= 0 && y < height && x >= 0 && x < width;

        *ret_planes++
            = is_inside ? image[(y * width + x) * (gint64) geometry->channels + (gint64) c] : 0;
      }
}

static void
draw (gpointer data, gsize index, gsize epoch, float *ret_input, float *ret_target)
{
  const Drawing *drawing = data;
  const ImageNetworkRows *rows = drawing->rows;
  const gsize size = rows->inputs.cols / rows->planes;
  const Sight sight = draw_sight (drawing, index, epoch);

  for (gsize plane = 0; plane < rows->planes; plane++)
    see (rows->geometry, &sight, assay_view_row (rows->inputs, index) + plane * size,
         ret_input + plane * size);
  for (gsize c = 0; ret_target != NULL && c < rows->shares.cols; c++)
    ret_target[c] = assay_view_row (rows->shares, index)[c];
}

static AssayTape *
make_tape (const ImageNetwork *settings, const AssayGeometry *geometry, gsize planes,
           gsize n_classes, guint *ret_last)
{
  AssayTape *tape = assay_tape_new (
      (AssayTapeShape){ planes * geometry->channels, geometry->height, geometry->width });

  *ret_last = assay_image_classifier_add (
      tape, &(AssayImageClassifier){ settings->width, settings->blocks, settings->stride },
      n_classes);
  return tape;
}

AssayTapeSize
image_network_size (const ImageNetwork *settings, const AssayGeometry *geometry, gsize planes,
                    gsize n_classes)
{
  guint last;
  g_autoptr (AssayTape) tape = make_tape (settings, geometry, planes, MAX (n_classes, 1), &last);

  return assay_tape_planned_size (tape, last, settings->training.batch);
}

AssayTape *
image_network_train (const ImageNetwork *settings, const ImageNetworkRows *rows, AssayStreamKey key,
                     AssayTapeReport *ret_report, GError **error)
{
  Drawing drawing = { rows, settings, key };
  const AssayTapeExamples examples = { rows->inputs.rows, draw, &drawing };
  guint last;
  g_autoptr (AssayTape) tape
      = make_tape (settings, rows->geometry, rows->planes, rows->shares.cols, &last);

  if (rows->inputs.rows > EPOCH_SHIFTS)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "%zu images to train on; expected at most %" G_GUINT64_FORMAT,
                            rows->inputs.rows, EPOCH_SHIFTS);
  if (!assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_SHARES, key, error))
    return NULL;
  assay_image_classifier_begin (tape, last);
  if (!assay_tape_train (tape, &settings->training, &examples, key, ret_report, error))
    return NULL;
  return g_steal_pointer (&tape);
}

gboolean
image_network_predict (const AssayTape *tape, const ImageNetworkRows *rows, float *ret_shares,
                       GError **error)
{
  Drawing drawing = { .rows = rows };
  const AssayTapeExamples examples = { rows->inputs.rows, draw, &drawing };

  return assay_tape_predict (tape, &examples, ret_shares, error);
}
