/* Known generators against the numbers that NumPy 1.24, Python 3.11 and the GNU C library print;
 * and the attack that tries their seeds, on releases whose random numbers are theirs or are not. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/generators/known-generators.h"
#include "attacks/generators/mersenne-twister.h"
#include "core/data/codes.h"
#include "core/data/kinds/codes.h"
#include "core/data/kinds/mixtures.h"
#include "core/games/control-case.h"
#include "core/plugin/registry.h"

extern const AssayAttack assay_attack_weak_seed;

/* ---- Generators ---- */

typedef struct {
  KnownGenerator generator;
  KnownDraw draw;
  double first[3]; /* after seed 12345 */
} Printed;

static const Printed printed[] = {
  { KNOWN_NUMPY_SEED,
    KNOWN_UNIFORM,
    { 0.9296160928171479, 0.3163755545817859, 0.18391881167709445 } },
  { KNOWN_NUMPY_SEED,
    KNOWN_NORMAL,
    { -0.20470765948471295, 0.47894333805754824, -0.5194387150567381 } },
  { KNOWN_NUMPY_SEED,
    KNOWN_LAPLACE,
    { 1.960643452541804, -0.45767812663300056, -1.0001136790739669 } },
  { KNOWN_NUMPY_RNG,
    KNOWN_UNIFORM,
    { 0.22733602246716966, 0.31675833970975287, 0.7973654573327341 } },
  { KNOWN_NUMPY_RNG,
    KNOWN_NORMAL,
    { -1.4238250364546312, 1.2637284581291104, -0.8706617379590857 } },
  { KNOWN_NUMPY_RNG,
    KNOWN_LAPLACE,
    { -0.7881789002823312, -0.45646895057069325, 0.9032040242636198 } },
  { KNOWN_PYTHON,
    KNOWN_UNIFORM,
    { 0.41661987254534116, 0.010169169457068361, 0.8252065092537432 } },
  { KNOWN_PYTHON, KNOWN_NORMAL, { -0.12380079558885389, 0.07152496347566478, 0.3833691943171596 } },
};

Test (weak_seed, numbers_are_those_that_programs_print)
{
  double numbers[3];

  for (gsize i = 0; i < G_N_ELEMENTS (printed); i++) {
    known_generator_fill (printed[i].generator, printed[i].draw, 12345, 3, numbers);
    for (gsize j = 0; j < 3; j++)
      cr_assert_float_eq (numbers[j], printed[i].first[j], 1e-14, "row %d, number %d: %.17g",
                          (int) i, (int) j, numbers[j]);
  }
}

/* PyTorch 1.13, whose numbers are float32: torch.rand (3), and the first of torch.randn (32). */
Test (weak_seed, numbers_of_torch)
{
  static const double uniform[] = { 0.9817181825637817, 0.8796065449714661, 0.992143452167511 };
  static const double normal[] = { -1.479807734489441, 0.48730599880218506, -3.012793779373169 };
  double numbers[2][3];

  known_generator_fill (KNOWN_TORCH, KNOWN_UNIFORM, 12345, 3, numbers[0]);
  known_generator_fill (KNOWN_TORCH, KNOWN_NORMAL, 12345, 3, numbers[1]);
  for (gsize j = 0; j < 3; j++) {
    cr_assert_float_eq (numbers[0][j], uniform[j], 1e-7, "uniform number %d", (int) j);
    cr_assert_float_eq (numbers[1][j], normal[j], 1e-6, "normal number %d", (int) j);
  }
}

/* Every layer of the ziggurat and its tail: the sum of magnitudes of 100,000 normals, by NumPy. */
Test (weak_seed, all_layers_of_the_ziggurat)
{
  g_autofree double *numbers = g_new (double, 100000);
  double sum = 0;

  known_generator_fill (KNOWN_NUMPY_RNG, KNOWN_NORMAL, 12345, 100000, numbers);
  for (gsize i = 0; i < 100000; i++)
    sum += fabs (numbers[i]);
  cr_assert_float_eq (sum, 79657.09432281971, 1e-7, "%.12f", sum);
}

