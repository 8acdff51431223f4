#include "tests/unit/defenses/paired-contrast.h"

#include "core/data/codes.h"
#include "core/data/kinds/paired-codes.h"

double
paired_contrast (const AssayRelease *release)
{
  const AssayPairedCodes codes = assay_release_paired_codes (release);
  const gsize n = assay_release_count (release);
  double sums[2] = { 0 }, counts[2] = { 0 };

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      for (gsize b = 0; i != j && b < codes.bits; b++) {
        const guint is_same = i % 3 == j % 3;

        sums[is_same] += assay_code_bit (codes.first + i * codes.bytes, b)
                         != assay_code_bit (codes.second + j * codes.bytes, b);
        counts[is_same]++;
      }
  return sums[0] / counts[0] - sums[1] / counts[1];
}
