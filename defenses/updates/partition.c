/* Which user has which sample. */
#include "defenses/updates/partition.h"

#include <string.h>

#include "core/base/error.h"
#include "core/data/matrix.h"

/* Shares that leave a user without a sample are drawn again, so many times. */
#define TRIES 100

void
user_samples_clear (UserSamples *samples)
{
  g_clear_pointer (&samples->order, g_free);
  g_clear_pointer (&samples->first, g_free);
}

/* The user of place @i in a random order of n. */
static gsize
equal_part (gsize i, gsize n, gsize n_users)
{
  return (gsize) ((guint64) i * n_users / n);
}

/* A user for each sample, by shares of each class. */
static void
draw_users (const UserShares *shares, AssayStream *stream, gsize *ret_users)
{
  const gsize n_users = shares->n_users;
  g_autofree double *ends = g_new (double, shares->n_classes *n_users);

  for (gsize c = 0; c < shares->n_classes; c++)
    for (gsize u = 0; u < n_users; u++)
      ends[c * n_users + u] = assay_stream_gamma (stream, shares->concentration)
                              + (u > 0 ? ends[c * n_users + u - 1] : 0);
  for (gsize i = 0; i < shares->n; i++) {
    const double *of = ends + (gsize) shares->labels[i] * n_users;
    const double at = assay_stream_uniform (stream) * of[n_users - 1];

    ret_users[i] = 0;
    while (ret_users[i] + 1 < n_users && of[ret_users[i]] <= at)
      ret_users[i]++;
  }
}

/* Fills order and first; G_MAXSIZE, or a user without a sample. */
static gsize
collect (const gsize *users, const gsize *random, gsize n, UserSamples *samples)
{
  memset (samples->first, 0, (samples->n_users + 1) * sizeof (gsize));
  for (gsize i = 0; i < n; i++)
    samples->first[users[i] + 1]++;
  for (gsize u = 0; u < samples->n_users; u++) {
    if (samples->first[u + 1] == 0)
      return u;
    samples->first[u + 1] += samples->first[u];
  }
  for (gsize i = 0; i < n; i++)
    samples->order[samples->first[users[random[i]]]++] = random[i];
  for (gsize u = samples->n_users; u > 0; u--)
    samples->first[u] = samples->first[u - 1];
  samples->first[0] = 0;
  return G_MAXSIZE;
}

gboolean
user_samples_draw (const UserShares *shares, AssayStream *stream, UserSamples *ret_samples,
                   GError **error)
{
  const gsize n = shares->n;
  const guint tries = shares->is_equal ? 1 : TRIES;
  g_autofree gsize *users = assay_alloc (n, sizeof (gsize), "users", error);
  g_autofree gsize *random = assay_alloc (n, sizeof (gsize), "users", error);
  gsize lacking = 0;

  *ret_samples = (UserSamples){ .n_users = shares->n_users };
  ret_samples->order = assay_alloc (n, sizeof (gsize), "users", error);
  ret_samples->first = assay_alloc (shares->n_users + 1, sizeof (gsize), "users", error);
  if (users == NULL || random == NULL || ret_samples->order == NULL || ret_samples->first == NULL)
    return FALSE;
  assay_stream_permutation (stream, n, random);
  for (guint t = 0; t < tries && lacking != G_MAXSIZE; t++) {
    if (!shares->is_equal)
      draw_users (shares, stream, users);
    for (gsize i = 0; shares->is_equal && i < n; i++)
      users[random[i]] = equal_part (i, n, shares->n_users);
    lacking = collect (users, random, n, ret_samples);
  }
  return lacking == G_MAXSIZE
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "user %zu of %zu has none of the %zu secrets; expected more secrets, fewer "
                        "users, or a larger concentration",
                        lacking, shares->n_users, n);
}