Test (weak_seed, bits_are_those_that_programs_print)
{
  static const char *const expected[] = {
    [KNOWN_NUMPY_SEED] = "011101001011011011100011",
    [KNOWN_NUMPY_RNG] = "101001111010110001111011",
    [KNOWN_PYTHON] = "101101101011001010000011",
    [KNOWN_TORCH] = "011101001011011011100011",
  };
  double bits[24];

  for (guint g = KNOWN_NUMPY_SEED; g <= KNOWN_TORCH; g++) {
    known_generator_fill (g, KNOWN_BIT, 12345, 24, bits);
    for (gsize i = 0; i < 24; i++)
      cr_assert_eq (bits[i], expected[g][i] - '0', "generator %u, bit %d", g, (int) i);
  }
}

/* The tenth thousandth output of the C++ standard's mt19937, and rand () of this machine. */
Test (weak_seed, others)
{
  MersenneTwister twister;
  guint32 word = 0;
  double number;

  mersenne_seed (&twister, 5489);
  for (guint i = 0; i < 10000; i++)
    word = mersenne_next (&twister);
  cr_assert_eq (word, 4123659995u);
  srand (12345);
  known_generator_fill (KNOWN_C_RAND, KNOWN_UNIFORM, 12345, 1, &number);
  cr_assert_float_eq (number, rand () / (RAND_MAX + 1.0), 1e-15);
}

/* ---- The attack ---- */

typedef struct {
  const char *setting, *value;
} Setting;

static AssayGuess *
play (const AssayRelease *release, const Setting *changes)
{
  g_autoptr (AssaySettings) settings = assay_settings_new (assay_attack_weak_seed.parameters,
                                                           assay_attack_weak_seed.settings_size);
  AssayObservation seen = { .release = release };
  AssayGuess *guess = assay_guess_new ();
  g_autoptr (GError) error = NULL;

  for (; changes != NULL && changes->setting != NULL; changes++)
    cr_assert (assay_settings_set (settings, changes->setting, changes->value, NULL));
  const AssayAttackContext context = { .settings = settings->values };
  cr_assert (assay_attack_weak_seed.attack (&context, &seen, guess, &error), "%s",
             error != NULL ? error->message : "");
  return guess;
}

/* Rows of rank @rank, 200 x 24. */
static AssayMatrix *
low_rank_rows (gsize rank, AssayStream *stream)
{
  g_autoptr (AssayMatrix) factors = assay_control_normals (200, rank, stream, NULL);
  g_autoptr (AssayMatrix) loadings = assay_control_normals (rank, 24, stream, NULL);
  AssayMatrix *rows = assay_matrix_new (200, 24, NULL);

  for (gsize i = 0; i < 200; i++)
    for (gsize j = 0; j < 24; j++)
      for (gsize r = 0; r < rank; r++)
        assay_matrix_row (rows, i)[j]
            += assay_matrix_row (factors, i)[r] * assay_matrix_row (loadings, r)[j];
  return rows;
}

static void
assert_seed (const AssayGuess *guess, gint64 generator, gint64 seed, gint64 offset)
{
  const gint64 *found = assay_array_int64 (assay_arrays_get (&guess->arrays, "seed"));

  cr_assert_eq (found[0], generator, "generator %d", (int) found[0]);
  cr_assert_eq (found[2], seed, "seed %d", (int) found[2]);
  cr_assert_eq (found[3], offset);
}

static double
worst_error (const AssayGuess *guess, const AssayMatrix *rows)
{
  const float *estimates = (const float *) assay_arrays_get (&guess->arrays, "estimates")->data;
  double worst = 0;

  for (gsize i = 0; i < rows->rows * rows->cols; i++)
    worst = MAX (worst, fabs ((double) estimates[i] - (double) rows->data[i]));
  return worst;
}

