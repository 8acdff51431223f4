/* Does what the lattice attack uses hold of integers behind other secret maps?
 *
 *   bench-lattice-maps [--quick] [--json]
 *
 * mixtures: n images of 256 bytes are mixed n times, each time four of them with random weights
 * that add up to 1 (Mixup without signs), in float32. All mixtures lie in the affine hull of the
 * images, which is a subspace of dimension n - 1 through all of them: the attack `lattice` is given
 * that subspace (unit = 1), and how many of the images are among its candidates is counted.
 *
 * linear map: 200 records of d bytes each are multiplied by one secret normal matrix (d x k), in
 * float32. Where k = d, the k released columns span the d hidden ones, which are integer vectors of
 * 200 numbers: counted is how many of them are, up to the sign, rows of a reduced basis of the
 * integer vectors of that span, and how many of these rows are short. Where k < d, a map of low
 * rank, the released columns span less than the hidden ones.
 *
 * Five draws of each, two with --quick. Values are random bytes: nothing is correlated. */
#include <math.h>
#include <string.h>

#include "attacks/lifting/integer-lattice.h"
#include "bench/measure.h"
#include "core/games/control.h"
#include "core/math/linalg.h"

#define SEED 1
#define DRAWS 5
#define QUICK_DRAWS 2
#define PIXELS 256
#define MIXED 4
#define RECORDS 200

static double
draw_byte (AssayStream *stream)
{
  return floor (256 * assay_stream_uniform (stream));
}

/* A subspace with the orthonormal rows of @directions (m x d; replaced by them) through @point
 * (NULL: the origin), as it would be released. */
static AssayRelease *
make_subspace (double *directions, gsize m, gsize d, const float *point)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_SUBSPACES, "bench");
  float *basis = g_new (float, m *d), *translation = g_new0 (float, d);
  g_autoptr (GError) error = NULL;

  if (!assay_linalg_orthonormalize (directions, m, d, &error))
    measure_stop ("directions", error);
  for (gsize i = 0; i < m * d; i++)
    basis[i] = (float) directions[i];
  if (point != NULL)
    memcpy (translation, point, d * sizeof (float));
  assay_arrays_take (&release->arrays, "basis",
                     assay_array_take (ASSAY_FLOAT32, 3, (const gsize[]){ 1, m, d }, basis));
  assay_arrays_take (&release->arrays, "translation",
                     assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ 1, d }, translation));
  return release;
}

/* ---- Mixtures ---- */

/* Each mixture is of image i and three others, so that the n of them are independent. */
static void
mix (const double *images, gsize n, AssayStream *stream, float *ret_mixtures)
{
  for (gsize i = 0; i < n; i++) {
    double weights[MIXED], total = 0, sum[PIXELS] = { 0 };

    for (gsize k = 0; k < MIXED; k++)
      total += weights[k] = -log (1 - assay_stream_uniform (stream));
    for (gsize k = 0; k < MIXED; k++) {
      const gsize image = k == 0 ? i : (gsize) assay_stream_below (stream, n);

      for (gsize j = 0; j < PIXELS; j++)
        sum[j] += weights[k] / total * images[image * PIXELS + j];
    }
    for (gsize j = 0; j < PIXELS; j++)
      ret_mixtures[i * PIXELS + j] = (float) sum[j];
  }
}

/* How many of the images are among the candidates. */
static gsize
count_images (const AssayGuess *guess, const double *images, gsize n)
{
  const AssayArray *considered = assay_arrays_get (&guess->arrays, "considered");
  const gint64 possible = assay_array_int64 (assay_arrays_get (&guess->arrays, "possible"))[0];
  gsize found = 0;

  for (gsize i = 0; i < n; i++) {
    gboolean is_there = FALSE;

    for (gsize c = 0; possible > 0 && c < considered->shape[1] && !is_there; c++) {
      const float *point = (const float *) considered->data + c * PIXELS;

      is_there = TRUE;
      for (gsize j = 0; j < PIXELS && is_there; j++)
        is_there = fabs (point[j] - images[i * PIXELS + j]) < 0.5;
    }
    found += is_there;
  }
  return found;
}

