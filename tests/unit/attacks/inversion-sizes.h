/* How much is encrypted in the tests of mixture-inversion. */
#pragma once

#include "tests/reference/instahide.h"

static const InstaHideSizes sizes = { .n_secrets = 12,
                                      .n_epochs = 30,
                                      .n_public = 200,
                                      .n_partners = 2,
                                      .side = 24,
                                      .n_classes = 4,
                                      .seed = 7 };
