/* Fuzz target: our own reading of JPEG streams, which looks for damage. An input is what stands
 * between SOI and EOI, which its caller has seen. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "datasets/photographs/jpeg-check.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const guint8 soi[] = { 0xff, 0xd8 }, eoi[] = { 0xff, 0xd9 };
  const gsize length = sizeof soi + size + sizeof eoi;
  g_autofree guint8 *stream = g_malloc (length);
  gsize at = G_MAXSIZE;
  gboolean is_sound;

  memcpy (stream, soi, sizeof soi);
  if (size > 0)
    memcpy (stream + sizeof soi, data, size);
  memcpy (stream + sizeof soi + size, eoi, sizeof eoi);
  is_sound = assay_jpeg_is_sound (stream, length, &at);
  FUZZ_REQUIRE (is_sound ? at == G_MAXSIZE : at >= sizeof soi && at <= length);
  return 0;
}
