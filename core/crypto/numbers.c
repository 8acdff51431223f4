/* Wiped numbers and their randomness. */
#include "core/crypto/numbers.h"

#include <string.h>
#include <sys/random.h>

void
assay_number_init (mpz_t number, gsize bits)
{
  mpz_init2 (number, bits + GMP_NUMB_BITS);
}

void
assay_number_clear (mpz_t *number)
{
  if ((*number)->_mp_alloc > 0)
    explicit_bzero ((*number)->_mp_d, (gsize) (*number)->_mp_alloc * sizeof (mp_limb_t));
  mpz_clear (*number);
}

mpz_t *
assay_numbers_new (gsize count, gsize bits)
{
  mpz_t *numbers = g_new (mpz_t, count);

  for (gsize i = 0; i < count; i++)
    assay_number_init (numbers[i], bits);
  return numbers;
}

void
assay_numbers_free (mpz_t *numbers, gsize count)
{
  for (gsize i = 0; numbers != NULL && i < count; i++)
    assay_number_clear (&numbers[i]);
  g_free (numbers);
}

/* GMP copies words of eight bytes, and puts single ones together. */
static gsize
word_size (gsize count)
{
  return count % 8 == 0 ? 8 : 1;
}

void
assay_number_read (const guint8 *bytes, gsize count, mpz_t ret_number)
{
  const gsize word = word_size (count);

  mpz_import (ret_number, count / word, -1, word, -1, 0, bytes);
}

void
assay_number_write (const mpz_t number, gsize count, guint8 *ret_bytes)
{
  gsize written = 0;

  g_assert (mpz_sgn (number) >= 0 && (mpz_sizeinbase (number, 2) + 7) / 8 <= count);
  memset (ret_bytes, 0, count);
  mpz_export (ret_bytes, &written, -1, word_size (count), -1, 0, number);
}

AssayEntropy
assay_entropy (const AssayStreamKey *key, guint64 item)
{
  AssayEntropy entropy = { .is_system = key == NULL };

  if (key != NULL)
    entropy.stream = assay_stream (*key, item);
  return entropy;
}

/* The kernel has no reason to refuse once it has started, and there is nothing to fall back on. */
static void
fill_from_system (gsize count, guint8 *ret_bytes)
{
  for (gsize done = 0; done < count;) {
    const ssize_t got = getrandom (ret_bytes + done, count - done, 0);

    g_assert (got >= 0 || errno == EINTR);
    done += (gsize) MAX (got, 0);
  }
}

void
assay_entropy_fill (AssayEntropy *entropy, gsize count, guint8 *ret_bytes)
{
  if (entropy->is_system) {
    fill_from_system (count, ret_bytes);
    return;
  }
  for (gsize i = 0; i < count; i += 4) {
    const guint32 word = GUINT32_TO_LE (assay_stream_u32 (&entropy->stream));

    memcpy (ret_bytes + i, &word, MIN (4, count - i));
  }
}

void
assay_number_draw (AssayEntropy *entropy, const mpz_t bound, mpz_t ret_number)
{
  g_auto (mpz_t) most;
  guint8 *bytes;
  gsize bits, count;

  assay_number_init (most, mpz_sizeinbase (bound, 2));
  mpz_sub_ui (most, bound, 1);
  bits = mpz_sizeinbase (most, 2);
  count = (bits + 7) / 8;
  bytes = g_malloc (count);
  do {
    assay_entropy_fill (entropy, count, bytes);
    if (bits % 8 != 0)
      bytes[count - 1] &= (guint8) ((1U << bits % 8) - 1);
    assay_number_read (bytes, count, ret_number);
  } while (mpz_cmp (ret_number, most) > 0);
  explicit_bzero (bytes, count);
  g_free (bytes);
}