/* Noise of every generator and distribution, five numbers into the sequence, comes off. */
Test (weak_seed, noise_comes_off)
{
  const Setting changes[]
      = { { "first_seed", "4000" }, { "seeds", "300" }, { "offsets", "8" }, { NULL, NULL } };
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "rows", ""), 0);
  g_autoptr (AssayMatrix) rows = low_rank_rows (5, &stream);
  const gsize count = rows->rows * rows->cols;
  g_autofree double *noise = g_new (double, count + 5);

  for (guint g = 0; g < N_KNOWN_GENERATORS; g++)
    for (guint draw = KNOWN_UNIFORM; draw <= KNOWN_LAPLACE; draw++) {
      g_autoptr (AssayMatrix) noisy = assay_matrix_copy (assay_matrix_view (rows), NULL);
      g_autoptr (AssayRelease) release = NULL;
      g_autoptr (AssayGuess) guess = NULL;

      if (!known_generator_has (g, draw))
        continue;
      known_generator_fill (g, draw, 4199, count + 5, noise);
      for (gsize i = 0; i < count; i++)
        noisy->data[i] += 0.5f * (float) (noise[i + 5] - (draw == KNOWN_UNIFORM ? 0.5 : 0));
      release = assay_control_vectors (assay_matrix_view (noisy), NULL);
      guess = play (release, changes);
      assert_seed (guess, g, 4199, 5);
      cr_assert_lt (worst_error (guess, rows), 1e-3, "generator %u, draw %u: %g", g, draw,
                    worst_error (guess, rows));
    }
}

/* Noise of our own streams, and rows without any, are left as they are: 20 releases. */
Test (weak_seed, nothing_is_found_where_there_is_nothing)
{
  const Setting changes[] = { { "seeds", "500" }, { NULL, NULL } };

  for (guint64 s = 0; s < 20; s++) {
    AssayStream stream = assay_stream (assay_stream_key (s, 0, "rows", ""), 0);
    g_autoptr (AssayMatrix) rows = low_rank_rows (5, &stream);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (AssayGuess) guess = NULL;

    for (gsize i = 0; s % 2 == 0 && i < rows->rows * rows->cols; i++)
      rows->data[i] += (float) assay_stream_uniform (&stream);
    release = assay_control_vectors (assay_matrix_view (rows), NULL);
    guess = play (release, changes);
    assert_seed (guess, -1, -1, -1);
    cr_assert_eq (worst_error (guess, rows), 0);
  }
}

#define CODES 600
#define BITS 32
#define CODE_BYTES (gsize) (CODES * BITS / 8)

/* Codes of correlated bits. */
static guint8 *
correlated_codes (AssayStream *stream)
{
  guint8 *codes = g_malloc0 (CODE_BYTES);

  for (gsize i = 0; i < CODES; i++) {
    const double lean = assay_stream_uniform (stream);

    for (gsize j = 0; j < BITS; j++)
      if (assay_stream_uniform (stream) < (j % 2 == 0 ? lean : 1 - lean))
        codes[i * BITS / 8 + j / 8] |= (guint8) (1 << (j % 8));
  }
  return codes;
}

/* Takes over @codes. @p: what it says of flips; 0: nothing. */
static AssayRelease *
release_of_codes (guint8 *codes, double p)
{
  const gsize shape[] = { CODES, BITS / 8 };
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_CODES, "numpy");

  release->bits = BITS;
  assay_arrays_take (&release->arrays, "codes", assay_array_take (ASSAY_UINT8, 2, shape, codes));
  if (p > 0)
    ASSAY_SET_PARAMETER (release, AssayCodesParameters, flip_probability, p);
  return release;
}

