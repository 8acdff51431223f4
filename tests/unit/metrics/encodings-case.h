/* Encodings of images with their owners, as metrics of releases of mixtures take them. */
#pragma once

#include "tests/reference/fixtures.h"

enum { SIDE = 4, COLS = SIDE * SIDE };

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
  AssayGuess *guess;
} Case;

static void
case_clear (Case *c)
{
  assay_release_free (c->release);
  assay_truth_free (c->truth);
  assay_guess_free (c->guess);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* @each encodings of each of @n secrets, in turn, that take over @images. */
static Case
make_encodings (gsize n, gsize each, AssayMatrix *images)
{
  const gsize total = n * each;
  gint64 *owners = g_new (gint64, total);
  Case c = { .release = assay_release_new (ASSAY_RELEASE_MIXTURES, "made"),
             .truth = assay_truth_new (),
             .guess = assay_guess_new () };

  for (gsize i = 0; i < total; i++)
    owners[i] = (gint64) (i % n);
  c.release->geometry = (AssayGeometry){ .height = SIDE, .width = SIDE, .channels = 1 };
  assay_arrays_take (&c.release->arrays, "images", assay_array_take_matrix (images));
  assay_arrays_take (&c.truth->arrays, "secrets",
                     assay_array_take_matrix (fixture_normal (n, COLS, 9)));
  assay_arrays_take (&c.truth->arrays, "owners", assay_array_take (ASSAY_INT64, 1, &total, owners));
  return c;
}
