/* BLAS and LAPACK behind linalg.h: the product against its definition, bases by what defines
 * them, the same bits on every number of threads. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/linalg.h"
#include "tests/unit/assert-near.h"

static float *
random_floats (gsize count, guint64 item)
{
  AssayStream stream = assay_stream (assay_stream_key (21, 0, "data", ""), item);
  float *values = g_new (float, count + 1);

  for (gsize i = 0; i < count; i++)
    values[i] = (float) assay_stream_normal (&stream);
  return values;
}

static double *
random_doubles (gsize count, guint64 item)
{
  AssayStream stream = assay_stream (assay_stream_key (22, 0, "data", ""), item);
  double *values = g_new (double, count + 1);

  for (gsize i = 0; i < count; i++)
    values[i] = assay_stream_normal (&stream);
  return values;
}

static const char *const form_names[] = { "A B", "A B'", "A' B" };

typedef struct {
  AssayForm form;
  gsize rows, cols, inner, gap; /* @gap elements between rows of each matrix */
} Product;

static gsize
rows_a (const Product *p)
{
  return p->form == ASSAY_TN ? p->inner : p->rows;
}

static gsize
cols_a (const Product *p)
{
  return p->form == ASSAY_TN ? p->rows : p->inner;
}

static gsize
rows_b (const Product *p)
{
  return p->form == ASSAY_NT ? p->cols : p->inner;
}

static gsize
cols_b (const Product *p)
{
  return p->form == ASSAY_NT ? p->inner : p->cols;
}

static gsize
stride_a (const Product *p)
{
  return cols_a (p) + p->gap;
}

static gsize
stride_b (const Product *p)
{
  return cols_b (p) + p->gap;
}

/* Place in A of the factor l of row i, and in B of the factor l of column j. */
static gsize
place_a (const Product *p, gsize i, gsize l)
{
  return p->form == ASSAY_TN ? l * stride_a (p) + i : i * stride_a (p) + l;
}

static gsize
place_b (const Product *p, gsize j, gsize l)
{
  return p->form == ASSAY_NT ? j * stride_b (p) + l : l * stride_b (p) + j;
}

/* Numbers to hold A, and B. */
static gsize
size_a (const Product *p)
{
  return rows_a (p) * stride_a (p);
}

static gsize
size_b (const Product *p)
{
  return rows_b (p) * stride_b (p);
}

static void
check_entry (const Product *p, gsize i, gsize j, double found, double sum, double tolerance)
{
  cr_assert (fabs (found - sum) <= tolerance, "%s, %zu x %zu x %zu: (%zu, %zu) is %g instead of %g",
             form_names[p->form], p->rows, p->cols, p->inner, i, j, found, sum);
}

/* |fl (x.y) - x.y| <= inner u sum |x_i y_i| / (1 - inner u), u = 2^-24 (Higham 2002, "Accuracy and
 * stability of numerical algorithms", section 3.1). */
static void
check_product (const Product *p)
{
  const gsize stride_c = p->cols + p->gap;
  const double unit = (double) p->inner * FLT_EPSILON / 2;
  g_autofree float *a = random_floats (size_a (p), 1);
  g_autofree float *b = random_floats (size_b (p), 2);
  g_autofree float *c = g_new (float, p->rows *stride_c + 1);

  for (gsize i = 0; i < p->rows * stride_c; i++)
    c[i] = NAN; /* overwritten, never added to */
  assay_linalg_product (p->form, (AssayView){ rows_a (p), cols_a (p), stride_a (p), a },
                        (AssayView){ rows_b (p), cols_b (p), stride_b (p), b }, c, stride_c);
  for (gsize i = 0; i < p->rows; i++) {
    for (gsize j = 0; j < p->cols; j++) {
      double sum = 0, size = 0;

      for (gsize l = 0; l < p->inner; l++) {
        const double term = (double) a[place_a (p, i, l)] * (double) b[place_b (p, j, l)];

        sum += term;
        size += fabs (term);
      }
      check_entry (p, i, j, (double) c[i * stride_c + j], sum, unit / (1 - unit) * size + FLT_MIN);
    }
    for (gsize j = p->cols; j < stride_c; j++)
      cr_assert (isnan (c[i * stride_c + j]), "%s, %zu x %zu x %zu: wrote into a gap",
                 form_names[p->form], p->rows, p->cols, p->inner);
  }
}