static void
run_mixtures (Report *report, gsize n, gsize draws)
{
  const AssayAttack *attack = assay_attack_of (measure_plugin (ASSAY_PLUGIN_ATTACK, "lattice"));
  g_autoptr (AssaySettings) settings = measure_settings (&attack->plugin, "candidates=4096");
  const AssayAttackContext context = { .settings = settings->values };
  gsize found = 0, possible = 0;

  for (gsize draw = 0; draw < draws; draw++) {
    AssayStream stream = assay_stream (assay_stream_key (SEED, n, "mixtures", "bench"), draw);
    g_autofree double *images = g_new (double, n *PIXELS);
    g_autofree double *directions = g_new (double, n *PIXELS);
    g_autofree float *mixtures = g_new (float, n *PIXELS);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (AssayGuess) guess = assay_guess_new ();
    g_autoptr (GError) error = NULL;

    for (gsize i = 0; i < n * PIXELS; i++)
      images[i] = draw_byte (&stream);
    mix (images, n, &stream, mixtures);
    for (gsize i = 0; i + 1 < n; i++)
      for (gsize j = 0; j < PIXELS; j++)
        directions[i * PIXELS + j] = (double) mixtures[(i + 1) * PIXELS + j] - mixtures[j];
    release = make_subspace (directions, n - 1, PIXELS, mixtures);
    if (!assay_attack_run (attack, &context, &(AssayObservation){ .release = release }, guess,
                           &error))
      measure_stop ("attack", error);
    found += count_images (guess, images, n);
    possible += (gsize) assay_array_int64 (assay_arrays_get (&guess->arrays, "possible"))[0];
  }
  report_case (report, "mixtures of %zu images", n);
  report_number (report, "found %", 100 * (double) found / (double) (n * draws), 1);
  report_number (report, "candidates", (double) possible / (double) draws, 1);
}

/* ---- A linear map ---- */

/* How many of the d hidden columns (d x RECORDS) are rows of the lattice up to the sign. */
static gsize
count_columns (const IntegerLattice *lattice, const double *hidden, gsize d)
{
  gsize found = 0;

  for (gsize c = 0; c < d; c++) {
    gboolean is_there = FALSE;

    for (gsize r = 0; r < lattice->rank && !is_there; r++)
      for (double sign = -1; sign <= 1 && !is_there; sign += 2) {
        is_there = TRUE;
        for (gsize i = 0; i < RECORDS && is_there; i++)
          is_there = sign * (double) lattice->rows[r * RECORDS + i] == hidden[c * RECORDS + i];
      }
    found += is_there;
  }
  return found;
}

/* Rows of numbers that could be of bytes; numbers of float32 are integers once they are multiplied
 * by a large power of 2. */
static gsize
count_short (const IntegerLattice *lattice)
{
  gsize count = 0;

  for (gsize r = 0; r < lattice->rank; r++) {
    gint64 most = 0;

    for (gsize i = 0; i < RECORDS; i++)
      most = MAX (most, ABS (lattice->rows[r * RECORDS + i]));
    count += most <= 1000;
  }
  return count;
}

static void
run_map (Report *report, gsize d, gsize k, gsize draws)
{
  gsize found = 0, rank = 0;

  for (gsize draw = 0; draw < draws; draw++) {
    AssayStream stream = assay_stream (assay_stream_key (SEED, d, "map", "bench"), draw);
    g_autofree double *hidden = g_new (double, d *RECORDS);
    g_autofree double *released = g_new0 (double, k *RECORDS);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (GError) error = NULL;
    AssaySubspaces subspaces;
    Span span = { 0 };
    LatticeView view = { .precision = LATTICE_FLOAT_PRECISION };
    IntegerLattice lattice = { 0 };

    for (gsize i = 0; i < d * RECORDS; i++)
      hidden[i] = draw_byte (&stream);
    for (gsize j = 0; j < k; j++)
      for (gsize c = 0; c < d; c++) {
        const double weight = assay_stream_normal (&stream);

        for (gsize i = 0; i < RECORDS; i++)
          released[j * RECORDS + i] += weight * hidden[c * RECORDS + i];
      }
    for (gsize i = 0; i < k * RECORDS; i++)
      released[i] = (float) released[i];
    release = make_subspace (released, k, RECORDS, NULL);
    subspaces = assay_release_subspaces (release);
    if (!span_fill (&subspaces, 0, &span, &error))
      measure_stop ("span", error);
    view.columns = lattice_view_columns (view.precision, k, RECORDS, 148 * sqrt (RECORDS));
    if (!integer_lattice_find (&span, &view, &stream, &lattice, &error))
      measure_stop ("lattice", error);
    found += count_columns (&lattice, hidden, d);
    rank += count_short (&lattice);
    integer_lattice_clear (&lattice);
    span_clear (&span);
  }
  report_case (report, "linear map, %zu columns to %zu", d, k);
  report_number (report, "found %", 100 * (double) found / (double) (d * draws), 1);
  report_number (report, "integer dimensions", (double) rank / (double) draws, 1);
}

int
main (int argc, char **argv)
{
  static const gsize images[] = { 4, 8, 12, 16 };
  static const gsize maps[][2] = { { 4, 4 }, { 8, 8 }, { 4, 3 }, { 8, 6 } };
  g_auto (MeasureOptions) options = measure_options ("lattice-maps", 1, NULL, argc, argv);
  const gsize draws = options.is_quick ? QUICK_DRAWS : DRAWS;
  g_autoptr (Report) report
      = report_new (&options, SEED, "integers behind secret maps, in float32");

  for (gsize i = 0; i < G_N_ELEMENTS (images); i++)
    run_mixtures (report, images[i], draws);
  for (gsize i = 0; i < G_N_ELEMENTS (maps); i++)
    run_map (report, maps[i][0], maps[i][1], draws);
  return 0;
}
