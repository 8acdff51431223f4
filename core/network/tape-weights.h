/* The weights of a tape in an order that does not depend on the processor: layer after layer, of a
 * convolution out x in x kernel x kernel and then a bias for each channel that it gives, of a
 * normalisation its scales and then its shifts. PyTorch has them in the same order. */
#pragma once

#include "core/network/tape.h"

/* How many there are: also of a tape that was not finished. */
gsize assay_tape_count_weights (const AssayTape *tape);
/* Of @parameters, which are the tape's or their derivatives, in the order of the tape. */
void assay_tape_get_weights (const AssayTape *tape, const float *parameters, float *ret_weights);
/* Sets the tape's parameters. */
void assay_tape_set_weights (AssayTape *tape, const float *weights);
