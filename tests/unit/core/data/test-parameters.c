/* Public parameters of releases: what is known, there and back, refused, withheld. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/data/grant.h"
#include "core/data/kinds/codes.h"
#include "core/data/kinds/mixtures.h"
#include "core/data/kinds/subspaces.h"
#include "core/data/kinds/vectors.h"
#include "tests/reference/fixtures.h"

static char *folder;
static char *place; /* folder/r */

static void
set_up (void)
{
  folder = fixture_folder ();
  place = g_build_filename (folder, "r", NULL);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
  g_free (place);
}

TestSuite (parameters, .init = set_up, .fini = tear_down);

static AssayRelease *
release_of_mixtures (void)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, "m");

  assay_arrays_take (&release->arrays, "images", fixture_numbers (ASSAY_FLOAT32, 2, 6, 4, 0));
  return release;
}

/* The text of release.json after writing. */
static char *
written (const AssayRelease *release)
{
  g_autofree char *path = g_build_filename (place, "release.json", NULL);
  char *text = NULL;

  cr_assert (assay_release_write (release, place, NULL));
  cr_assert (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

Test (parameters, nothing_is_known_unless_it_is_said)
{
  g_autoptr (AssayRelease) release = release_of_mixtures ();
  g_autofree char *text = written (release);

  cr_assert (ASSAY_PARAMETER (release, AssayMixturesParameters, k) == NULL);
  cr_assert (ASSAY_PARAMETER (release, AssayMixturesParameters, mask) == NULL);
  cr_assert (strstr (text, "parameters") == NULL, "%s", text);
}

/* Of every type, to the bit, and those that are not known stay so. */
Test (parameters, they_come_back)
{
  g_autoptr (AssayRelease) mixtures = release_of_mixtures ();
  g_autoptr (AssayRelease) subspaces = assay_release_new (ASSAY_RELEASE_SUBSPACES, "s");
  g_autoptr (AssayRelease) back = NULL;
  g_autofree char *text = NULL;

  ASSAY_SET_PARAMETER (mixtures, AssayMixturesParameters, k, 4);
  ASSAY_SET_PARAMETER (mixtures, AssayMixturesParameters, max_coefficient, 1.0 / 3);
  ASSAY_SET_PARAMETER (mixtures, AssayMixturesParameters, private_share, 0.0);
  ASSAY_SET_PARAMETER (mixtures, AssayMixturesParameters, mask, true);
  text = written (mixtures);
  cr_assert (strstr (text, "\"parameters\": {\"k\": 4, \"max_coefficient\": 0.3333333333333333, "
                           "\"private_share\": 0, \"mask\": true}")
                 != NULL,
             "%s", text);
  back = assay_release_read (place, NULL);
  cr_assert (*ASSAY_PARAMETER (back, AssayMixturesParameters, k) == 4);
  cr_assert (*ASSAY_PARAMETER (back, AssayMixturesParameters, max_coefficient) == 1.0 / 3);
  cr_assert (*ASSAY_PARAMETER (back, AssayMixturesParameters, private_share) == 0);
  cr_assert (*ASSAY_PARAMETER (back, AssayMixturesParameters, mask));
  cr_assert (ASSAY_PARAMETER (back, AssayMixturesParameters, epochs) == NULL);
  g_clear_pointer (&back, assay_release_free);
  fixture_remove (place);

  assay_arrays_take (&subspaces->arrays, "translation",
                     fixture_numbers (ASSAY_FLOAT32, 2, 5, 6, 0));
  assay_arrays_take (&subspaces->arrays, "basis", fixture_axes (5, 2, 6));
  ASSAY_SET_PARAMETER (subspaces, AssaySubspacesParameters, variant, ASSAY_LIFTING_SUB_HYBRID);
  ASSAY_SET_PARAMETER (subspaces, AssaySubspacesParameters, adversarial, 1);
  cr_assert (assay_release_write (subspaces, place, NULL));
  back = assay_release_read (place, NULL);
  cr_assert (*ASSAY_PARAMETER (back, AssaySubspacesParameters, variant)
             == ASSAY_LIFTING_SUB_HYBRID);
  cr_assert (*ASSAY_PARAMETER (back, AssaySubspacesParameters, adversarial) == 1);
}

typedef struct {
  const char *parameters;
  const char *message; /* '@' is the folder */
} Refused;

#define ALL                                                                                        \
  "k, partners, epochs, max_coefficient, private_share, owner_share, mask, coefficients, "         \
  "concentration, alpha"

static const Refused refused[] = {
  { "[]", "@: release.json: expected an object 'parameters'" },
  { "{\"epoch\": 3}", "@: release.json: parameters: unknown parameter 'epoch' (did you mean "
                      "'epochs'?); releases of kind mixtures have " ALL },
  { "{\"flip_probability\": 0.1}", "@: release.json: parameters: unknown parameter "
                                   "'flip_probability'; releases of kind mixtures have " ALL },
  { "{\"k\": \"4\"}", "@: release.json: parameters: expected 'k' to be a whole number" },
  { "{\"k\": 4.5}", "@: release.json: parameters: expected 'k' to be a whole number" },
  { "{\"k\": null}", "@: release.json: parameters: expected 'k' to be a whole number" },
  { "{\"k\": 65}", "@: release.json: parameters: k = 65 is out of range: expected 1 to 64 images" },
  { "{\"max_coefficient\": true}",
    "@: release.json: parameters: expected 'max_coefficient' to be a number" },
  { "{\"max_coefficient\": 2}",
    "@: release.json: parameters: max_coefficient = 2 is out of range: expected 0 to 1" },
  { "{\"mask\": 1}", "@: release.json: parameters: expected 'mask' to be true or false" },
};

static void
check_refused (const char *json, const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  g_free (fixture_write (place, "release.json", json));
  cr_assert (assay_release_read (place, &error) == NULL, "accepted: %s", json);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA, message, place, &why), "%s", why);
}

