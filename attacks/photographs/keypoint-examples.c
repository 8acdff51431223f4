/* Each epoch sees `windows` parts of each photograph: half to the whole of its sides, at a place
 * drawn anew, so that a network does not learn the few photographs by heart. In a mirror (`mirror`)
 * a photograph is another one; descriptors of its keypoints are known (keypoint-mirror.h), and what
 * was painted of it is mirrored as it is. Held-out photographs are seen whole. */
#include "attacks/photographs/keypoint-examples.h"

#include "core/base/parallel.h"
#include "core/network/tape.h"
#include "core/network/train.h"

#define WHITE 255.0F
#define BLOCK ASSAY_CHANNEL_BLOCK
/* Items of windows are above those of weights and orders. */
#define FIRST_WINDOW ((guint64) 1 << 40)
#define EPOCH_WINDOWS ((guint64) 1 << 26)

/* Planes that something is in. */
static gsize
used_planes (const KeypointTraining *training, gsize channels)
{
  return channels + KEYPOINT_PLANES + training->paintings;
}

gsize
keypoint_examples_planes (const KeypointTraining *training, gsize channels)
{
  return assay_pieces (used_planes (training, channels), BLOCK) * BLOCK;
}

/* How a part of a photograph is seen: levels l are 1/2 + contrast (l - 1/2) + brightness. */
typedef struct {
  KeypointLook look;
  double contrast, brightness;
} Sight;

static Sight
whole_of (const AssayPhoto *photo)
{
  return (Sight){ { assay_photo_whole (photo->width, photo->height), FALSE }, 1, 0 };
}

static Sight
draw_sight (const KeypointDrawing *drawing, const AssayPhoto *photo, gsize index, gsize epoch)
{
  const KeypointTraining *training = drawing->training;
  AssayStream stream = assay_stream (drawing->key, FIRST_WINDOW + epoch * EPOCH_WINDOWS + index);
  const double share = assay_stream_between (&stream, 0.5, 1);
  Sight sight = whole_of (photo);
  AssayPhotoWindow *window = &sight.look.window;

  window->width *= share;
  window->height *= share;
  window->left = assay_stream_uniform (&stream) * ((double) photo->width - window->width);
  window->top = assay_stream_uniform (&stream) * ((double) photo->height - window->height);
  sight.look.is_mirrored = assay_stream_uniform (&stream) < 0.5 && training->mirror;
  sight.contrast = assay_stream_between (&stream, 1 - training->jitter, 1 + training->jitter);
  sight.brightness = assay_stream_between (&stream, -training->jitter / 2, training->jitter / 2);
  return sight;
}

/* Levels of a part of a photograph, 0 to 1 but for what jitter adds. */
static void
fill_levels (const AssayPhoto *photo, const Sight *sight, gsize side, float *ret_levels)
{
  assay_photo_reduce (photo, &sight->look.window, side, ret_levels);
  for (gsize y = 0; y < side && sight->look.is_mirrored; y++)
    for (gsize x = 0; x < side / 2; x++) {
      float *row = ret_levels + y * side;
      const float left = row[x];

      row[x] = row[side - 1 - x];
      row[side - 1 - x] = left;
    }
  for (gsize i = 0; i < side * side; i++)
    ret_levels[i] = sight->contrast == 1 && sight->brightness == 0
                        ? ret_levels[i] / WHITE
                        : (float) (0.5 + sight->contrast * ((double) ret_levels[i] / WHITE - 0.5)
                                   + sight->brightness);
}

/* What is seen of a part of a photograph. */
static void
fill_input (const KeypointTraining *training, const KeypointMap *map,
            const KeypointPaintings *painted, gsize picture, const Sight *sight, float *ret_input)
{
  const gsize side = training->side, pixels = side * side;
  const gsize planes = used_planes (training, map->features.cols);
  float *plane = ret_input + (planes - painted->n) * pixels;

  keypoint_map_fill (map, picture, &sight->look, side, ret_input);
  for (gsize rank = 0; rank < painted->n; rank++)
    fill_levels (painted->of_rank[rank]->pdata[picture], sight, side, plane + rank * pixels);
  for (gsize i = planes * pixels;
       i < keypoint_examples_planes (training, map->features.cols) * pixels; i++)
    ret_input[i] = 0;
}

void
keypoint_examples_draw (gpointer data, gsize index, gsize epoch, float *ret_input,
                        float *ret_target)
{
  const KeypointDrawing *drawing = data;
  const gsize picture = drawing->pictures[index / drawing->windows];
  const AssayPhoto *photo = drawing->examples->photos[picture];
  const Sight sight
      = epoch == ASSAY_EPOCH_NONE ? whole_of (photo) : draw_sight (drawing, photo, index, epoch);

  fill_input (drawing->training, drawing->examples->map, drawing->examples->painted, picture,
              &sight, ret_input);
  if (ret_target != NULL)
    fill_levels (photo, &sight, drawing->training->side, ret_target);
}

void
keypoint_examples_draw_whole (gpointer data, gsize index, G_GNUC_UNUSED gsize epoch,
                              float *ret_input, G_GNUC_UNUSED float *ret_target)
{
  const KeypointWhole *whole = data;
  const KeypointPaintings *painted = whole->wanted->painted;
  const gsize picture = whole->wanted->pictures[index];
  const Sight sight = whole_of (painted->of_rank[0]->pdata[picture]);

  fill_input (whole->training, whole->wanted->map, painted, picture, &sight, ret_input);
}
