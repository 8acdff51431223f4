/* Retrieval by sorting, by going through all orders, and place by place. */
#include "tests/reference/naive-retrieval.h"

#include "core/data/codes.h"

NaiveRetrieval
naive_retrieval_of_list (const gboolean *relevant, gsize n, gsize k)
{
  NaiveRetrieval result = { 0 };
  double found = 0, found_at_k = 0;

  for (gsize i = 0; i < n; i++) {
    if (!relevant[i])
      continue;
    found++;
    result.map += found / (double) (i + 1);
    if (i < k) {
      found_at_k++;
      result.map_at_k += found / (double) (i + 1);
    }
  }
  result.map /= found;
  result.map_at_k = found_at_k > 0 ? result.map_at_k / found_at_k : 0;
  result.precision = found_at_k / (double) k;
  result.recall = found_at_k / found;
  return result;
}

NaiveRetrieval
naive_retrieval_stable (const gsize *distances, const gboolean *relevant, gsize n, gsize k)
{
  g_autofree gsize *order = g_new (gsize, n);
  g_autofree gboolean *list = g_new (gboolean, n);

  for (gsize i = 0; i < n; i++) {
    gsize j = i;

    for (; j > 0 && distances[order[j - 1]] > distances[i]; j--)
      order[j] = order[j - 1];
    order[j] = i;
  }
  for (gsize i = 0; i < n; i++)
    list[i] = relevant[order[i]];
  return naive_retrieval_of_list (list, n, k);
}

typedef struct {
  const gsize *distances;
  const gboolean *relevant;
  gsize n;
  gsize k;
  gboolean *is_used;
  gboolean *list;
  gsize length; /* of the list so far */
  NaiveRetrieval sum;
  double n_orders;
} Orders;

static void
go_through (Orders *orders)
{
  gsize least = G_MAXSIZE;

  if (orders->length == orders->n) {
    const NaiveRetrieval one = naive_retrieval_of_list (orders->list, orders->n, orders->k);

    orders->sum.map += one.map;
    orders->sum.map_at_k += one.map_at_k;
    orders->sum.precision += one.precision;
    orders->sum.recall += one.recall;
    orders->n_orders++;
    return;
  }
  for (gsize i = 0; i < orders->n; i++)
    if (!orders->is_used[i])
      least = MIN (least, orders->distances[i]);
  for (gsize i = 0; i < orders->n; i++) {
    if (orders->is_used[i] || orders->distances[i] != least)
      continue;
    orders->is_used[i] = TRUE;
    orders->list[orders->length++] = orders->relevant[i];
    go_through (orders);
    orders->length--;
    orders->is_used[i] = FALSE;
  }
}

NaiveRetrieval
naive_retrieval_of_all_orders (const gsize *distances, const gboolean *relevant, gsize n, gsize k)
{
  g_autofree gboolean *is_used = g_new0 (gboolean, n);
  g_autofree gboolean *list = g_new0 (gboolean, n);
  Orders orders = {
    .distances = distances, .relevant = relevant, .n = n, .k = k, .is_used = is_used, .list = list
  };

  go_through (&orders);
  return (NaiveRetrieval){ orders.sum.map / orders.n_orders, orders.sum.map_at_k / orders.n_orders,
                           orders.sum.precision / orders.n_orders,
                           orders.sum.recall / orders.n_orders };
}

double
naive_expected_map (const gsize *distances, const gboolean *relevant, gsize n)
{
  long double sum = 0, all = 0;

  for (gsize i = 0; i < n; i++)
    all += relevant[i];
  for (gsize i = 0; i < n; i++) {
    long double before = 0, relevant_before = 0, tied = 0, relevant_tied = 0;

    if (!relevant[i])
      continue;
    for (gsize j = 0; j < n; j++) {
      before += distances[j] < distances[i];
      relevant_before += distances[j] < distances[i] && relevant[j];
      tied += distances[j] == distances[i];
      relevant_tied += distances[j] == distances[i] && relevant[j];
    }
    /* Item i stands at any place of its tie; the other relevant ones anywhere else in it. */
    for (long double place = 1; place <= tied; place++) {
      const long double ahead = tied > 1 ? (place - 1) * (relevant_tied - 1) / (tied - 1) : 0;

      sum += (relevant_before + ahead + 1) / (before + place) / tied;
    }
  }
  return (double) (sum / all);
}

gsize
naive_hamming (const guint8 *a, const guint8 *b, gsize bits)
{
  gsize distance = 0;

  for (gsize j = 0; j < bits; j++)
    distance += assay_code_bit (a, j) != assay_code_bit (b, j);
  return distance;
}
