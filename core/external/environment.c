/* The environment of programs of others. */
#include "core/external/environment.h"

#include <string.h>

/* Where programs and their libraries are, what language and clock they speak, and how many threads
 * they start. A star stands for the rest of a name. */
static const char *const passed[] = {
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TERM",
  "LD_LIBRARY_PATH",
  "OMP_*",
  "GOMP_*",
  "KMP_*",
  "OPENBLAS_*",
  "MKL_*",
  "GOTO_NUM_THREADS",
  "PYTHON*",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "PYENV_ROOT",
  "PYENV_VERSION",
  "R_*",
  "JULIA_*",
  "JAVA_HOME",
  "CLASSPATH",
  "NODE_PATH",
  "PERL5LIB",
  "RUBYLIB",
  "GEM_PATH",
  "LUA_PATH",
  "LUA_CPATH",
  "OCTAVE_PATH",
  "MATLABPATH",
  "GUIX_*",
  "NIX_LD*",
  "CUDA_*",
  "NUMBA_*",
};

gboolean
assay_environment_passes (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (passed); i++) {
    const gsize head = strcspn (passed[i], "*");

    if (passed[i][head] == '*' ? strncmp (name, passed[i], head) == 0
                               : strcmp (name, passed[i]) == 0)
      return TRUE;
  }
  return FALSE;
}

char **
assay_environment_of_programs (const char *scratch)
{
  const char *asked = g_getenv ("ASSAY_PASS_ENVIRONMENT");
  g_auto (GStrv) more = g_strsplit_set (asked != NULL ? asked : "", " ,", -1);
  g_auto (GStrv) names = g_listenv ();
  char **variables = NULL;

  for (guint i = 0; names[i] != NULL; i++)
    if (*names[i] != '\0'
        && (assay_environment_passes (names[i])
            || g_strv_contains ((const char *const *) more, names[i])))
      variables = g_environ_setenv (variables, names[i], g_getenv (names[i]), TRUE);
  return g_environ_setenv (variables, "TMPDIR", scratch, TRUE);
}
