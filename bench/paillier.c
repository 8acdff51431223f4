/* What a weight costs under Paillier's cryptosystem on one core: encoded and encrypted, added, and
 * decrypted; by what the processor has, by our code on GMP alone, by a plain loop over GMP's
 * mpz_powm, and by gmpy2 in Python (bench/paillier.py), all in the same run.
 *
 *   bench-paillier [--runs N] [--numpy PYTHON --script FILE] [--quick] [--json]
 *
 * The loops are what one writes who knows the formulas: r^n or h_s^a by mpz_powm and a product with
 * 1 + m n; decryption modulo p^2 and q^2; numbers stay numbers, where ours are bytes and are
 * checked. Tables of short exponents are made before, once a key. One thread, whatever --threads
 * says. */
#include <math.h>
#include <string.h>

#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/crypto/encoding.h"
#include "core/crypto/packing.h"
#include "core/crypto/paillier.h"

#define SEED 1
#define USERS 5

typedef enum { TEXTBOOK, SHORT, PACKED, ADD, DECRYPT, N_JOBS } Job;

static const char *const job_names[] = { "textbook", "short", "packed textbook", "add", "decrypt" };

/* Milliseconds a weight that are wanted at 1024 and 2048 bits; 0: none. */
static const double wanted[N_JOBS][2]
    = { { 0.3, 1.5 }, { 0.01, 0.08 }, { 0, 0 }, { 0, 0 }, { 0.27, 2.1 } };

typedef struct {
  guint bits;
  gsize count;  /* weights */
  gsize packed; /* and of those that are packed, so that all slots and lanes are full */
  AssayPaillierKey *key;
  AssayStreamKey stream;
  double *weights;
  guint8 *plaintexts, *ciphertexts, *sums;
  mpz_t *numbers; /* what the plain loops work on */
  mpz_t p2, q2, p1, q1, base, power, other, inverse;
} Case;

static void
init_case (Case *c, guint bits, gsize count)
{
  AssayStream weights;
  g_autoptr (GError) error = NULL;

  *c = (Case){ .bits = bits, .count = count };
  c->stream = assay_stream_key (SEED, bits, "bench", "paillier");
  c->key = assay_paillier_key_new (bits, &c->stream, &error);
  if (c->key == NULL)
    measure_stop ("key", error);
  c->packed = 2 * ASSAY_POWER_GROUP * assay_packing_slots (&c->key->public_key);
  c->weights = g_new (double, MAX (count, c->packed));
  weights = assay_stream (c->stream, 1);
  for (gsize i = 0; i < MAX (count, c->packed); i++)
    c->weights[i] = assay_stream_normal (&weights);
  c->plaintexts = g_malloc0 (count * bits / 8);
  c->ciphertexts = g_malloc0 (count * bits / 4);
  c->sums = g_malloc0 (count * bits / 4);
  c->numbers = assay_numbers_new (count, 4 * bits);
  mpz_inits (c->p2, c->q2, c->p1, c->q1, c->base, c->power, c->other, c->inverse, NULL);
  mpz_mul (c->p2, c->key->p, c->key->p);
  mpz_mul (c->q2, c->key->q, c->key->q);
  mpz_sub_ui (c->p1, c->key->p, 1);
  mpz_sub_ui (c->q1, c->key->q, 1);
  mpz_invert (c->inverse, c->key->q, c->key->p);
}

static void
clear_case (Case *c)
{
  assay_numbers_free (c->numbers, c->count);
  mpz_clears (c->p2, c->q2, c->p1, c->q1, c->base, c->power, c->other, c->inverse, NULL);
  assay_paillier_key_free (c->key);
  g_free (c->weights);
  g_free (c->plaintexts);
  g_free (c->ciphertexts);
  g_free (c->sums);
}

/* ---- Ours ---- */

static void
must (gboolean is_done, GError **error)
{
  if (!is_done)
    measure_stop ("paillier", *error);
}

