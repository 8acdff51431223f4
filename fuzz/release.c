/* Fuzz target: folders with release.json. */
#include "fuzz/record.h"

/* What attacks ask of a release. */
static void
check_use (const AssayRelease *release)
{
  const gsize cols = assay_release_cols (release);

  FUZZ_REQUIRE (assay_release_count (release) > 0);
  for (guint grants = 0; grants < 1u << 8; grants = grants * 2 + 1) {
    g_autoptr (AssayRelease) granted = assay_release_granted (release, grants);

    FUZZ_REQUIRE (granted->arrays.names->len < release->arrays.names->len
                  || granted->parameters.known != release->parameters.known
                  || !assay_release_hides (release, grants));
    FUZZ_REQUIRE (assay_release_count (granted) == assay_release_count (release));
  }
  if (release->kind == ASSAY_RELEASE_SUBSPACES || release->kind == ASSAY_RELEASE_VECTORS) {
    const AssaySubspaces subspaces = assay_release_subspaces (release);

    FUZZ_REQUIRE (subspaces.cols == cols && subspaces.count == assay_release_count (release));
    FUZZ_REQUIRE (subspaces.dimension <= cols);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *folder = fuzz_record_add ("release.json", data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRelease) release = assay_release_read (folder, &error);

  fuzz_check_outcome (release != NULL, error);
  if (release != NULL) {
    FUZZ_REQUIRE (assay_release_check (release, NULL));
    check_use (release);
    fuzz_record_check_arrays (&release->arrays);
  }
  fuzz_files_forget ();
  return 0;
}
