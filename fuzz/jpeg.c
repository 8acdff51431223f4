/* Fuzz target: the check of JPEG streams for damage. An input is what is between SOI and EOI. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "datasets/photographs/jpeg-check.h"

/* A hundred bytes can promise a picture that takes a second. */
#define MAX_PIXELS (1 << 16)

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const guint8 soi[] = { 0xff, 0xd8 }, eoi[] = { 0xff, 0xd9 };
  const gsize length = sizeof soi + size + sizeof eoi;
  g_autofree guint8 *stream = g_malloc (length);
  g_autoptr (GError) error = NULL;
  gboolean is_sound;

  memcpy (stream, soi, sizeof soi);
  if (size > 0)
    memcpy (stream + sizeof soi, data, size);
  memcpy (stream + sizeof soi + size, eoi, sizeof eoi);
  is_sound = assay_jpeg_check (stream, length, MAX_PIXELS, &error);
  fuzz_check_outcome (is_sound, error);
  return 0;
}
