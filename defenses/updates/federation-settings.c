/* What settings of users who train together mean before they train. */
#include "core/base/error.h"
#include "core/data/grant.h"
#include "defenses/updates/federation.h"

#define LEAST_USERS 3 /* of sums that are to hide what is in them */

gsize
federation_users_per_split (const FederationSettings *settings)
{
  return (gsize) (settings->partition == PARTITION_REPEATED ? settings->per_split
                                                            : settings->users);
}

guint
federation_uses (gconstpointer data)
{
  const FederationSettings *settings = data;

  return settings->start == START_PUBLIC || settings->standardise ? ASSAY_GRANT_PUBLIC
                                                                  : ASSAY_GRANT_NONE;
}

const char *
federation_no_gradients (gconstpointer data)
{
  const FederationSettings *settings = data;

  return settings->trainer == ASSAY_TRAINER_OPTIMUM    ? "train to the optimum (trainer = optimum)"
         : settings->trainer == ASSAY_TRAINER_CLUSTERS ? "send centroids of clusters (trainer = "
                                                         "clusters)"
                                                       : NULL;
}

gboolean
federation_check_users (gint64 users, gboolean allowed, GError **error)
{
  return users >= (allowed ? LEAST_USERS - 1 : LEAST_USERS)
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "users = %" G_GINT64_FORMAT
                        ": expected %d or more, since the sum of two tells each of them the "
                        "other's update; allow_two = yes plays two all the same",
                        users, LEAST_USERS);
}

/* What a trainer cannot do. */
static gboolean
check_trainer (const FederationSettings *settings, GError **error)
{
  if (settings->trainer == ASSAY_TRAINER_CLUSTERS
      && (settings->start == START_ZERO || settings->bias))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "%s with trainer = clusters: expected %s",
                       settings->bias ? "bias = yes" : "start = zero",
                       settings->bias ? "no, since centroids have none"
                                      : "public, since centroids that are equal stay equal");
  return settings->trainer != ASSAY_TRAINER_OPTIMUM
         || (settings->loss == ASSAY_LOSS_LOGISTIC && settings->penalty > 0 && settings->mix <= 0
             && settings->sparsity <= 0 && !settings->bias)
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "trainer = optimum: expected loss = logistic, a penalty above 0 with "
                        "mix = 0, sparsity = 0 and bias = no");
}

gboolean
federation_check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const FederationSettings *settings = data;

  if (!check_trainer (settings, error))
    return FALSE;
  if (settings->partition == PARTITION_REPEATED && settings->users % settings->per_split != 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "users = %" G_GINT64_FORMAT
                       " with partition = repeated: expected a multiple of per_split = "
                       "%" G_GINT64_FORMAT,
                       settings->users, settings->per_split);
  if (shape->n_secrets > 0 && federation_users_per_split (settings) > shape->n_secrets)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "users = %zu: expected at most as many as there are secrets, %zu",
                       federation_users_per_split (settings), shape->n_secrets);
  if (shape->n_secrets > 0 && shape->n_classes < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "users train a classifier: expected a dataset with labels of two classes "
                       "or more, found %zu",
                       shape->n_classes);
  return TRUE;
}

void
federation_shape (gconstpointer data, AssayShape *inout_shape)
{
  const FederationSettings *settings = data;

  inout_shape->n_outputs = inout_shape->n_classes * (inout_shape->cols + (settings->bias ? 1 : 0));
  inout_shape->n_members = (gsize) settings->steps * (gsize) settings->users;
}
