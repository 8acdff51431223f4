/* Short bases of integer lattices, by FLINT: the one file that calls it.
 *
 * FLINT's LLL in double (Nguyen and Stehlé 2009) gives up where doubles do not suffice; its form
 * with exact inner products comes next, and that with as many digits as it takes last. fmpz_lll
 * itself is not called: it proves by rational arithmetic that the basis is reduced, which takes
 * most of its time and is not needed, and FLINT 2.9 ends the program in it by a division by zero
 * on some bases (mended in FLINT 3.0, pull request 1168 of its repository). Without the proof the
 * result is a basis of the lattice all the same.
 *
 * What FLINT keeps for a thread is given back at the end of each call: threads come and go without
 * its knowledge.
 *
 * It is loaded when it is first needed: with the libraries that it brings (NTL, MPFR) it took 8 of
 * the 22 ms of processor time in which the program starts. */
#include "core/math/lattice.h"

#include <flint/fmpz_lll.h>

#include "config.h"
#include "core/base/error.h"
#include "core/data/formats/late-library.h"

#define FUNCTIONS(X)                                                                               \
  X (flint_cleanup)                                                                                \
  X (fmpz_fits_si)                                                                                 \
  X (fmpz_get_si)                                                                                  \
  X (fmpz_lll_context_init_default)                                                                \
  X (fmpz_lll_d)                                                                                   \
  X (fmpz_lll_d_heuristic)                                                                         \
  X (fmpz_lll_mpf)                                                                                 \
  X (fmpz_mat_clear)                                                                               \
  X (fmpz_mat_init)                                                                                \
  X (fmpz_set_mpz)
ASSAY_LATE_LIBRARY (late, FUNCTIONS);

#define CLOCK_ROWS 4 /* further rows between two looks at the clock */

static gboolean
load (GError **error)
{
  static GMutex lock;
  static gboolean is_loaded;
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  is_loaded = is_loaded || ASSAY_LATE_LIBRARY_LOAD (late, ASSAY_FLINT, error);
  return is_loaded;
}

/* By a number of GMP's: fmpz_set_si is written into the calling code, which would be linked. */
static void
set_basis (const gint64 *rows, gsize count, gsize cols, fmpz_mat_t ret_basis)
{
  mpz_t number;

  mpz_init (number);
  late.fmpz_mat_init (ret_basis, (slong) count, (slong) cols);
  for (gsize i = 0; i < count * cols; i++) {
    mpz_set_si (number, rows[i]);
    late.fmpz_set_mpz (fmpz_mat_entry (ret_basis, i / cols, i % cols), number);
  }
  mpz_clear (number);
}

gboolean
assay_lattice_reduce (gint64 *inout_rows, gsize count, gsize cols, GError **error)
{
  gboolean fits = TRUE;
  fmpz_mat_t basis;
  fmpz_lll_t settings;

  if (!load (error))
    return FALSE;
  set_basis (inout_rows, count, cols, basis);
  late.fmpz_lll_context_init_default (settings);
  if (late.fmpz_lll_d (basis, NULL, settings) < 0
      && late.fmpz_lll_d_heuristic (basis, NULL, settings) < 0)
    late.fmpz_lll_mpf (basis, NULL, settings);
  for (gsize i = 0; i < count * cols && fits; i++)
    fits = late.fmpz_fits_si (fmpz_mat_entry (basis, i / cols, i % cols));
  for (gsize i = 0; i < count * cols && fits; i++)
    inout_rows[i] = late.fmpz_get_si (fmpz_mat_entry (basis, i / cols, i % cols));
  late.fmpz_mat_clear (basis);
  late.flint_cleanup ();
  if (!fits)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "a reduced basis of %zu rows has numbers of more than 64 bits", count);
  return TRUE;
}

gboolean
assay_lattice_reduce_until (gint64 *inout_rows, gsize count, gsize cols, gint64 deadline,
                            gboolean *ret_is_late, GError **error)
{
  *ret_is_late = FALSE;
  if (deadline == 0)
    return assay_lattice_reduce (inout_rows, count, cols, error);
  for (gsize n = MIN (count, CLOCK_ROWS);; n = MIN (count, n + CLOCK_ROWS)) {
    if (!assay_lattice_reduce (inout_rows, n, cols, error))
      return FALSE;
    *ret_is_late = n < count && g_get_monotonic_time () >= deadline;
    if (n == count || *ret_is_late)
      return TRUE;
  }
}