/* The same bound with u = 2^-53; the sum here has it, too. */
static void
check_product_double (const Product *p)
{
  const gsize stride_c = p->cols + p->gap;
  const double unit = (double) p->inner * DBL_EPSILON / 2;
  g_autofree double *a = random_doubles (size_a (p), 1);
  g_autofree double *b = random_doubles (size_b (p), 2);
  g_autofree double *c = g_new (double, p->rows *stride_c + 1);

  for (gsize i = 0; i < p->rows * stride_c; i++)
    c[i] = NAN;
  assay_linalg_product_double (
      p->form, (AssayViewDouble){ rows_a (p), cols_a (p), stride_a (p), a },
      (AssayViewDouble){ rows_b (p), cols_b (p), stride_b (p), b }, c, stride_c);
  for (gsize i = 0; i < p->rows; i++) {
    for (gsize j = 0; j < p->cols; j++) {
      double sum = 0, size = 0;

      for (gsize l = 0; l < p->inner; l++) {
        const double term = a[place_a (p, i, l)] * b[place_b (p, j, l)];

        sum += term;
        size += fabs (term);
      }
      check_entry (p, i, j, c[i * stride_c + j], sum, 2 * unit / (1 - unit) * size);
    }
    for (gsize j = p->cols; j < stride_c; j++)
      cr_assert (isnan (c[i * stride_c + j]), "%s, %zu x %zu x %zu: wrote into a gap",
                 form_names[p->form], p->rows, p->cols, p->inner);
  }
}

Test (linalg, products_are_as_defined)
{
  static const gsize sizes[] = { 1, 3, 16, 65, 130 };

  for (gsize i = 0; i < 125; i++)
    for (AssayForm form = ASSAY_NN; form <= ASSAY_TN; form++) {
      const Product product = { form, sizes[i % 5], sizes[i / 5 % 5], sizes[i / 25], i % 3 };

      check_product (&product);
      check_product_double (&product);
    }
}

Test (linalg, products_of_nothing)
{
  for (AssayForm form = ASSAY_NN; form <= ASSAY_TN; form++) {
    const Product products[]
        = { { form, 0, 5, 3, 1 }, { form, 5, 0, 3, 1 }, { form, 5, 4, 0, 1 } /* zeros */ };

    for (gsize i = 0; i < G_N_ELEMENTS (products); i++) {
      check_product (&products[i]);
      check_product_double (&products[i]);
    }
  }
}

typedef struct {
  const float *a;
  float *products;
} Products;

enum { SIDE = 192, N_PRODUCTS = 8 };

static void
multiply (gsize index, guint worker, gpointer data)
{
  const Products *products = data;

  cr_assert (worker < assay_parallel_threads ());
  assay_linalg_product (ASSAY_NT, assay_view_of (products->a + index, SIDE, SIDE),
                        assay_view_of (products->a, SIDE, SIDE),
                        products->products + index * SIDE * SIDE, SIDE);
}

Test (linalg, products_do_not_depend_on_threads)
{
  const gsize count = N_PRODUCTS * SIDE * SIDE;
  g_autofree float *a = random_floats (SIDE * SIDE + N_PRODUCTS, 3);
  g_autofree float *one = g_new0 (float, count);
  g_autofree float *more = g_new0 (float, count);

  for (guint threads = 1; threads <= 3; threads++) {
    Products products = { .a = a, .products = threads == 1 ? one : more };

    assay_parallel_set_threads (threads);
    cr_assert (assay_parallel_threads () == threads);
    assay_parallel_for (N_PRODUCTS, multiply, &products);
    cr_assert (threads == 1 || memcmp (one, more, count * sizeof (float)) == 0, "%u threads",
               threads);
  }
  /* Nor on whether they are called in the loop at all. */
  for (gsize i = 0; i < N_PRODUCTS; i++) {
    Products products = { .a = a, .products = more };

    multiply (i, 0, &products);
  }
  cr_assert (memcmp (one, more, count * sizeof (float)) == 0);
}

/* By panels, the last of which is short: what one product gives, for any number of threads. */
Test (linalg, products_in_parallel)
{
  enum { ROWS = 300, INNER = 40, COLS = 30 };
  g_autofree float *a = random_floats (ROWS * INNER, 4);
  g_autofree float *b = random_floats (INNER * COLS, 5);
  float whole[ROWS * COLS], panels[ROWS * COLS];

  for (guint form = 0; form < 2; form++) {
    const AssayView left = assay_view_of (a, ROWS, INNER);
    const AssayView right
        = form == 0 ? assay_view_of (b, COLS, INNER) : assay_view_of (b, INNER, COLS);

    assay_linalg_product (form == 0 ? ASSAY_NT : ASSAY_NN, left, right, whole, COLS);
    for (guint threads = 1; threads <= 3; threads++) {
      assay_parallel_set_threads (threads);
      assay_linalg_product_in_parallel (form == 0 ? ASSAY_NT : ASSAY_NN, left, right, panels);
      for (gsize i = 0; i < ROWS * COLS; i++)
        assert_near (panels[i], whole[i], 1e-5, "form %u, %u threads: number %zu", form, threads,
                     i);
    }
  }
}

typedef struct {
  gint calls[1000];
  gint inner_calls;
} Counts;

static void
count_inner (gsize index, guint worker, gpointer data)
{
  Counts *counts = data;

  (void) index;
  cr_assert (worker == 0);
  g_atomic_int_inc (&counts->inner_calls);
}

static void
count_call (gsize index, guint worker, gpointer data)
{
  Counts *counts = data;

  (void) worker;
  g_atomic_int_inc (&counts->calls[index]);
  if (index % 100 == 0)
    assay_parallel_for (5, count_inner, data);
}

