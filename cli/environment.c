/* What has to stand in the environment before the libraries that read it are loaded.
 *
 * Threads: those of OpenMP that wait for each other look some 300,000 times, for milliseconds,
 * before they sleep. On a machine with other work to do the one that is waited for may not run by
 * then, and whoever waits keeps others from running: a run of many short loops took eight times as
 * long and seven times the work of processors, nearly all of it such looks. A thousand take some
 * 50 us, about what it takes to be woken. libgomp reads this as it is loaded, and never again.
 *
 * Kernels, of runs whose results do not depend on the processor: what rounds differently from one
 * to the next are kernels, of OpenBLAS one set for each family of processors, and of oneDNN one for
 * each width of vectors. The set "Haswell" (AVX2 and FMA, of 2013), or "AVX2", is on every
 * x86-64 processor that is likely to run an audit, and is the best that all of them have. The
 * functions of the C library have one form for processors with FMA,
 * and so need no pinning where it is demanded; our own kernels give the bits of the plain ones
 * (tests/unit/core/search/test-scan-prune.c). openblas_set_corename exists in later versions alone,
 * and kernels that were chosen have been used by the time main begins.
 *
 * Kernels, of other runs: OpenBLAS knows processors by their numbers, and takes one that is younger
 * than itself for Intel's of 2004 ("Prescott"), without AVX: Debian 12's does so with Intel's
 * servers since 2023, where products then take five times as long (docs/architecture.md). Such a
 * processor gets the kernels for the instructions that it has. */
#include "cli/environment.h"

#include <string.h>
#include <unistd.h>

#include "core/math/linalg.h"
#include "core/network/convolution.h"

#define SPINS "GOMP_SPINCOUNT"
#define FEW_SPINS "1000"
#define WAIT_POLICY "OMP_WAIT_POLICY"
#define CORE_TYPE "OPENBLAS_CORETYPE"
#define KERNELS "Haswell"
#define WIDE_KERNELS "SkylakeX"
#define KERNELS_OF_UNKNOWN " Prescott "
/* oneDNN asks for this name before it asks for DNNL_MAX_CPU_ISA. */
#define NETWORK_TYPE "ONEDNN_MAX_CPU_ISA"
#define NETWORK_KERNELS "AVX2"
#define THIS_PROGRAM "/proc/self/exe"

gboolean
cli_has_option (char **argv, const char *option)
{
  for (; *argv != NULL && !g_str_equal (*argv, "--"); argv++)
    if (g_str_equal (*argv, option))
      return TRUE;
  return FALSE;
}

/* Words that only print or write text: no threads wait, and all kernels are the same to them. They
 * take half the time when the program begins once. */
static gboolean
computes_nothing (char **argv)
{
  static const char *const commands[]
      = { "completion", "describe", "help", "init", "list", "man", "--help", "-h", NULL };

  return argv[0] == NULL || argv[1] == NULL || g_strv_contains (commands, argv[1]);
}

/* Whether that changes it. */
static gboolean
settle (const char *name, const char *value)
{
  return g_strcmp0 (g_getenv (name), value) != 0 && g_setenv (name, value, TRUE);
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

/* Kernels that OpenBLAS would take if it knew the processor, or NULL: it does, or has its own. */
static const char *
better_kernels (void)
{
  if (strstr (assay_linalg_describe (), KERNELS_OF_UNKNOWN) == NULL || !has_instructions ())
    return NULL;
#if defined(__x86_64__)
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512cd")
      && __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vl"))
    return WIDE_KERNELS;
#endif
  return KERNELS;
}

void
cli_settle_environment (char **argv)
{
  const char *better = g_getenv (CORE_TYPE) == NULL ? better_kernels () : NULL;
  gboolean is_changed = FALSE;

  if (computes_nothing (argv))
    return;
  if (g_getenv (SPINS) == NULL && g_getenv (WAIT_POLICY) == NULL)
    is_changed = g_setenv (SPINS, FEW_SPINS, TRUE);
  if (cli_has_option (argv, "--portable")) {
    is_changed = settle (CORE_TYPE, KERNELS) || is_changed;
    is_changed = settle (NETWORK_TYPE, NETWORK_KERNELS) || is_changed;
  } else if (better != NULL)
    is_changed = settle (CORE_TYPE, better) || is_changed;
  /* Where it fails, threads wait as they did, and a portable run is refused. */
  if (is_changed)
    execv (THIS_PROGRAM, argv);
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
  if (!g_str_has_suffix (assay_convolution_describe (), " " NETWORK_KERNELS))
    return g_strdup_printf ("--portable: expected a oneDNN that can be kept to " NETWORK_KERNELS
                            " (ONEDNN_ENABLE_MAX_CPU_ISA); this one is \"%s\"",
                            assay_convolution_describe ());
  return NULL;
}
