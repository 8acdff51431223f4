/* Neighbouring answers to several queries. */
#include "defenses/mechanisms/query-pairs.h"

#include <math.h>

typedef enum { HEAD_ONE, HEAD_SMALLER_HALF, HEAD_LARGER_HALF } Head;

/* Offsets from the centre: of the answers in the head, and of those after it. */
typedef struct {
  Head head;
  float first[2];
  float second[2];
} Category;

static const Category categories[QUERY_CATEGORIES] = {
  [QUERY_ONE_ABOVE] = { HEAD_ONE, { 0, 0 }, { 1, 0 } },
  [QUERY_ONE_BELOW] = { HEAD_ONE, { 0, 0 }, { -1, 0 } },
  [QUERY_ONE_ABOVE_REST_BELOW] = { HEAD_ONE, { 0, 0 }, { 1, -1 } },
  [QUERY_ONE_BELOW_REST_ABOVE] = { HEAD_ONE, { 0, 0 }, { -1, 1 } },
  [QUERY_HALF_HALF] = { HEAD_LARGER_HALF, { 0, 0 }, { -1, 1 } },
  [QUERY_ALL_ABOVE] = { HEAD_ONE, { 0, 0 }, { 1, 1 } },
  [QUERY_ALL_BELOW] = { HEAD_ONE, { 0, 0 }, { -1, -1 } },
  [QUERY_X_SHAPE] = { HEAD_SMALLER_HALF, { 0, -1 }, { -1, 0 } },
};

static gsize
head_length (Head head, gsize cols)
{
  return head == HEAD_ONE ? 1 : head == HEAD_SMALLER_HALF ? cols / 2 : cols - cols / 2;
}

/* Answers up to 2 from the centre, and neighbours that differ in one of them for certain. */
static void
fill_random (float centre, gsize cols, AssayStream *stream, float *ret_first, float *ret_second)
{
  const gsize certain = assay_stream_below (stream, cols);

  for (gsize j = 0; j < cols; j++) {
    const float step = j == certain ? 2 * (float) assay_stream_below (stream, 2) - 1
                                    : (float) assay_stream_below (stream, 3) - 1;

    ret_first[j] = centre + (float) assay_stream_below (stream, 5) - 2;
    ret_second[j] = ret_first[j] + step;
  }
}

void
query_pairs_fill (QueryPairs pairs, gsize cols, guint index, AssayStream *stream,
                  float *ret_first, float *ret_second)
{
  const float whole = (float) rint (pairs.centre);
  const Category *category;
  gsize head;

  if (index >= QUERY_CATEGORIES) {
    fill_random (whole, cols, stream, ret_first, ret_second);
    return;
  }
  category = &categories[pairs.order[index]];
  head = head_length (category->head, cols);
  for (gsize j = 0; j < cols; j++) {
    ret_first[j] = whole + category->first[j >= head];
    ret_second[j] = whole + category->second[j >= head];
  }
}