Test (parameters, names_types_and_ranges_are_checked)
{
  g_autoptr (AssayRelease) release = release_of_mixtures ();

  g_free (written (release));
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autofree char *json
        = g_strdup_printf ("{\"format\": \"assay-release/1\", \"kind\": \"mixtures\", "
                           "\"parameters\": %s, \"arrays\": {\"images\": {\"file\": "
                           "\"images.npy\"}}}",
                           refused[i].parameters);

    check_refused (json, refused[i].message);
  }
  check_refused ("{\"format\": \"assay-release/1\", \"kind\": \"vectors\", "
                 "\"parameters\": {\"noise\": \"laplac\"}, \"arrays\": {}}",
                 "@: release.json: parameters: noise = 'laplac': expected one of none, laplace, "
                 "gaussian (did you mean 'laplace'?)");
}

/* What an attack sees: never the settings, and the parameters unless they are withheld. */
Test (parameters, they_are_withheld)
{
  g_autoptr (AssayRelease) release = release_of_mixtures ();
  g_autoptr (AssayRelease) seen = NULL;
  g_autoptr (AssayRelease) blind = NULL;
  g_autofree char *why = NULL;
  GError *error = NULL;

  g_free (release->settings);
  release->settings = g_strdup ("{\"k\": 4}");
  cr_assert (!assay_release_hides (release, ASSAY_GRANT_NO_PARAMETERS));
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k, 4);
  cr_assert (!assay_release_hides (release, 0));
  cr_assert (assay_release_hides (release, ASSAY_GRANT_NO_PARAMETERS));
  seen = assay_release_granted (release, 0);
  cr_assert (*ASSAY_PARAMETER (seen, AssayMixturesParameters, k) == 4);
  cr_assert (seen->owner == release->owner);
  cr_assert_str_eq (seen->settings, "{}");
  cr_assert (assay_parameter_check (&seen->parameters, "k", "k = 2", NULL));
  blind = assay_release_granted (release, ASSAY_GRANT_NO_PARAMETERS);
  cr_assert (ASSAY_PARAMETER (blind, AssayMixturesParameters, k) == NULL);
  cr_assert (!assay_parameter_check (&blind->parameters, "k", "k = 2", &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "the scenario withholds the parameters of the release "
                               "(no-parameters), and the attack goes by 'k'; expected k = 2",
                               NULL, &why),
             "%s", why);
}

/* What an answer from outside says of itself is taken over with its arrays. */
Test (parameters, answers_bring_theirs)
{
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_MIXTURES, "m");
  g_autoptr (AssayRelease) answer = release_of_mixtures ();

  ASSAY_SET_PARAMETER (answer, AssayMixturesParameters, epochs, 3);
  assay_release_take_answer (release, answer);
  cr_assert (*ASSAY_PARAMETER (release, AssayMixturesParameters, epochs) == 3);
  cr_assert (ASSAY_PARAMETER (release, AssayMixturesParameters, k) == NULL);
}

/* Each kind's table: written and read, so that the page docs/formats.md can name them all. */
Test (parameters, tables_are_of_types_that_release_json_has)
{
  for (guint i = 0; i < ASSAY_N_KINDS; i++) {
    const AssayKind *kind = assay_kind ((AssayReleaseKind) (1u << i));
    guint n = 0;

    for (const AssayParam *param = kind->parameters; param != NULL && param->name != NULL;
         param++) {
      cr_assert (param->type != ASSAY_PARAM_TYPE_STRING, "%s", param->name);
      cr_assert (param->number >= param->low || param->choices != NULL, "%s", param->name);
      n++;
    }
    cr_assert (n <= 64, "%s has %u parameters, and a set of known ones has 64 bits",
               assay_release_kinds[i], n);
  }
}