Test (parallel, each_piece_is_done_once)
{
  for (guint threads = 1; threads <= 4; threads++) {
    Counts counts = { .inner_calls = 0 };

    assay_parallel_set_threads (threads);
    assay_parallel_for (1000, count_call, &counts);
    assay_parallel_for (0, count_call, &counts);
    for (gsize i = 0; i < 1000; i++)
      cr_assert (counts.calls[i] == 1, "%u threads, piece %zu: %d times", threads, i,
                 counts.calls[i]);
    cr_assert (counts.inner_calls == 50, "%u threads", threads);
  }
  assay_parallel_set_threads (0);
  cr_assert (assay_parallel_threads () == g_get_num_processors ());
}

static double
dot (const double *a, const double *b, gsize cols)
{
  double sum = 0;

  for (gsize i = 0; i < cols; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Householder QR leaves a departure from orthonormality, and from the span, of order
 * cols * count * epsilon (Higham 2002, theorem 19.4 and section 19.3). */
static void
check_basis (gsize count, gsize cols)
{
  const double tolerance = 10 * (double) cols * (double) (count + 1) * DBL_EPSILON;
  g_autofree double *rows = random_doubles (count * cols, count);
  g_autofree double *given = g_memdup2 (rows, (count * cols + 1) * sizeof (double));
  g_autoptr (GError) error = NULL;

  cr_assert (assay_linalg_orthonormalize (rows, count, cols, &error));
  cr_assert_null (error);
  for (gsize i = 0; i < count; i++) {
    double left = dot (given + i * cols, given + i * cols, cols);

    for (gsize j = 0; j < count; j++) {
      const double part = dot (given + i * cols, rows + j * cols, cols);

      cr_assert (fabs (dot (rows + i * cols, rows + j * cols, cols) - (i == j)) <= tolerance,
                 "%zu of %zu columns: rows %zu and %zu", count, cols, i, j);
      left -= part * part;
    }
    /* Nothing of a given row is left beside its parts along the basis. */
    cr_assert (fabs (left) <= tolerance * (double) cols, "%zu of %zu columns: row %zu has %g left",
               count, cols, i, left);
  }
}

Test (linalg, bases_are_orthonormal_and_of_the_same_span)
{
  check_basis (0, 5);
  check_basis (1, 1);
  check_basis (1, 128);
  check_basis (4, 128);
  check_basis (16, 128);
  check_basis (7, 7);
  check_basis (130, 150);
}

static void
check_dependent (double *rows, gsize count, gsize cols, const char *message)
{
  g_autoptr (GError) error = NULL;

  cr_assert (!assay_linalg_orthonormalize (rows, count, cols, &error), "%s", message);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC), "%s", error->message);
  cr_assert (strstr (error->message, message) != NULL, "%s", error->message);
}

Test (linalg, dependent_rows_are_an_error)
{
  g_autofree double *rows = random_doubles (3 * 20, 7);
  g_autofree double *sum = g_memdup2 (rows, 60 * sizeof (double));
  g_autofree double *zero = g_memdup2 (rows, 60 * sizeof (double));
  g_autofree double *nearly = g_memdup2 (rows, 60 * sizeof (double));
  g_autofree double *broken = g_memdup2 (rows, 60 * sizeof (double));

  for (gsize j = 0; j < 20; j++) {
    sum[40 + j] = 3 * rows[j] - 0.7 * rows[20 + j];
    zero[20 + j] = 0;
    nearly[20 + j] = rows[j] + 1e-9 * rows[20 + j];
  }
  broken[33] = NAN;
  check_dependent (sum, 3, 20, "row 2 of 3 depends linearly");
  check_dependent (zero, 3, 20, "row 1 of 3 depends linearly");
  check_dependent (broken, 3, 20, "not finite");
  cr_assert (assay_linalg_orthonormalize (nearly, 3, 20, NULL), "1e-9 is well above rounding");
}

/* Scaling the rows changes neither the basis nor the verdict. */
Test (linalg, rank_does_not_depend_on_scale)
{
  g_autofree double *rows = random_doubles (3 * 20, 8);
  g_autofree double *scaled = g_memdup2 (rows, 60 * sizeof (double));

  for (gsize j = 0; j < 20; j++) {
    scaled[j] *= 0x1p-400;
    scaled[20 + j] *= 0x1p300;
  }
  cr_assert (assay_linalg_orthonormalize (rows, 3, 20, NULL));
  cr_assert (assay_linalg_orthonormalize (scaled, 3, 20, NULL));
  for (gsize i = 0; i < 3; i++)
    cr_assert (fabs (fabs (dot (rows + i * 20, scaled + i * 20, 20)) - 1) <= 1e-13);
}

Test (linalg, blas_is_described)
{
  cr_assert (strstr (assay_linalg_describe (), "OpenBLAS") != NULL, "%s", assay_linalg_describe ());
}
