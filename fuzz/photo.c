/* Fuzz target: photographs, JPEG and PNG, from the header up to what is computed of the picture.
 * gdk-pixbuf opens files by itself, so that an input is written to one. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>

#include "datasets/photographs/photo.h"

/* A hundred bytes can promise a picture that takes a second. */
#define MOST_PIXELS (1 << 14)
#define MOST_LONGEST 24

static const char *const names[] = { "picture", NULL };

/* @is_whole: levels are whole numbers of 0 to 255. */
static void
check_levels (const AssayPhoto *photo, gboolean is_whole)
{
  for (gsize i = 0; i < photo->width * photo->height * photo->channels; i++) {
    const float level = photo->data[i];

    FUZZ_REQUIRE (isfinite (level));
    if (is_whole)
      FUZZ_REQUIRE (level >= 0 && level <= 255 && level == floorf (level));
  }
}

static void
check_computed (const AssayPhoto *photo, gsize longest)
{
  g_autoptr (AssayPhoto) small = assay_photo_shrink (photo, longest, NULL);
  gsize width, height;

  assay_photo_shrunk_size (photo->width, photo->height, longest, &width, &height);
  FUZZ_REQUIRE (small != NULL && small->width == width && small->height == height);
  FUZZ_REQUIRE (MAX (width, height) <= longest);
  check_levels (small, TRUE);
  FUZZ_REQUIRE (assay_photo_sharpen (small, 0.5, NULL));
  check_levels (small, FALSE);
  FUZZ_REQUIRE (assay_photo_blur (small, 1.5, NULL));
  check_levels (small, FALSE);
}

static void
read_picture (const char *file, gsize longest)
{
  gsize width = 0, height = 0;
  g_autoptr (GError) error = NULL, other = NULL;
  const gboolean is_sized = assay_photo_read_size (file, &width, &height, &error);
  g_autoptr (AssayPhoto) photo = NULL;

  fuzz_check_outcome (is_sized, error);
  if (is_sized && width > MOST_PIXELS / height)
    return;
  photo = assay_photo_load (file, &other);
  fuzz_check_outcome (photo != NULL, other);
  if (photo == NULL)
    return;
  /* As its header says, perhaps turned. */
  FUZZ_REQUIRE (is_sized && MIN (photo->width, photo->height) == MIN (width, height));
  FUZZ_REQUIRE (MAX (photo->width, photo->height) == MAX (width, height));
  FUZZ_REQUIRE (photo->channels == 3);
  check_levels (photo, TRUE);
  check_computed (photo, longest);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *path = g_build_filename (fuzz_folder (names), names[0], NULL);
  FILE *file = fopen (path, "wb");

  FUZZ_REQUIRE (file != NULL && fwrite (data, 1, size, file) == size);
  FUZZ_REQUIRE (fclose (file) == 0);
  read_picture (path, 1 + size % MOST_LONGEST);
  return 0;
}
