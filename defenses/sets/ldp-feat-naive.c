/* The naive form of LDP-FEAT: the omega-subset mechanism on all descriptors that there are
 * (Pittaluga and Zhuang 2023, "LDP-FEAT: Image Features with Local Differential Privacy", section
 * 5.2, "Naive Approach", and the rows |K| = 2^1024 of tables 2 and S1).
 *
 * Descriptors have d columns of `bits` bits, which makes a domain of K = 2^(bits d), 2^1024 for
 * SIFT. A secret d' (rounded) becomes
 *   u ~ Bernoulli (p),  p = Pr (u = 1) = m exp (epsilon) / (m exp (epsilon) + K - m) (equation 5)
 *   Z = {d'} if u = 1, and descriptors other than d' drawn uniformly until |Z| = m
 * in random order. Each descriptor is epsilon-locally private, and with SIFT nothing is released:
 *   ln p = ln m + epsilon - 1024 ln 2 = epsilon - 709.1 for m = 2,
 * so that the true descriptor is in no set that anyone will ever draw, unless epsilon is of the
 * order of 700. The paper's 0.00 is this, and the scenario ldp-feat-naive measures it by games.
 *
 * A release holds the dictionary of what was drawn: the members of set i are rows i m to i m + m-1.
 * Descriptors are not scaled, as the domain is that of their integers. */
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/kinds/vector-sets.h"
#include "core/plugin/plugin.h"

typedef struct {
  double epsilon;
  gint64 members; /* m */
  gint64 bits;    /* of a column */
} Naive;

typedef struct {
  const Naive *settings;
  AssayStreamKey stream;
  AssayView secrets; /* rounded */
  double inclusion;  /* p */
  float *dictionary; /* n m x d */
} Drawing;

/* p without K, which no number holds. */
static double
inclusion_of (const Naive *settings, gsize cols)
{
  const double m = (double) settings->members, bits = (double) settings->bits * (double) cols;
  const double others = bits < 53 ? log (exp2 (bits) - m) : bits * G_LN2;

  return 1 / (1 + exp (others - log (m) - settings->epsilon));
}

/* Whether @row is none of the first @count rows, nor @secret. */
static gboolean
is_new (const float *row, const float *secret, const float *rows, gsize count, gsize cols)
{
  if (memcmp (row, secret, cols * sizeof (float)) == 0)
    return FALSE;
  for (gsize i = 0; i < count; i++)
    if (memcmp (row, rows + i * cols, cols * sizeof (float)) == 0)
      return FALSE;
  return TRUE;
}

static void
draw_set (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Drawing *drawing = data;
  const gsize cols = drawing->secrets.cols, m = (gsize) drawing->settings->members;
  const float *secret = assay_view_row (drawing->secrets, index);
  const guint64 levels = G_GUINT64_CONSTANT (1) << drawing->settings->bits;
  AssayStream stream = assay_stream (drawing->stream, index);
  float *set = drawing->dictionary + index * m * cols;
  const gboolean is_in = assay_stream_uniform (&stream) < drawing->inclusion;
  const gsize place = assay_stream_below (&stream, m);

  for (gsize i = 0; i < m;) {
    float *row = set + i * cols;

    for (gsize j = 0; j < cols; j++)
      row[j] = (float) assay_stream_below (&stream, levels);
    i += is_new (row, secret, set, i, cols);
  }
  if (is_in)
    memcpy (set + place * cols, secret, cols * sizeof (float));
}

static AssayMatrix *
rounded (AssayView secrets, gint64 bits, GError **error)
{
  g_autoptr (AssayMatrix) copy = assay_matrix_copy (secrets, error);
  const float most = (float) ((G_GUINT64_CONSTANT (1) << bits) - 1);

  for (gsize i = 0; copy != NULL && i < secrets.rows; i++)
    for (gsize j = 0; j < secrets.cols; j++) {
      float *value = &assay_matrix_row (copy, i)[j];

      if (!(*value >= 0 && *value <= most))
        return assay_fail_null (error, ASSAY_ERROR_DATA,
                                "secret %zu, column %zu: %g is no descriptor of %" G_GINT64_FORMAT
                                " bits, expected 0 to %g; set bits, or scale the data",
                                i, j, (double) *value, bits, (double) most);
      *value = roundf (*value);
    }
  return g_steal_pointer (&copy);
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Naive *settings = context->settings;
  const gsize m = (gsize) settings->members, n = secrets.rows;
  Drawing drawing = { .settings = settings,
                      .stream = context->stream,
                      .inclusion = inclusion_of (settings, secrets.cols) };
  g_autoptr (AssayMatrix) protected = rounded (secrets, settings->bits, error);
  g_autoptr (AssayMatrix) dictionary
      = protected != NULL ? assay_matrix_new (n * m, secrets.cols, error) : NULL;
  gint64 *sets = dictionary != NULL ? assay_alloc (n * m, sizeof (gint64), "sets", error) : NULL;

  if (sets == NULL)
    return FALSE;
  drawing.secrets = assay_matrix_view (protected);
  drawing.dictionary = dictionary->data;
  assay_parallel_for (n, draw_set, &drawing);
  for (gsize i = 0; i < n * m; i++)
    sets[i] = (gint64) i;
  ret_release->is_unit_norm = FALSE;
  ASSAY_SET_PARAMETER (ret_release, AssayVectorSetsParameters, epsilon, settings->epsilon);
  assay_arrays_take_rows (&ret_release->arrays, "sets", ASSAY_INT64, n, m, sets);
  assay_arrays_take_matrix (&ret_release->arrays, "dictionary", &dictionary);
  assay_arrays_take_matrix (&ret_truth->arrays, "secrets", &protected);
  return TRUE;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Naive *settings = data;
  const double bits = (double) settings->bits * (double) shape->cols;

  if (shape->cols > 0 && bits < 53 && (double) settings->members >= exp2 (bits))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "members = %" G_GINT64_FORMAT
                       ": expected less than the %.0f descriptors of %zu columns of %"
                       G_GINT64_FORMAT " bits",
                       settings->members, exp2 (bits), shape->cols, settings->bits);
  return TRUE;
}

ASSAY_MEMORY (memory, Naive,
              shape->n_secrets * (guint64) settings->members * shape->cols * sizeof (float))

static void
release_shape (gconstpointer data, AssayShape *inout_shape)
{
  inout_shape->n_members = (gsize) ((const Naive *) data)->members;
}

ASSAY_DEFENSE (ldp_feat_naive, "ldp-feat-naive",
  .summary = "Release a random set of all possible descriptors that may hold the secret",
  .reference = { "Pittaluga and Zhuang 2023, LDP-FEAT: Image Features with Local Differential "
                 "Privacy",
                 "section 5.2, the naive approach; table 2, |K| = 2^1024" },
  ASSAY_SETTINGS (Naive,
    ASSAY_PARAM_REAL (Naive, epsilon, 10, 0, 10000, "nats",
                      "Privacy budget of one descriptor; an image of q descriptors spends q times "
                      "as much"),
    ASSAY_PARAM_INT (Naive, members, 2, 1, 4096, "", "How many descriptors m a released set has"),
    ASSAY_PARAM_INT (Naive, bits, 8, 1, 16, "bits",
                     "Bits of a column: descriptors hold integers from 0 to 2^bits - 1")),
  .check = check,
  .memory = memory,
  .produces = ASSAY_RELEASE_VECTOR_SETS,
  .release_shape = release_shape,
  .claim = "epsilon-local differential privacy of each descriptor, between any two; q epsilon for "
           "an image that releases q descriptors, by composition",
  .protect = protect);
