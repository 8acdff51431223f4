/* The rows that users train on. */
#include "defenses/updates/user-rows.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/vectors.h"
#include "defenses/updates/column-scaling.h"

/* Shares that leave a user without a sample are drawn again, so many times. */
#define TRIES 100

ASSAY_CLEAR_FUNC (UserSamples, user_samples_clear, assay_drop (self->order, g_free),
                  assay_drop (self->first, g_free))

/* ---- Which user has which sample ---- */

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

/* Shares all samples out once more, in equal parts among the users from @from on; G_MAXSIZE, or a
 * user without a sample. @users, @random: room for n. */
static gsize
split_equally (const UserShares *shares, gsize from, gsize *users, gsize *random,
               AssayStream *stream, UserSamples *samples)
{
  const gsize n = shares->n, count = shares->per_split, place = from / count * n;
  UserSamples split = { count, samples->order + place, samples->first + from };
  gsize lacking;

  assay_stream_permutation (stream, n, random);
  for (gsize i = 0; i < n; i++)
    users[random[i]] = equal_part (i, n, count);
  lacking = collect (users, random, n, &split);
  for (gsize u = 0; u <= count; u++)
    split.first[u] += place;
  return lacking == G_MAXSIZE ? lacking : from + lacking;
}

/* The same for all splits. */
static gsize
split_all (const UserShares *shares, gsize *users, gsize *random, AssayStream *stream,
           UserSamples *samples)
{
  gsize lacking = G_MAXSIZE;

  for (gsize from = 0; from < shares->n_users && lacking == G_MAXSIZE; from += shares->per_split)
    lacking = split_equally (shares, from, users, random, stream, samples);
  return lacking;
}

gboolean
user_samples_draw (const UserShares *shares, AssayStream *stream, UserSamples *ret_samples,
                   GError **error)
{
  const gsize n = shares->n;
  const gsize splits = shares->is_equal ? shares->n_users / shares->per_split : 1;
  g_autofree gsize *users = assay_alloc (n, sizeof (gsize), "users", error);
  g_autofree gsize *random = assay_alloc (n, sizeof (gsize), "users", error);
  gsize lacking = 0;

  *ret_samples = (UserSamples){ .n_users = shares->n_users };
  ret_samples->order = assay_alloc (splits, n * sizeof (gsize), "users", error);
  ret_samples->first = assay_alloc (shares->n_users + 1, sizeof (gsize), "users", error);
  if (users == NULL || random == NULL || ret_samples->order == NULL || ret_samples->first == NULL)
    return FALSE;
  if (shares->is_equal)
    lacking = split_all (shares, users, random, stream, ret_samples);
  else
    assay_stream_permutation (stream, n, random);
  for (guint t = 0; t < TRIES && !shares->is_equal && lacking != G_MAXSIZE; t++) {
    draw_users (shares, stream, users);
    lacking = collect (users, random, n, ret_samples);
  }
  return lacking == G_MAXSIZE
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "user %zu of %zu has none of the %zu secrets; expected more secrets, fewer "
                        "users, or a larger concentration",
                        lacking, shares->n_users, n);
}

/* ---- Rows ---- */

ASSAY_CLEAR_FUNC (UserRows, user_rows_clear, assay_drop (self->rows, assay_matrix_free),
                  assay_drop (self->labels, g_free), user_samples_clear (&self->samples))

gboolean
user_rows_check_labels (const gint64 *labels, gsize n, gsize n_classes, const char *what,
                        GError **error)
{
  if (labels == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "users train a classifier: expected labels of the %zu %s, found none", n,
                       what);
  for (gsize i = 0; i < n; i++)
    if (labels[i] < 0 || (guint64) labels[i] >= n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "label %zu of the %s is %" G_GINT64_FORMAT "; expected 0 to %zu", i, what,
                         labels[i], n_classes - 1);
  return TRUE;
}

/* Samples, then public rows. */
static AssayMatrix *
join (AssayView secrets, const AssayRows *shared, GError **error)
{
  g_autoptr (AssayMatrix) rows = assay_rows_matrix (shared, ASSAY_SCALE_NONE, error);
  AssayMatrix *joined
      = rows != NULL ? assay_matrix_new (secrets.rows + rows->rows, secrets.cols, error) : NULL;

  for (gsize i = 0; joined != NULL && i < joined->rows; i++)
    memcpy (assay_matrix_row (joined, i),
            i < secrets.rows ? assay_view_row (secrets, i)
                             : assay_matrix_row (rows, i - secrets.rows),
            secrets.cols * sizeof (float));
  return joined;
}

static void
shorten (AssayMatrix *rows)
{
  for (gsize i = 0; i < rows->rows; i++) {
    float *row = assay_matrix_row (rows, i);
    const double length = sqrt (assay_lanes_squared_norm (row, rows->cols));

    for (gsize j = 0; length > 1 && j < rows->cols; j++)
      row[j] = (float) ((double) row[j] / length);
  }
}

gboolean
user_rows_init (const AssayDefenseContext *context, AssayView secrets, const UserRowsForm *form,
                UserRows *ret_rows, GError **error)
{
  g_auto (UserRows) made
      = { .n = secrets.rows,
          .n_shared = form->shares_public ? assay_rows_count (context->public_rows) : 0 };
  g_autoptr (AssayMatrix) joined = NULL;

  if (!user_rows_check_labels (context->labels, made.n, context->n_classes, "secrets", error)
      || (made.n_shared > 0
          && !user_rows_check_labels (context->public_labels, made.n_shared, context->n_classes,
                                      "public rows, which are in each user's part", error)))
    return FALSE;
  joined = made.n_shared > 0 ? join (secrets, context->public_rows, error) : NULL;
  if (made.n_shared > 0 && joined == NULL)
    return FALSE;
  made.rows = column_scaling_apply (joined != NULL ? assay_matrix_view (joined) : secrets,
                                    form->scaling, error);
  made.labels = assay_alloc (made.n + made.n_shared, sizeof (gint64), "labels", error);
  if (made.rows == NULL || made.labels == NULL)
    return FALSE;
  memcpy (made.labels, context->labels, made.n * sizeof (gint64));
  if (made.n_shared > 0)
    memcpy (made.labels + made.n, context->public_labels, made.n_shared * sizeof (gint64));
  if (form->is_shortened)
    shorten (made.rows);
  *ret_rows = made;
  made = (UserRows){ 0 };
  return TRUE;
}

static gsize
count_own (const UserRows *rows, gsize user)
{
  return rows->samples.first[user + 1] - rows->samples.first[user];
}

gsize
user_rows_count (const UserRows *rows, gsize user)
{
  return count_own (rows, user) + rows->n_shared;
}

gsize
user_rows_at (const UserRows *rows, gsize user, gsize index)
{
  const gsize own = count_own (rows, user);

  return index < own ? rows->samples.order[rows->samples.first[user] + index]
                     : rows->n + index - own;
}
