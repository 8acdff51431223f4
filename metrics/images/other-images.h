/* Images beside the secrets: what recovered pictures resemble by chance. */
#pragma once

#include "core/plugin/plugin.h"

/* As many images as there are secrets (n x d), drawn without repetition from the dataset's test
 * images, or where these are too few from its public ones, and scaled as the release's secrets
 * were. The draw is the same wherever the first secret is. Where neither has as many, *@ret_others
 * stays NULL and *@ret_why says so. */
gboolean metric_other_images (const AssayMetricContext *context, const AssayTruth *truth,
                              AssayMatrix **ret_others, char **ret_why, GError **error);
