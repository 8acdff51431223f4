/* Random streams: known answers of the generator, pinned outputs, and what is drawn from them. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include <Random123/philox.h>

#include "core/base/philox.h"
#include "core/base/rng.h"
#include "core/base/vector-math.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

/* ---- The generator ---- */

/* The lines "philox4x32 10" of Random123's kat_vectors: counter, key, result. */
Test (rng, known_answers_of_philox)
{
  static const struct {
    guint32 counter[4], key[2], expected[4];
  } vectors[] = {
    { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (vectors); i++) {
    const AssayStreamKey key = { { vectors[i].key[0], vectors[i].key[1] } };
    AssayStream stream
        = assay_stream (key, vectors[i].counter[2] | (guint64) vectors[i].counter[3] << 32);

    stream.block = vectors[i].counter[0] | (guint64) vectors[i].counter[1] << 32;
    for (gsize w = 0; w < 4; w++)
      cr_assert (assay_stream_u32 (&stream) == vectors[i].expected[w], "vector %zu, word %zu", i,
                 w);
  }
}

/* The key is the head of this text's SHA-256 (checked with sha256sum), and the numbers follow. If
 * they change, every result that anyone has published changes. */
Test (rng, first_outputs_are_pinned)
{
  g_autofree char *sha256 = g_compute_checksum_for_string (
      G_CHECKSUM_SHA256, "assay-stream/1\n7\n3\ndefense\nm=4\n", -1);
  const AssayStreamKey key = assay_stream_key (7, 3, "defense", "m=4\n");
  AssayStream stream = assay_stream (key, 12), again = stream;
  g_autofree char *head = g_strdup_printf (
      "%02x%02x%02x%02x%02x%02x%02x%02x", key.word[0] & 255, key.word[0] >> 8 & 255,
      key.word[0] >> 16 & 255, key.word[0] >> 24, key.word[1] & 255, key.word[1] >> 8 & 255,
      key.word[1] >> 16 & 255, key.word[1] >> 24);
  static const guint32 expected[]
      = { 0x27a56362, 0x8f049ff5, 0xd1aee000, 0xc20af171, 0xe9f15ecf, 0x5f2be8c0 };

  cr_assert (strncmp (head, sha256, 16) == 0, "%s is not the head of %s", head, sha256);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    cr_assert (assay_stream_u32 (&stream) == expected[i], "word %zu", i);
  /* The first word is the lower half; 53 of 64 bits. */
  cr_assert (assay_stream_uniform (&again)
             == (double) (((guint64) expected[1] << 32 | expected[0]) >> 11) * 0x1p-53);
}

/* Whatever was read before, and however much is asked for. */
Test (rng, words_in_bulk_are_those_of_single_calls)
{
  const AssayStreamKey key = assay_stream_key (7, 3, "defense", "m=4\n");
  AssayStream single = assay_stream (key, 12), bulk = single;
  guint32 words[200];

  for (gsize count = 0; count <= G_N_ELEMENTS (words); count++) {
    memset (words, 0, sizeof words);
    assay_stream_fill_u32 (&bulk, count, words);
    for (gsize i = 0; i < count; i++)
      cr_assert (words[i] == assay_stream_u32 (&single), "word %zu of %zu", i, count);
    for (gsize i = count; i < G_N_ELEMENTS (words); i++)
      cr_assert (words[i] == 0, "more than %zu words", count);
    cr_assert (assay_stream_u32 (&bulk) == assay_stream_u32 (&single), "after %zu", count);
  }
}

/* Of many counters at once as Random123 has them one by one: any number of them, from counters on
 * whose lower half overflows on the way, of an item that has an upper half. */
Test (rng, philox_in_bulk_is_that_of_random123)
{
  static const guint64 items[] = { 0, 7, G_GUINT64_CONSTANT (0xFEDCBA9876543210), G_MAXUINT64 };
  static const guint64 firsts[]
      = { 0, 1, 0xFFFFFFF0, G_GUINT64_CONSTANT (0xABCDEF00FFFFFFFB), G_MAXUINT64 - 11 };
  const guint32 key[2] = { 0x243f6a88, 0xa4093822 };
  guint32 words[4 * 40 + 1];

  for (gsize t = 0; t < G_N_ELEMENTS (items) * G_N_ELEMENTS (firsts); t++)
    for (gsize count = 0; count <= 40; count++) {
      const guint64 item = items[t % G_N_ELEMENTS (items)];
      const guint64 first = firsts[t / G_N_ELEMENTS (items)];

      words[4 * count] = 42;
      assay_philox_fill (key, item, first, count, words);
      cr_assert (words[4 * count] == 42, "more than %zu counters", count);
      for (gsize i = 0; i < count; i++) {
        const guint64 block = first + i;
        const philox4x32_ctr_t counter = { { (guint32) block, (guint32) (block >> 32),
                                             (guint32) item, (guint32) (item >> 32) } };
        const philox4x32_key_t its_key = { { key[0], key[1] } };
        const philox4x32_ctr_t expected = philox4x32 (counter, its_key);

        cr_assert (memcmp (words + 4 * i, expected.v, sizeof expected.v) == 0,
                   "case %zu: counter %zu of %zu", t, i, count);
      }
    }
}

/* Whatever differs in the name of a stream, its numbers differ; no two of these share a word. */
Test (rng, streams_of_other_names_differ)
{
  const AssayStreamKey keys[] = {
    assay_stream_key (1, 1, "data", "a"),       assay_stream_key (2, 1, "data", "a"),
    assay_stream_key (1, 2, "data", "a"),       assay_stream_key (1, 1, "attack", "a"),
    assay_stream_key (1, 1, "data", "b"),       assay_stream_key (1, 1, "data", ""),
    assay_stream_key (11, 1, "data", "a"),      assay_stream_key (1, 11, "data", "a"),
    assay_stream_key (1 << 20, 1, "data", "a"), assay_stream_key (1, G_MAXUINT64, "data", "a"),
  };
  static const guint64 items[] = { 0, 1, 2, G_GUINT64_CONSTANT (1) << 32, G_MAXUINT64 };
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    for (gsize i = 0; i < G_N_ELEMENTS (items); i++) {
      AssayStream stream = assay_stream (keys[k], items[i]);

      for (gsize b = 0; b < 4; b++) {
        const guint64 low = assay_stream_u32 (&stream);
        const guint64 word = low | (guint64) assay_stream_u32 (&stream) << 32;

        cr_assert (g_hash_table_add (seen, GSIZE_TO_POINTER (word)), "key %zu, item %zu, word %zu",
                   k, i, b);
      }
    }
}

static AssayStream
stream_of (const char *test)
{
  return assay_stream (assay_stream_key (3, 0, test, ""), 0);
}

/* ---- What is drawn ---- */

#define N 200000
#define ALPHA 1e-6 /* the chance of each check below to fail on right numbers */

static double
identity (double x)
{
  return CLAMP (x, 0, 1);
}

/* Mean 1/2 and variance 1/12: 5 standard errors, sqrt (1/12 / n) and sqrt (1/180 / n). */
Test (rng, uniform)
{
  static double sample[N];
  AssayStream stream = stream_of ("uniform");
  double sum = 0, square = 0;

  for (gsize i = 0; i < N; i++) {
    sample[i] = assay_stream_uniform (&stream);
    cr_assert (sample[i] >= 0 && sample[i] < 1);
    sum += sample[i];
    square += (sample[i] - 0.5) * (sample[i] - 0.5);
  }
  cr_assert (fabs (sum / N - 0.5) < 5 * sqrt (1.0 / 12 / N), "mean %g", sum / N);
  cr_assert (fabs (square / N - 1.0 / 12) < 5 * sqrt (1.0 / 180 / N), "variance %g", square / N);
  cr_assert (sample_ks_distance (sample, N, identity) < sample_ks_bound (N, ALPHA));
  for (gsize i = 0; i < 1000; i++) {
    const double x = assay_stream_between (&stream, -3, -1);

    cr_assert (x >= -3 && x < -1);
  }
}

/* Moments 0, 1, 0, 3: 5 standard errors, with variances 1, 2, 15 and 96 of x^1 to x^4 about
 * them. */
Test (rng, normal)
{
  static double sample[N];
  AssayStream stream = stream_of ("normal");
  static const double moments[] = { 0, 1, 0, 3 }, variances[] = { 1, 2, 15, 96 };
  double sums[4] = { 0 }, neighbours = 0;

  for (gsize i = 0; i < N; i++) {
    sample[i] = assay_stream_normal (&stream);
    for (gsize m = 0; m < 4; m++)
      sums[m] += pow (sample[i], (double) (m + 1));
    neighbours += i > 0 ? sample[i] * sample[i - 1] : 0;
  }
  for (gsize m = 0; m < 4; m++)
    cr_assert (fabs (sums[m] / N - moments[m]) < 5 * sqrt (variances[m] / N), "moment %zu: %g",
               m + 1, sums[m] / N);
  cr_assert (fabs (neighbours / N) < 5 / sqrt (N), "correlation of neighbours %g", neighbours / N);
  cr_assert (sample_ks_distance (sample, N, sample_normal_cdf) < sample_ks_bound (N, ALPHA));
}

/* ---- What is drawn in bulk ---- */

#define MILLION 1000000

static double
exponential_cdf (double x)
{
  return x > 0 ? -expm1 (-x) : 0;
}

static double
laplace_cdf (double x)
{
  return x < 0 ? 0.5 * exp (x) : 1 - 0.5 * exp (-x);
}

/* Draws @count in portions of many lengths, and checks the distribution. */
static void
check_bulk (const char *name, void (*fill) (AssayStream *, gsize, double *),
            double (*single) (AssayStream *), double (*cdf) (double))
{
  static double sample[MILLION];
  AssayStream stream = stream_of (name), again = stream;

  for (gsize done = 0, portion = 0; done < MILLION; done += portion) {
    portion = MIN (portion + 1, MILLION - done);
    fill (&stream, portion, sample + done);
  }
  for (gsize i = 0; single != NULL && i < MILLION; i++)
    cr_assert (sample[i] == single (&again), "%s %zu", name, i);
  cr_assert (sample_ks_distance (sample, MILLION, cdf) < sample_ks_bound (MILLION, ALPHA), "%s",
             name);
}

static void
fill_exponentials (AssayStream *stream, gsize count, double *ret_values)
{
  for (gsize i = 0; i < count; i++)
    ret_values[i] = assay_stream_exponential (stream);
}

Test (rng, exponential)
{
  check_bulk ("exponential", fill_exponentials, NULL, exponential_cdf);
}

Test (rng, laplace_in_bulk)
{
  check_bulk ("laplace", assay_stream_fill_laplace, assay_stream_laplace, laplace_cdf);
}

/* Also moments, and products of those that share a radius, of those that share a place in their
 * pair, and of their squares (whose variances are 2): 5 standard errors. */
Test (rng, normal_in_bulk)
{
  static const double moments[] = { 0, 1, 0, 3 }, variances[] = { 1, 2, 15, 96 };
  static double sample[MILLION];
  AssayStream stream = stream_of ("normals");
  double sums[4] = { 0 }, partners = 0, others = 0, squares = 0;

  check_bulk ("portions of normals", assay_stream_fast_normals, NULL, sample_normal_cdf);
  assay_stream_fast_normals (&stream, MILLION, sample);
  for (gsize i = 0; i < MILLION; i++) {
    for (gsize m = 0; m < 4; m++)
      sums[m] += pow (sample[i], (double) (m + 1));
    if (i % 2 == 0) {
      partners += sample[i] * sample[i + 1];
      squares += (sample[i] * sample[i] - 1) * (sample[i + 1] * sample[i + 1] - 1);
      others += i > 0 ? sample[i] * sample[i - 2] : 0;
    }
  }
  for (gsize m = 0; m < 4; m++)
    cr_assert (fabs (sums[m] / MILLION - moments[m]) < 5 * sqrt (variances[m] / MILLION),
               "moment %zu: %g", m + 1, sums[m] / MILLION);
  cr_assert (fabs (partners) < 5 * sqrt (MILLION / 2), "partners %g", partners);
  cr_assert (fabs (others) < 5 * sqrt (MILLION / 2), "others %g", others);
  cr_assert (fabs (squares) < 5 * sqrt (4 * MILLION / 2), "squares %g", squares);
}

/* Box and Muller's formula on the words of the stream, by libm, to a few units in the last place;
 * an odd number of normals leaves out the last sine. */
Test (rng, normals_in_bulk_are_those_of_box_and_muller)
{
  AssayStream stream = stream_of ("box-muller"), words = stream;
  double normals[1001];

  assay_stream_fast_normals (&stream, G_N_ELEMENTS (normals), normals);
  for (gsize i = 0; i < G_N_ELEMENTS (normals); i += 2) {
    const double radius = sqrt (-2 * log1p (-assay_stream_uniform (&words)));
    const double angle = 2 * G_PI * assay_stream_uniform (&words);

    assert_near (normals[i], radius * cos (angle), 1e-14, "normal %zu", i);
    if (i + 1 < G_N_ELEMENTS (normals))
      assert_near (normals[i + 1], radius * sin (angle), 1e-14, "normal %zu", i + 1);
  }
  cr_assert (assay_stream_u32 (&stream) == assay_stream_u32 (&words), "words that were read");
}

/* The same bits whatever compiler, processor and C library: the first of each, and a hash of the
 * bits of a million (FNV-1a, whose upper bits are brought down to the lower ones each time). */
Test (rng, draws_in_bulk_are_pinned)
{
  static const struct {
    void (*fill) (AssayStream *, gsize, double *);
    double first;
    guint64 hash;
  } draws[] = {
    { fill_exponentials, 0x1.c433800d45765p-5, G_GUINT64_CONSTANT (0x16AFA2F528241F58) },
    { assay_stream_fill_laplace, 0x1.c433800d45765p-5, G_GUINT64_CONSTANT (0x2CDABBB36DD369C3) },
    { assay_stream_fast_normals, 0x1.cf6d394e526c4p-3, G_GUINT64_CONSTANT (0x2A7BC53FCF2A8683) },
  };
  static double sample[MILLION];

  for (gsize d = 0; d < G_N_ELEMENTS (draws); d++) {
    AssayStream stream = stream_of ("pinned");
    guint64 hash = G_GUINT64_CONSTANT (0xCBF29CE484222325);

    draws[d].fill (&stream, MILLION, sample);
    for (gsize i = 0; i < MILLION; i++) {
      hash = (hash ^ assay_bits_of_double (sample[i])) * G_GUINT64_CONSTANT (0x100000001B3);
      hash ^= hash >> 32;
    }
    cr_assert (sample[0] == draws[d].first && hash == draws[d].hash,
               "draw %zu: %a, %" G_GINT64_MODIFIER "X", d, sample[0], hash);
  }
}

/* ---- Whole numbers ---- */

Test (rng, below_is_unbiased)
{
  static const guint64 bounds[] = { 2, 3, 6, 7, 10, 100 };

  for (gsize b = 0; b < G_N_ELEMENTS (bounds); b++) {
    AssayStream stream = stream_of ("below");
    gsize counts[100] = { 0 };

    for (gsize i = 0; i < N; i++)
      counts[assay_stream_below (&stream, bounds[b])]++;
    cr_assert (sample_chi_square (counts, bounds[b]) < sample_chi_square_bound (bounds[b], ALPHA),
               "bound %d: %g", (int) bounds[b], sample_chi_square (counts, bounds[b]));
  }
}

/* Bounds that do not divide 2^64 by far. At 2^63 + 1 nearly half of all words is rejected, and the
 * whole range must still be reached; at 3 * 2^62 a quarter is, and without that the lowest third
 * would come twice as often as the others. Chi-square of two cells: 5 standard deviations. */
Test (rng, below_is_unbiased_for_large_bounds)
{
  const guint64 half = G_GUINT64_CONSTANT (1) << 62;
  AssayStream stream = stream_of ("large");
  gsize counts[2] = { 0 }, odd[2] = { 0 };
  guint64 largest = 0;

  for (gsize i = 0; i < N; i++) {
    const guint64 x = assay_stream_below (&stream, 2 * half + 1);

    largest = MAX (largest, x);
    counts[x >= half]++;
    odd[x & 1]++;
  }
  cr_assert (largest <= 2 * half && largest > 2 * half - half / 1000);
  cr_assert (sample_chi_square (counts, 2) < 5 * 5, "%zu and %zu", counts[0], counts[1]);
  cr_assert (sample_chi_square (odd, 2) < 5 * 5);
  counts[0] = counts[1] = 0;
  for (gsize i = 0; i < N; i++)
    counts[assay_stream_below (&stream, 3 * half) >= half + half / 2]++;
  cr_assert (sample_chi_square (counts, 2) < 5 * 5, "%zu and %zu", counts[0], counts[1]);
  for (gsize i = 0; i < 100; i++)
    cr_assert (assay_stream_below (&stream, 1) == 0);
}

Test (rng, permutations_are_uniform)
{
  AssayStream stream = stream_of ("permutation");
  gsize counts[6] = { 0 }, order[1000];
  gboolean seen[1000] = { FALSE };

  for (gsize i = 0; i < N / 10; i++) {
    assay_stream_permutation (&stream, 3, order);
    counts[order[0] * 2 + (order[1] > order[2])]++;
    cr_assert (order[0] + order[1] + order[2] == 3 && order[0] != order[1] && order[1] != order[2]);
  }
  cr_assert (sample_chi_square (counts, 6) < sample_chi_square_bound (6, ALPHA), "%g",
             sample_chi_square (counts, 6));
  assay_stream_permutation (&stream, 1000, order);
  for (gsize i = 0; i < 1000; i++)
    seen[order[i]] = TRUE;
  for (gsize i = 0; i < 1000; i++)
    cr_assert (seen[i], "%zu is missing", i);
  assay_stream_permutation (&stream, 0, order);
}

/* The 20 ordered pairs of 5, each as often; and all of all. */
Test (rng, choices_are_distinct_and_uniform)
{
  AssayStream stream = stream_of ("choose");
  gsize counts[20] = { 0 }, chosen[50];
  guint64 all = 0;

  for (gsize i = 0; i < N / 4; i++) {
    assay_stream_choose (&stream, 5, 2, chosen);
    cr_assert (chosen[0] != chosen[1] && chosen[0] < 5 && chosen[1] < 5);
    counts[chosen[0] * 4 + chosen[1] - (chosen[1] > chosen[0])]++;
  }
  cr_assert (sample_chi_square (counts, 20) < sample_chi_square_bound (20, ALPHA), "%g",
             sample_chi_square (counts, 20));
  assay_stream_choose (&stream, 50, 50, chosen);
  for (gsize i = 0; i < 50; i++)
    all |= G_GUINT64_CONSTANT (1) << chosen[i];
  cr_assert (all == (G_GUINT64_CONSTANT (1) << 50) - 1);
  assay_stream_choose (&stream, 0, 0, chosen);
}

/* The 10 pairs of 5, ascending, each as often; and all of all. */
Test (rng, samples_are_ascending_and_uniform)
{
  AssayStream stream = stream_of ("sample");
  gsize counts[10] = { 0 }, sample[50];

  for (gsize i = 0; i < N / 4; i++) {
    assay_stream_sample (&stream, 5, 2, sample);
    cr_assert (sample[0] < sample[1] && sample[1] < 5);
    counts[sample[1] * (sample[1] - 1) / 2 + sample[0]]++;
  }
  cr_assert (sample_chi_square (counts, 10) < sample_chi_square_bound (10, ALPHA), "%g",
             sample_chi_square (counts, 10));
  assay_stream_sample (&stream, 50, 50, sample);
  for (gsize i = 0; i < 50; i++)
    cr_assert (sample[i] == i);
  assay_stream_sample (&stream, 0, 0, sample);
}
