/* Independent units among secrets. */
#include "core/math/units.h"

#include <string.h>

#include "core/math/row-clusters.h"
#include "core/math/row-copies.h"

#define FEW_COLUMNS 8
#define FEW_ROWS 30 /* say too little of how they thin out */
#define NEAR (1 / 20.0)    /* of the usual distance */
#define TIMES_CHANCE 4.0
#define FAR (2 / 3.0)      /* of the units, or fewer: another number of them */

typedef struct {
  AssayMatrix *rows;     /* soon only those that differ: one of each */
  AssayMatrix *like;     /* no rows: none */
  const gint64 *groups;
  AssayStreamKey key;
  AssayPartition *parts; /* of copies, by row */
  gsize *distinct;       /* the row that each of `rows` was */
  gsize *rank;           /* of each row, its place among the distinct ones */
  gsize *labels;         /* of each row, the first row of its group */
  gsize *unit;           /* of each row, the first row of its unit */
  AssayUnits *units;
} Finding;

/* ---- Labels ---- */

static void
number_labels (Finding *finding)
{
  g_autoptr (GHashTable) firsts = g_hash_table_new (g_int64_hash, g_int64_equal);
  const gsize n = finding->units->n;

  finding->labels = g_new (gsize, n);
  for (gsize i = 0; i < n; i++) {
    gpointer first = NULL;

    finding->labels[i] = i;
    if (finding->groups == NULL)
      continue;
    if (g_hash_table_lookup_extended (firsts, &finding->groups[i], NULL, &first))
      finding->labels[i] = GPOINTER_TO_SIZE (first);
    else
      g_hash_table_insert (firsts, (gpointer) &finding->groups[i], GSIZE_TO_POINTER (i));
  }
  finding->units->n_labelled = finding->groups != NULL ? g_hash_table_size (firsts) : n;
}

/* For each row a label other than its own under which it has a copy; its own: there is none. Of
 * each part it is the first label, for rows of that the second. */
static gsize *
find_targets (const Finding *finding)
{
  const gsize n = finding->units->n;
  const gsize *labels = finding->labels;
  g_autofree gsize *first = g_new (gsize, n), *second = g_new (gsize, n);
  gsize *targets = g_new (gsize, n);

  for (gsize i = 0; i < n; i++) {
    const gsize part = assay_partition_find (finding->parts, i);

    if (part == i)
      first[i] = second[i] = labels[i];
    else if (second[part] == first[part])
      second[part] = labels[i];
  }
  for (gsize i = 0; i < n; i++) {
    const gsize part = assay_partition_find (finding->parts, i);

    targets[i] = first[part] != labels[i] ? first[part] : second[part];
  }
  return targets;
}

/* Joins a label with another under which at least half of its rows have copies. */
static void
join_labels (Finding *finding)
{
  const gsize n = finding->units->n;
  const gsize *labels = finding->labels;
  g_autofree gsize *targets = find_targets (finding);
  g_autofree gsize *sizes = g_new0 (gsize, n);
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (AssayPartition) joined = assay_partition_new (n);

  for (gsize i = 0; i < n; i++)
    sizes[labels[i]]++;
  for (gsize i = 0; i < n; i++) {
    const gint64 pair = (gint64) (labels[i] * n + targets[i]);
    const gsize count = GPOINTER_TO_SIZE (g_hash_table_lookup (counts, &pair)) + 1;

    assay_partition_join (joined, i, labels[i]);
    if (targets[i] == labels[i])
      continue;
    g_hash_table_insert (counts, g_memdup2 (&pair, sizeof pair), GSIZE_TO_POINTER (count));
    if (2 * count >= sizes[labels[i]])
      assay_partition_join (joined, labels[i], targets[i]);
  }
  finding->unit = g_new (gsize, n);
  for (gsize i = 0; i < n; i++) {
    finding->unit[i] = assay_partition_find (joined, i);
    finding->units->n_units += finding->unit[i] == i;
  }
}

/* ---- Copies ---- */

/* Keeps one of each of the rows that differ. */
static void
keep_distinct (Finding *finding)
{
  AssayMatrix *rows = finding->rows;
  const gsize n = rows->rows;
  gsize kept = 0;

  finding->distinct = g_new (gsize, n);
  finding->rank = g_new (gsize, n);
  for (gsize i = 0; i < n; i++) {
    const gsize first = assay_partition_find (finding->parts, i);

    finding->rank[i] = first == i ? kept : finding->rank[first];
    if (first != i)
      continue;
    memmove (assay_matrix_row (rows, kept), assay_matrix_row (rows, i),
             rows->cols * sizeof (float));
    finding->distinct[kept++] = i;
  }
  rows->rows = kept;
}

static double
count_equal_pairs (const Finding *finding)
{
  g_autofree double *sizes = g_new0 (double, finding->rows->rows + 1);
  double pairs = 0;

  for (gsize i = 0; i < finding->units->n; i++)
    pairs += sizes[finding->rank[i]]++;
  return pairs;
}

static void
join_equal (Finding *finding)
{
  AssayUnits *units = finding->units;

  units->n_equal = assay_copies_find_equal (assay_matrix_view (finding->rows), finding->parts);
  keep_distinct (finding);
  if (units->n_equal == 0)
    return;
  units->is_by_chance = assay_copies_may_be_chance (assay_matrix_view (finding->rows), units->n,
                                                    count_equal_pairs (finding));
  if (units->is_by_chance) {
    assay_partition_free (finding->parts);
    finding->parts = assay_partition_new (units->n);
  }
}