static void
do_ours (Case *c, Job job, const AssayPaillierEncryptor *encryptor,
         const AssayPaillierDecryptor *decryptor)
{
  const AssayPaillierPublic *public_key = &c->key->public_key;
  g_autoptr (GError) error = NULL;

  switch (job) {
  case TEXTBOOK:
  case SHORT:
    must (assay_encode_fixed (public_key, c->weights, c->count, USERS, c->plaintexts, &error)
              && assay_paillier_encrypt (encryptor, c->plaintexts, c->count, 2, c->ciphertexts,
                                         &error),
          &error);
    break;
  case PACKED:
    must (assay_packing_pack (public_key, c->weights, c->packed, 26, c->plaintexts, &error)
              && assay_paillier_encrypt (encryptor, c->plaintexts,
                                         assay_packing_plaintexts (public_key, c->packed), 2,
                                         c->ciphertexts, &error),
          &error);
    break;
  case ADD:
    must (assay_paillier_add (public_key, c->ciphertexts, c->count, c->sums, &error), &error);
    break;
  default:
    must (assay_paillier_decrypt (decryptor, c->ciphertexts, c->count, c->plaintexts, &error),
          &error);
    assay_decode_fixed (public_key, c->plaintexts, c->count, c->weights);
  }
}

/* Both ways of a job take turns. What was encrypted before is what is added and decrypted. */
static void
measure_ours (Case *c, Job job, int runs, Times ret_times[2])
{
  const AssayPowerPath paths[] = { ASSAY_POWER_FASTEST, ASSAY_POWER_GMP };
  const AssayPaillierRandomness randomness
      = job == SHORT ? ASSAY_PAILLIER_SHORT : ASSAY_PAILLIER_TEXTBOOK;
  AssayPaillierEncryptor *encryptors[2];
  AssayPaillierDecryptor *decryptors[2];
  Samples samples[2] = { 0 };

  for (guint way = 0; way < 2; way++) {
    encryptors[way]
        = assay_paillier_encryptor_new (&c->key->public_key, randomness, paths[way], &c->stream);
    decryptors[way] = assay_paillier_decryptor_new (c->key, paths[way]);
  }
  if (job == ADD || job == DECRYPT) {
    do_ours (c, TEXTBOOK, encryptors[0], NULL);
    memcpy (c->sums, c->ciphertexts, c->count * c->bits / 4);
  }
  for (int run = 0; run < runs; run++)
    for (guint way = 0; way < 2; way++) {
      const Moment start = measure_moment ();

      do_ours (c, job, encryptors[way], decryptors[way]);
      measure_add (&samples[way], start);
    }
  for (guint way = 0; way < 2; way++) {
    ret_times[way] = measure_times (&samples[way]);
    assay_paillier_encryptor_free (encryptors[way]);
    assay_paillier_decryptor_free (decryptors[way]);
  }
}

/* ---- The plain loops ---- */

/* Draws what a loop works on: r, an exponent, or a ciphertext. */
static void
draw_numbers (Case *c, Job job)
{
  const AssayPaillierPublic *public_key = &c->key->public_key;
  AssayEntropy entropy = assay_entropy (&c->stream, 3);

  assay_number_draw (&entropy, public_key->n2, c->base);
  mpz_set_ui (c->power, 0);
  mpz_setbit (c->power, c->bits / 2);
  for (gsize i = 0; i < c->count; i++)
    assay_number_draw (&entropy,
                       job == SHORT                   ? c->power
                       : job == ADD || job == DECRYPT ? public_key->n2
                                                      : public_key->n,
                       c->numbers[i]);
}

static void
decrypt_plainly (Case *c, mpz_t number)
{
  mpz_powm (c->power, number, c->p1, c->p2);
  mpz_powm (c->other, number, c->q1, c->q2);
  mpz_fdiv_q (c->power, c->power, c->key->p);
  mpz_fdiv_q (c->other, c->other, c->key->q);
  mpz_sub (c->power, c->power, c->other);
  mpz_mul (c->power, c->power, c->inverse);
  mpz_mod (c->power, c->power, c->key->p);
  mpz_mul (c->power, c->power, c->key->q);
  mpz_add (number, c->power, c->other);
}