static guint
different_bits (const AssayGuess *guess, const guint8 *codes)
{
  const guint8 *guessed = assay_arrays_get (&guess->arrays, "codes")->data;
  guint different = 0;

  for (gsize i = 0; i < CODE_BYTES; i++)
    different += (guint) __builtin_popcount (guessed[i] ^ codes[i]);
  return different;
}

/* Flips of numpy.random.seed (77), below p or above 1 - p; where nobody says p it is estimated, and
 * of the bits all but one in a hundred come back. */
Test (weak_seed, flips_come_off)
{
  static const double probabilities[] = { 0.3, 0.06, 0.15 };
  const Setting changes[] = { { "seeds", "200" }, { NULL, NULL } };
  AssayStream stream = assay_stream (assay_stream_key (2, 0, "codes", ""), 0);
  g_autofree guint8 *codes = correlated_codes (&stream);
  g_autofree double *drawn = g_new (double, CODES *BITS);

  known_generator_fill (KNOWN_NUMPY_SEED, KNOWN_UNIFORM, 77, CODES * BITS, drawn);
  for (guint c = 0; c < 4 * G_N_ELEMENTS (probabilities); c++) {
    const double p = probabilities[c / 4];
    const gboolean is_above = c % 2 == 1, is_said = c / 2 % 2 == 1;
    guint8 *flipped = g_memdup2 (codes, CODE_BYTES);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (AssayGuess) guess = NULL;

    for (gsize i = 0; i < CODES * BITS; i++)
      if (is_above ? drawn[i] >= 1 - p : drawn[i] < p)
        flipped[i / 8] ^= (guint8) (1 << (i % 8));
    release = release_of_codes (flipped, is_said ? p : 0);
    guess = play (release, changes);
    assert_seed (guess, KNOWN_NUMPY_SEED, 77, 0);
    cr_assert_leq (different_bits (guess, codes), is_said ? 0 : CODES * BITS / 100,
                   "p %g, case %u: %u bits of %s", p, c, different_bits (guess, codes),
                   guess->says);
  }
}

/* Nobody flipped a bit: nothing is tried, and the attack says so. */
Test (weak_seed, codes_without_flips)
{
  AssayStream stream = assay_stream (assay_stream_key (3, 0, "codes", ""), 0);
  g_autoptr (AssayRelease) release = release_of_codes (correlated_codes (&stream), 0);
  g_autoptr (AssayGuess) guess = NULL;

  ASSAY_SET_PARAMETER (release, AssayCodesParameters, flip_probability, 0);
  guess = play (release, NULL);
  assert_seed (guess, -1, -1, -1);
  cr_assert_str_eq (guess->says, "no seed was tried: bits are flipped with probability 0 or 1");
}

/* What is found is named, and where nothing is, what was tried. */
Test (weak_seed, what_was_found_is_said)
{
  const Setting changes[] = { { "seeds", "300" }, { "first_seed", "1000" }, { NULL, NULL } };
  const Setting late[] = { { "first_seed", "1235" }, { NULL, NULL } };
  const Setting one[] = { { "seeds", "100" }, { "generator", "torch" }, { NULL, NULL } };
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "rows", ""), 0);
  g_autoptr (AssayMatrix) rows = low_rank_rows (5, &stream);
  const gsize count = rows->rows * rows->cols;
  g_autofree double *noise = g_new (double, count);
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayGuess) found = NULL, none = NULL, alone = NULL;

  known_generator_fill (KNOWN_PYTHON, KNOWN_NORMAL, 1234, count, noise);
  for (gsize i = 0; i < count; i++)
    rows->data[i] += (float) noise[i];
  release = assay_control_vectors (assay_matrix_view (rows), NULL);
  found = play (release, changes);
  cr_assert (g_str_has_prefix (found->says, "seed 1234 of random.seed (Python), normal noise, from "
                                            "number 0; "),
             "%s", found->says);
  none = play (release, late);
  cr_assert_str_eq (none->says, "none of 4096 seeds of 5 generators");
  alone = play (release, one);
  cr_assert_str_eq (alone->says, "none of 100 seeds of 1 generator");
}

