/* Runs whose results do not depend on the processor.
 *
 * What rounds differently from one to the next are OpenBLAS's kernels: one set for each family of
 * processors. The set "Haswell" (AVX2 and FMA, of 2013) is on every x86-64 processor that is likely
 * to run an audit, and is the best that all of them have. The functions of the C library have one
 * form for processors with FMA, and so need no pinning where it is demanded; our own kernels give
 * the bits of the plain ones (tests/unit/core/search/test-scan-prune.c). An environment variable is
 * the only way: openblas_set_corename exists in later versions alone, and kernels that were chosen
 * have been used by the time main begins. */
#include "cli/portable.h"

#include <string.h>
#include <unistd.h>

#include "core/math/linalg.h"

#define VARIABLE "OPENBLAS_CORETYPE"
#define KERNELS "Haswell"
#define THIS_PROGRAM "/proc/self/exe"

static gboolean
is_asked_for (char **argv)
{
  for (; *argv != NULL && !g_str_equal (*argv, "--"); argv++)
    if (g_str_equal (*argv, "--portable"))
      return TRUE;
  return FALSE;
}

void
cli_pin_kernels (char **argv)
{
  if (!is_asked_for (argv) || g_strcmp0 (g_getenv (VARIABLE), KERNELS) == 0)
    return;
  g_setenv (VARIABLE, KERNELS, TRUE);
  /* Where it fails, the kernels are others, and the command refuses. */
  execv (THIS_PROGRAM, argv);
}

static gboolean
has_instructions (void)
{
#if defined(__x86_64__)
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma");
#else
  return FALSE;
#endif
}

char *
cli_why_not_portable (void)
{
  if (!has_instructions ())
    return g_strdup ("--portable: expected an x86-64 processor with AVX2 and FMA; without it, "
                     "results are those of this processor's kernels");
  if (strstr (assay_linalg_describe (), " " KERNELS " ") == NULL)
    return g_strdup_printf ("--portable: expected an OpenBLAS that chooses its kernels as it runs "
                            "(DYNAMIC_ARCH), and takes those for " KERNELS "; this one is \"%s\"",
                            assay_linalg_describe ());
  return NULL;
}