static void
do_plainly (Case *c, Job job, gsize i)
{
  const AssayPaillierPublic *public_key = &c->key->public_key;
  mpz_ptr number = c->numbers[i];

  switch (job) {
  case TEXTBOOK:
    mpz_powm (number, number, public_key->n, public_key->n2);
    break;
  case SHORT:
    mpz_powm (number, c->base, number, public_key->n2);
    break;
  case ADD:
    mpz_mul (number, number, c->base);
    mpz_mod (number, number, public_key->n2);
    return;
  default:
    decrypt_plainly (c, number);
    return;
  }
  mpz_set_d (c->power, fabs (c->weights[i]) * 0x1p40);
  mpz_mul (c->power, c->power, public_key->n);
  mpz_add_ui (c->power, c->power, 1);
  mpz_mul (number, number, c->power);
  mpz_mod (number, number, public_key->n2);
}

static double
measure_plainly (Case *c, Job job, int runs)
{
  Samples samples = { 0 };

  for (int run = 0; run < runs; run++) {
    Moment start;

    draw_numbers (c, job);
    start = measure_moment ();
    for (gsize i = 0; i < c->count; i++)
      do_plainly (c, job, i);
    measure_add (&samples, start);
  }
  return measure_times (&samples).minimum;
}

/* ---- Reports ---- */

/* Milliseconds of textbook, short, add and decrypt by gmpy2, or NAN without it. */
static void
ask_gmpy2 (const MeasureOptions *options, guint bits, double ret_times[N_JOBS])
{
  g_autofree char *length = g_strdup_printf ("%u", bits);
  g_autofree char *out = measure_ask_python (options, (const char *[]){ length, NULL });
  g_auto (GStrv) words = g_strsplit (out == NULL ? "" : g_strstrip (out), " ", -1);
  const Job order[] = { TEXTBOOK, SHORT, ADD, DECRYPT };

  for (guint job = 0; job < N_JOBS; job++)
    ret_times[job] = NAN;
  for (guint i = 0; i < G_N_ELEMENTS (order) && g_strv_length (words) == 4; i++)
    ret_times[order[i]] = g_ascii_strtod (words[i], NULL);
}

static void
report_job (Report *report, Case *c, Job job, double gmpy2)
{
  const double each = 1e3 / (double) (job == PACKED ? c->packed : c->count);
  const double goal = c->bits > 2048 ? 0 : wanted[job][c->bits == 2048];
  const int runs = report->options->runs;
  double plain = NAN, fastest;
  Times times[2];

  measure_ours (c, job, runs, times);
  if (job != PACKED)
    plain = measure_plainly (c, job, runs) * each;
  fastest = times[0].minimum * each;
  report_case (report, "%u bits, %s", c->bits, job_names[job]);
  report_times (report, "s", times[0]);
  report_number (report, "ms a weight", fastest, 4);
  report_number (report, "wanted ms", goal > 0 ? goal : NAN, 2);
  report_number (report, "on GMP ms", times[1].minimum * each, 4);
  report_number (report, "mpz_powm loop ms", plain, 4);
  report_number (report, "gmpy2 ms", gmpy2, 4);
  report_number (report, "times the loop", plain / fastest, 1);
  report_number (report, "times gmpy2", gmpy2 / fastest, 1);
}

int
main (int argc, char **argv)
{
  const guint lengths[] = { 1024, 2048, 3072 };
  const gsize counts[] = { 384, 128, 64 };
  g_auto (MeasureOptions) options = measure_options ("paillier", 5, NULL, argc, argv);
  g_autoptr (Report) report = NULL;

  assay_parallel_set_threads (1);
  report = report_new (&options, SEED, "Paillier's cryptosystem, milliseconds a weight and core");
  for (gsize i = 0; i < (options.is_quick ? 1 : G_N_ELEMENTS (lengths)); i++) {
    double gmpy2[N_JOBS];
    Case c;

    init_case (&c, lengths[i], counts[i]);
    ask_gmpy2 (&options, lengths[i], gmpy2);
    for (guint job = 0; job < N_JOBS; job++)
      report_job (report, &c, (Job) job, gmpy2[job]);
    clear_case (&c);
  }
  return 0;
}