#define SIDE 16
#define IMAGES 40

/* Smooth, and never negative. */
static AssayMatrix *
smooth_images (void)
{
  AssayMatrix *images = assay_matrix_new (IMAGES, SIDE * SIDE, NULL);

  for (gsize i = 0; i < IMAGES * SIDE * SIDE; i++)
    images->data[i] = (float) (1 + sin (0.3 * (double) (i % SIDE) + (double) (i / 256))
                               + 0.01 * (double) (i / SIDE % SIDE));
  return images;
}

/* Takes @masked. */
static AssayRelease *
release_of_images (AssayMatrix **masked)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, "torch");

  assay_arrays_take_matrix (&release->arrays, "images", masked);
  release->geometry = (AssayGeometry){ .height = SIDE, .width = SIDE, .channels = 1, .white = 3 };
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k, 1);
  return release;
}

/* Signs of each kind come off whole. */
Test (weak_seed, masks_come_off)
{
  const Setting changes[] = { { "seeds", "100" }, { NULL, NULL } };
  g_autoptr (AssayMatrix) images = smooth_images ();
  const gsize count = IMAGES * SIDE * SIDE;
  g_autofree double *drawn = g_new (double, count);

  for (guint draw = KNOWN_UNIFORM; draw <= KNOWN_BIT; draw++) {
    g_autoptr (AssayMatrix) masked = assay_matrix_copy (assay_matrix_view (images), NULL);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (AssayGuess) guess = NULL;

    if (draw == KNOWN_LAPLACE)
      continue;
    known_generator_fill (KNOWN_TORCH, draw, 42, count, drawn);
    for (gsize i = 0; i < count; i++)
      if (draw == KNOWN_NORMAL ? drawn[i] < 0 : drawn[i] < 0.5)
        masked->data[i] = -masked->data[i];
    release = release_of_images (&masked);
    guess = play (release, changes);
    /* Random bits of torch are those of numpy.random.seed. */
    assert_seed (guess, draw == KNOWN_BIT ? KNOWN_NUMPY_SEED : KNOWN_TORCH, 42, 0);
    cr_assert_lt (worst_error (guess, images), 1e-5, "draw %u", draw);
  }
}

/* Flips and masks of our own streams, with a p that is said and one that is not: 20 of each. */
Test (weak_seed, our_own_flips_and_masks_are_not_found)
{
  const Setting changes[] = { { "seeds", "500" }, { NULL, NULL } };

  for (guint64 s = 0; s < 8; s++) {
    AssayStream stream = assay_stream (assay_stream_key (s, 0, "flips", ""), 0);
    const double p = 0.05 + 0.4 * assay_stream_uniform (&stream);
    g_autofree guint8 *codes = correlated_codes (&stream);
    guint8 *flipped = g_memdup2 (codes, CODE_BYTES);
    g_autoptr (AssayMatrix) images = smooth_images ();
    g_autoptr (AssayRelease) coded = NULL, masked = NULL;
    g_autoptr (AssayGuess) guess = NULL, unmasked = NULL;

    for (gsize i = 0; i < CODES * BITS; i++)
      if (assay_stream_uniform (&stream) < p)
        flipped[i / 8] ^= (guint8) (1 << (i % 8));
    coded = release_of_codes (flipped, s % 2 == 0 ? p : 0);
    guess = play (coded, changes);
    assert_seed (guess, -1, -1, -1);
    cr_assert_eq (different_bits (guess, flipped), 0, "codes are left as they are");
    for (gsize i = 0; i < IMAGES * SIDE * SIDE; i++)
      if (assay_stream_uniform (&stream) < 0.5)
        images->data[i] = -images->data[i];
    masked = release_of_images (&images);
    unmasked = play (masked, changes);
    assert_seed (unmasked, -1, -1, -1);
  }
}
