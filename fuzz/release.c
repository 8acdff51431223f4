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

static void
check_same (const AssayRelease *release, const AssayRelease *other)
{
  FUZZ_REQUIRE (release->kind == other->kind && release->bits == other->bits);
  FUZZ_REQUIRE (release->is_unit_norm == other->is_unit_norm);
  FUZZ_REQUIRE (release->parameters.known == other->parameters.known);
  fuzz_record_check_equal (&release->arrays, &other->arrays);
  fuzz_record_check_geometry (&release->geometry, &other->geometry);
  for (guint i = 0; release->parameters.known >> i != 0; i++)
    if ((release->parameters.known >> i & 1) != 0) {
      const AssayParam *param = &release->parameters.values->table[i];
      g_autofree char *mine = assay_settings_get (release->parameters.values, param);
      g_autofree char *others = assay_settings_get (other->parameters.values, param);

      FUZZ_REQUIRE (g_str_equal (mine, others));
    }
}

/* Written and read again, and taken as the answer of a program of others, it is the same. */
static void
check_written (const AssayRelease *release)
{
  const gsize n = assay_release_count (release), cols = assay_release_cols (release);
  g_autoptr (AssayRelease) again = NULL, answer = assay_release_new (release->kind, "");
  g_autoptr (GError) error = NULL;
  gboolean is_taken;

  FUZZ_REQUIRE (assay_release_write (release, fuzz_record_place (), NULL));
  fuzz_record_take_written ();
  again = assay_release_read (fuzz_record_place (), NULL);
  fuzz_record_remove_written ();
  FUZZ_REQUIRE (again != NULL);
  check_same (release, again);
  FUZZ_REQUIRE (g_str_equal (release->defense, again->defense));
  FUZZ_REQUIRE (g_str_equal (release->settings, again->settings));
  FUZZ_REQUIRE (assay_release_check_answer (again, release->kind, n, cols, NULL));
  assay_release_take_answer (answer, again);
  check_same (release, answer);
  is_taken = assay_release_check_answer (again, ASSAY_RELEASE_SUBSPACES, n, cols + 1, &error);
  fuzz_check_outcome (is_taken, error);
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
    check_written (release);
  }
  fuzz_files_forget ();
  return 0;
}
