/* How large a tape would be, before anything of it is allocated. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/error.h"
#include "core/network/tape.h"

/* A convolution of 3 x 3 from 8 to 16 channels, as the sum of its parts; a batch of 8 is two shards
 * with a gradient each. */
Test (tape_size, of_one_layer)
{
  const guint64 weights = 9 * 8 * 16 + 16;
  g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 8, 6, 6 });
  const guint last = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 16, 3, 1);
  const AssayTapeSize size = assay_tape_planned_size (tape, last, 8);

  cr_assert_eq (size.parameters, weights);
  cr_assert_eq (size.weights, (2 + 2 + 1 + 2) * weights * sizeof (float));
  cr_assert_geq (size.layers, 2 * (8 + 16) * 36 * ASSAY_TAPE_SHARD * sizeof (float));
  cr_assert (assay_tape_check_size (&size, NULL));
}

/* 2^40 weights, of which none is asked for: 7 copies of 4 bytes each, 28 * 2^20 MiB and a bit. */
Test (tape_size, that_no_machine_has)
{
  g_autoptr (AssayTape) tape = assay_tape_new ((AssayTapeShape){ 1 << 20, 1, 1 });
  const guint last = assay_tape_dense (tape, ASSAY_TAPE_INPUT, 1 << 20);
  const AssayTapeSize size = assay_tape_planned_size (tape, last, 8);
  g_autoptr (GError) error = NULL;

  cr_assert (!assay_tape_check_size (&size, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY));
  cr_assert (g_str_has_prefix (error->message, "a network of 1,099,512,676,352 weights needs "));
  cr_assert (strstr (error->message, "MiB of memory (29360156 for weights, their gradients"), "%s",
             error->message);
}