/* What is usual: of the rows themselves, or of those that they are like. */
static AssaySpread *
find_spread (const Finding *finding)
{
  g_autoptr (AssaySpread) own
      = assay_spread_new (assay_matrix_view (finding->rows), NULL, finding->key);
  g_autoptr (AssaySpread) other
      = assay_spread_new (assay_matrix_view (finding->like), NULL, finding->key);

  if (own != NULL && (other == NULL || own->usual >= other->usual))
    return g_steal_pointer (&own);
  return g_steal_pointer (&other);
}

static void
join_near (Finding *finding, const AssaySpread *spread)
{
  const AssayView rows = assay_matrix_view (finding->rows);
  const double n = (double) rows.rows, distance = NEAR * spread->usual;
  const double chance = TIMES_CHANCE * assay_spread_chance (spread, distance) * n * (n - 1) / 2;
  g_autoptr (AssayPartition) near = assay_partition_new (rows.rows);
  gsize n_near;

  if (chance >= n || !(distance > 0))
    return;
  n_near = assay_copies_find_near (rows, distance, finding->key, near);
  if ((double) n_near <= chance)
    return;
  finding->units->n_near = n_near;
  for (gsize i = 0; i < rows.rows; i++)
    assay_partition_join (finding->parts, finding->distinct[i],
                          finding->distinct[assay_partition_find (near, i)]);
}

/* ---- Clusters ---- */

/* The clusters become the units where they say otherwise than the labels. What is tight is so among
 * the secrets themselves: that all of them are nearer to each other than public rows are makes them
 * a narrow population, not one unit. */
static void
find_clusters (Finding *finding)
{
  AssayUnits *units = finding->units;
  const AssayView rows = assay_matrix_view (finding->rows);
  g_autoptr (AssaySpread) own = assay_spread_new (rows, NULL, finding->key);
  g_autofree gsize *unit_of = g_new (gsize, rows.rows + 1);
  g_autoptr (AssayClusters) clusters = NULL;

  if (own == NULL)
    return;
  for (gsize i = 0; i < rows.rows; i++)
    unit_of[i] = finding->unit[finding->distinct[i]];
  clusters = assay_clusters_find (rows, unit_of, own->usual, finding->key);
  if (clusters == NULL || clusters->n_effective > FAR * (double) units->n_units)
    return;
  units->n_clusters = clusters->n_clusters;
  units->n_effective = clusters->n_effective;
  for (gsize i = 0; i < units->n; i++)
    finding->unit[i] = finding->distinct[clusters->first[finding->rank[i]]];
}

/* ---- All of it ---- */

static void
take_numbers (Finding *finding)
{
  AssayUnits *units = finding->units;

  if (units->n_units == units->n_labelled && units->n_clusters == 0)
    return;
  units->numbers = g_new (gint64, units->n);
  for (gsize i = 0; i < units->n; i++)
    units->numbers[i] = (gint64) finding->unit[i];
}

static void
find_units (Finding *finding)
{
  g_autoptr (AssaySpread) spread = NULL;

  number_labels (finding);
  join_equal (finding);
  if (assay_rows_scale_columns (finding->rows, finding->like) >= FEW_COLUMNS
      && finding->rows->rows >= FEW_ROWS)
    spread = find_spread (finding);
  if (spread != NULL)
    join_near (finding, spread);
  join_labels (finding);
  finding->units->n_effective = (double) finding->units->n_units;
  if (spread != NULL)
    find_clusters (finding);
  take_numbers (finding);
}

AssayUnits *
assay_units_find (AssayMatrix *rows, const gint64 *groups, AssayMatrix *like, AssayStreamKey key)
{
  AssayUnits *units = g_new0 (AssayUnits, 1);
  AssayMatrix none = { .cols = rows->cols };
  Finding finding = { .rows = rows,
                      .like = like != NULL ? like : &none,
                      .groups = groups,
                      .key = key,
                      .units = units };

  units->n = units->n_labelled = units->n_units = rows->rows;
  if (assay_view_check_finite (assay_matrix_view (rows), "secrets", NULL)
      && (like == NULL || assay_view_check_finite (assay_matrix_view (like), "rows", NULL))
      && rows->rows > 0) {
    units->n_units = 0;
    finding.parts = assay_partition_new (rows->rows);
    find_units (&finding);
  }
  assay_partition_free (finding.parts);
  g_free (finding.distinct);
  g_free (finding.rank);
  g_free (finding.labels);
  g_free (finding.unit);
  assay_matrix_free (rows);
  assay_matrix_free (like);
  return units;
}

/* "480 of the secrets repeat another and 12 nearly do" */
static char *
describe_copies (const AssayUnits *units)
{
  const gsize equal = units->is_by_chance ? 0 : units->n_equal;

  if (units->n_near == 0)
    return g_strdup_printf ("%zu of the secrets repeat another", equal);
  if (equal == 0)
    return g_strdup_printf ("%zu of the secrets nearly repeat another", units->n_near);
  return g_strdup_printf ("%zu of the secrets repeat another and %zu nearly do", equal,
                          units->n_near);
}

char *
assay_units_describe (const AssayUnits *units)
{
  const char *labels = units->n_labelled < units->n ? "groups of secrets" : "secrets";
  g_autofree char *copies = describe_copies (units);

  if (units->n_clusters > 0)
    return g_strdup_printf ("the %zu %s lie in %zu tight clusters: they are as good as %.3g "
                            "independent units, and the clusters are taken as such",
                            units->n_units, labels, units->n_clusters, units->n_effective);
  if (units->n_units < units->n_labelled)
    return g_strdup_printf ("the %zu %s are %zu independent unit%s: %s", units->n_labelled, labels,
                            units->n_units, units->n_units == 1 ? "" : "s", copies);
  return NULL;
}

ASSAY_FREE_FUNC (AssayUnits, assay_units_free, g_free (self->numbers))
