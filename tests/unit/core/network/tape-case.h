/* A network with every kind of layer, and examples of random numbers. */
#pragma once

#include "core/network/train.h"

/* Examples whose numbers depend on their index and @trial alone. Targets: by @loss. */
typedef struct {
  const AssayTape *tape;
  guint64 trial;
} TapeCase;

AssayTapeExamples tape_case_examples (TapeCase *tape_case, gsize n);

/* 3 x 16 x 16: a U of two levels, a sum, a stride, a mean, and five classes. Layers that
 * have parameters, in their order, are those of the script in test-tape-torch.c. */
AssayTape *tape_case_everything (void);
