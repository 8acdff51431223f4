/* Cases like a cell that the attack exec is handed as its control: of every kind of release and
 * game they look like what was seen, who reads the release wins them, and who does not loses. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/codes.h"
#include "core/games/control-like.h"
#include "core/math/hash-function.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"

enum { COLS = 24, BITS = 64, ITEMS = 60, PUBLIC = 150, OWN = 80, ENTRIES = 100, MEMBERS = 4 };

typedef enum { READS, GIVES_UP, RANDOM, OF_ANOTHER } Answer;

/* What is played, and how it is answered; tests are processes of their own. */
static struct {
  Answer answer;
  AssayObservation seen;
  gboolean is_link;
} now;

/* ---- What is seen in a cell ---- */

static AssayMatrix *
normals (gsize rows, gsize cols, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "rows", ""), 0);
  AssayMatrix *matrix = assay_matrix_new (rows, cols, NULL);

  for (gsize i = 0; i < rows * cols; i++)
    matrix->data[i] = (float) assay_stream_normal (&stream) + 2;
  return matrix;
}

static AssayHashFunction *
make_function (void)
{
  const double mean[COLS] = { 0 };
  AssayHashFunction *function = assay_hash_function_linear (mean, COLS, BITS, NULL);
  g_autoptr (AssayMatrix) projection = normals (BITS, COLS, 5);

  for (gsize i = 0; i < BITS * COLS; i++)
    function->projection->data[i] = projection->data[i] - 2;
  return function;
}

static void
take_sets (AssayRelease *release, gsize n, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "sets", ""), 0);
  gint64 *sets = g_new (gint64, n * MEMBERS);

  for (gsize i = 0; i < n; i++) {
    gsize chosen[MEMBERS];

    assay_stream_choose (&stream, ENTRIES, MEMBERS, chosen);
    for (gsize m = 0; m < MEMBERS; m++)
      sets[i * MEMBERS + m] = (gint64) chosen[m];
  }
  assay_arrays_take (&release->arrays, "sets",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ n, MEMBERS }, sets));
  assay_arrays_take (&release->arrays, "dictionary",
                     assay_array_take_matrix (normals (ENTRIES, COLS, 3)));
}

/* Of @n items, with rows of @width numbers; @has_function: codes. */
static AssayRelease *
release_of (AssayReleaseKind kind, gsize n, gsize width, gboolean has_function, guint64 seed)
{
  AssayRelease *release = assay_release_new (kind, "some-defense");
  g_autoptr (AssayHashFunction) function = make_function ();
  g_autoptr (AssayMatrix) rows = normals (n, COLS, seed);
  float *basis;

  switch (kind) {
  case ASSAY_RELEASE_CODES:
    release->bits = BITS;
    assay_arrays_take (&release->arrays, "codes",
                       assay_hash_function_codes (function, assay_matrix_view (rows), NULL));
    if (has_function)
      assay_hash_function_release (function, release);
    break;
  case ASSAY_RELEASE_VECTOR_SETS:
    take_sets (release, n, seed);
    break;
  case ASSAY_RELEASE_SUBSPACES:
    basis = g_new0 (float, n *COLS);
    for (gsize i = 0; i < n; i++)
      basis[i * COLS] = 1;
    assay_arrays_take (&release->arrays, "translation",
                       assay_array_take_matrix (normals (n, COLS, seed)));
    assay_arrays_take (&release->arrays, "basis",
                       assay_array_take (ASSAY_FLOAT32, 3, (const gsize[]){ n, 1, COLS }, basis));
    break;
  case ASSAY_RELEASE_STATISTICS:
    assay_arrays_take (&release->arrays, "statistics",
                       assay_array_take_matrix (normals (1, width, seed)));
    break;
  default:
    assay_arrays_take (&release->arrays, kind == ASSAY_RELEASE_MIXTURES ? "images" : "vectors",
                       assay_array_take_matrix (normals (n, width, seed)));
  }
  return release;
}

/* Two releases of rows of the attacker's own. */
static AssayPairs *
make_pairs (AssayReleaseKind kind, gsize width)
{
  AssayPairs *pairs = assay_pairs_new (FALSE);

  for (guint i = 0; i < 2; i++) {
    AssayTruth *truth = assay_truth_new ();

    assay_arrays_take (&truth->arrays, "secrets",
                       assay_array_take_matrix (normals (OWN, COLS, 20 + i)));
    g_ptr_array_add (
        pairs->releases,
        assay_own_release_new (release_of (kind, OWN, width, FALSE, 30 + i), truth, NULL));
  }
  return pairs;
}

/* ---- Who reads the release ---- */

static const char *
array_of (const AssayRelease *release)
{
  return assay_kind (release->kind)->arrays[0].name;
}

/* The own row whose release is the item's, of @ret_own. */
static gsize
find_own (const AssayObservation *seen, gsize item, const AssayOwnRelease **ret_own)
{
  const AssayArray *items = assay_arrays_get (&seen->release->arrays, array_of (seen->release));
  const gsize bytes = assay_array_count (items) / items->shape[0] * assay_type_size (items->type);

  for (guint r = 0; r < seen->pairs->releases->len; r++) {
    const AssayOwnRelease *own = assay_pairs_get (seen->pairs, r);
    const AssayArray *theirs = assay_arrays_get (&own->release->arrays, array_of (own->release));

    for (gsize i = 0; i < theirs->shape[0]; i++)
      if (memcmp (theirs->data + i * bytes, items->data + item * bytes, bytes) == 0) {
        *ret_own = own;
        return i;
      }
  }
  cr_assert_fail ("the item is of no row in pairs/");
  return 0;
}

/* What the item says of its row. */
static void
read_item (const AssayObservation *seen, gsize item, float *ret_row)
{
  const AssayArrays *arrays = &seen->release->arrays;
  const AssayOwnRelease *own;
  AssayView dictionary;

  memset (ret_row, 0, COLS * sizeof *ret_row);
  if (seen->pairs != NULL
      && (seen->release->kind != ASSAY_RELEASE_VECTORS
          || assay_release_cols (seen->release) != COLS)) {
    const gsize row = find_own (seen, item, &own);

    memcpy (ret_row, assay_view_row (assay_own_rows (own), row), COLS * sizeof *ret_row);
    return;
  }
  if (seen->release->kind == ASSAY_RELEASE_VECTOR_SETS) {
    dictionary = assay_array_view (assay_arrays_get (arrays, "dictionary"));
    for (gsize m = 0; m < MEMBERS; m++)
      for (gsize j = 0; j < COLS; j++)
        ret_row[j] += assay_view_row (dictionary, (gsize) assay_array_int64 (assay_arrays_get (
                                                      arrays, "sets"))[item * MEMBERS + m])[j]
                      / MEMBERS;
    return;
  }
  memcpy (
      ret_row,
      assay_view_row (assay_array_view (assay_arrays_get (arrays, array_of (seen->release))), item),
      COLS * sizeof *ret_row);
}

static double
code_distance (const AssayObservation *seen, const AssayArray *codes, gsize item, gsize row)
{
  const AssayArray *items = assay_arrays_get (&seen->release->arrays, "codes");
  guint differ = 0;

  for (gsize b = 0; b < BITS / 8; b++)
    differ += (guint) __builtin_popcount (items->data[item * BITS / 8 + b]
                                          ^ codes->data[row * BITS / 8 + b]);
  return differ;
}

static gint64
find_public (const AssayObservation *seen, gsize item)
{
  g_autoptr (AssayMatrix) rows = assay_rows_matrix (seen->public_rows, ASSAY_SCALE_NONE, NULL);
  const gboolean is_hashed = assay_arrays_get (&seen->release->arrays, "projection") != NULL;
  g_autoptr (AssayHashFunction) function
      = is_hashed ? assay_hash_function_from (seen->release, NULL) : NULL;
  g_autoptr (AssayArray) codes
      = is_hashed ? assay_hash_function_codes (function, assay_matrix_view (rows), NULL) : NULL;
  double best = INFINITY;
  gint64 found = 0;
  float row[COLS];

  if (!is_hashed)
    read_item (seen, item, row);
  for (gsize p = 0; p < rows->rows; p++) {
    double distance = is_hashed ? code_distance (seen, codes, item, p) : 0;

    for (gsize j = 0; !is_hashed && j < COLS; j++)
      distance += pow ((double) row[j] - assay_matrix_row (rows, p)[j], 2);
    if (distance < best) {
      best = distance;
      found = (gint64) p;
    }
  }
  return found;
}

static void
answer_link (const AssayObservation *seen, AssayStream *stream, AssayGuess *ret_guess)
{
  const gsize n = assay_release_count (seen->release);
  gint64 *candidates = g_new0 (gint64, n);

  for (gsize i = 0; i < n && now.answer != GIVES_UP; i++)
    candidates[i] = now.answer == RANDOM
                        ? (gint64) assay_stream_below (stream, PUBLIC)
                        : find_public (seen, now.answer == READS ? i : (i + 1) % n);
  assay_arrays_take_rows (&ret_guess->arrays, "candidates", ASSAY_INT64, n, 1, candidates);
}

static gsize
count_estimates (const AssayObservation *seen)
{
  if (seen->release->kind == ASSAY_RELEASE_STATISTICS && seen->pairs != NULL)
    return OWN;
  return assay_release_count (seen->release);
}

static void
answer_reconstruct (const AssayObservation *seen, AssayStream *stream, AssayGuess *ret_guess)
{
  const gsize n = count_estimates (seen);
  AssayMatrix *estimates = assay_matrix_new (n, COLS, NULL);
  const AssayOwnRelease *own = NULL;

  if (seen->release->kind == ASSAY_RELEASE_STATISTICS && seen->pairs != NULL)
    find_own (seen, 0, &own);
  for (gsize i = 0; i < n; i++) {
    float *row = assay_matrix_row (estimates, i);

    if (now.answer == RANDOM)
      for (gsize j = 0; j < COLS; j++)
        row[j] = (float) assay_stream_normal (stream);
    else if (now.answer == GIVES_UP)
      memset (row, 0, COLS * sizeof *row);
    else if (own != NULL)
      memcpy (row, assay_view_row (assay_own_rows (own), i), COLS * sizeof *row);
    else
      read_item (seen, now.answer == READS ? i : (i + 1) % n, row);
  }
  assay_arrays_take (&ret_guess->arrays, "estimates", assay_array_take_matrix (estimates));
}

static void
answer_codes (const AssayObservation *seen, AssayGuess *ret_guess)
{
  const AssayArray *codes = assay_arrays_get (&seen->release->arrays, "codes");
  const gsize n = codes->shape[0], bytes = codes->shape[1];
  guint8 *guessed = g_malloc0 (n * bytes);

  for (gsize i = 0; i < n && now.answer != GIVES_UP; i++)
    memcpy (guessed + i * bytes, codes->data + (now.answer == READS ? i : (i + 1) % n) * bytes,
            bytes);
  assay_arrays_take (&ret_guess->arrays, "codes",
                     assay_array_take (ASSAY_UINT8, 2, codes->shape, guessed));
}

/* That what is handed over could be the cell. */
static void
check_like (const AssayObservation *seen)
{
  const AssayObservation *was = &now.seen;

  cr_assert (seen->release->kind == was->release->kind
             && seen->release->bits == was->release->bits);
  cr_assert_str_eq (seen->release->defense, was->release->defense);
  for (const AssayArraySpec *spec = assay_kind (was->release->kind)->arrays; spec->name != NULL;
       spec++) {
    const AssayArray *theirs = assay_arrays_get (&seen->release->arrays, spec->name);
    const AssayArray *ours = assay_arrays_get (&was->release->arrays, spec->name);

    cr_assert ((theirs != NULL) == (ours != NULL), "%s", spec->name);
    cr_assert (
        ours == NULL
            || (theirs->type == ours->type
                && memcmp (theirs->shape, ours->shape, ours->n_dimensions * sizeof *ours->shape)
                       == 0),
        "%s", spec->name);
  }
  cr_assert ((seen->public_rows != NULL) == (was->public_rows != NULL));
  cr_assert (was->public_rows == NULL
             || assay_rows_count (seen->public_rows) == assay_rows_count (was->public_rows));
  cr_assert ((seen->pairs != NULL) == (was->pairs != NULL));
  for (guint i = 0; was->pairs != NULL && i < was->pairs->releases->len; i++)
    cr_assert_eq (assay_release_count (assay_pairs_get (seen->pairs, i)->release),
                  assay_release_count (assay_pairs_get (was->pairs, i)->release));
}

static gboolean
answer (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        G_GNUC_UNUSED GError **error)
{
  AssayStream stream = assay_stream (context->stream, 0);

  check_like (seen);
  if (now.is_link)
    answer_link (seen, &stream, ret_guess);
  else if (seen->release->bits > 0 && seen->pairs == NULL)
    answer_codes (seen, ret_guess);
  else
    answer_reconstruct (seen, &stream, ret_guess);
  return TRUE;
}

/* ---- Playing ---- */

typedef struct {
  const char *name;
  AssayReleaseKind kind;
  gboolean is_link, has_public, has_pairs, has_function;
  gsize n;     /* 0: ITEMS */
  gsize width; /* of an item; 0: as rows */
} Case;

static const Case cases[] = {
  { .name = "codes", ASSAY_RELEASE_CODES },
  { .name = "codes and function", ASSAY_RELEASE_CODES, .has_public = TRUE, .has_function = TRUE },
  { .name = "codes and pairs", ASSAY_RELEASE_CODES, .has_pairs = TRUE },
  { .name = "sets", ASSAY_RELEASE_VECTOR_SETS, .has_public = TRUE },
  { .name = "sets and pairs", ASSAY_RELEASE_VECTOR_SETS, .has_pairs = TRUE },
  { .name = "vectors and pairs", ASSAY_RELEASE_VECTORS, .has_pairs = TRUE },
  { .name = "narrow vectors and pairs", ASSAY_RELEASE_VECTORS, .has_pairs = TRUE, .width = 10 },
  { .name = "planes and pairs", ASSAY_RELEASE_SUBSPACES, .has_pairs = TRUE },
  { .name = "statistics", ASSAY_RELEASE_STATISTICS },
  { .name = "statistics and rows", ASSAY_RELEASE_STATISTICS, .has_public = TRUE },
  { .name = "histogram and pairs", ASSAY_RELEASE_STATISTICS, .has_pairs = TRUE, .width = 10 },
  { .name = "one mixture", ASSAY_RELEASE_MIXTURES, .n = 1 },
  { .name = "three mixtures", ASSAY_RELEASE_MIXTURES, .has_public = TRUE, .n = 3 },
  { .name = "link of vectors", ASSAY_RELEASE_VECTORS, .is_link = TRUE, .has_public = TRUE },
  { .name = "link of vectors and pairs",
    ASSAY_RELEASE_VECTORS,
    .is_link = TRUE,
    .has_public = TRUE,
    .has_pairs = TRUE },
  { .name = "link of narrow vectors and pairs",
    ASSAY_RELEASE_VECTORS,
    .is_link = TRUE,
    .has_public = TRUE,
    .has_pairs = TRUE,
    .width = 10 },
  { .name = "link of codes and function",
    ASSAY_RELEASE_CODES,
    .is_link = TRUE,
    .has_public = TRUE,
    .has_function = TRUE },
  { .name = "link of codes and pairs",
    ASSAY_RELEASE_CODES,
    .is_link = TRUE,
    .has_public = TRUE,
    .has_pairs = TRUE },
  { .name = "link of sets", ASSAY_RELEASE_VECTOR_SETS, .is_link = TRUE, .has_public = TRUE },
  { .name = "link of sets and pairs",
    ASSAY_RELEASE_VECTOR_SETS,
    .is_link = TRUE,
    .has_public = TRUE,
    .has_pairs = TRUE },
  { .name = "link of statistics", ASSAY_RELEASE_STATISTICS, .is_link = TRUE, .has_public = TRUE },
};

static AssayControlOutcome
play (const Case *what, Answer how)
{
  const AssayAttack *exec
      = (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, "exec", NULL);
  const gsize n = what->n > 0 ? what->n : ITEMS, width = what->width > 0 ? what->width : COLS;
  AssayAttack attack = *exec;
  g_autoptr (AssaySettings) settings
      = fixture_settings (&exec->plugin, what->is_link ? "command=true game=link" : "command=true");
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (1, 0, "attack", "") };
  g_autoptr (AssayRelease) release = release_of (what->kind, n, width, what->has_function, 7);
  g_autoptr (AssayRows) public_rows
      = what->has_public ? assay_rows_take_matrix (normals (PUBLIC, COLS, 9)) : NULL;
  g_autoptr (AssayPairs) pairs = what->has_pairs ? make_pairs (what->kind, width) : NULL;
  AssayControlOutcome outcome;
  g_autoptr (GError) error = NULL;

  now.answer = how;
  now.is_link = what->is_link;
  now.seen = (AssayObservation){
    .release = release, .other_releases = release, .public_rows = public_rows, .pairs = pairs
  };
  attack.attack = answer;
  cr_assert (assay_control_play_like (&attack, &context, assay_stream_key (1, 0, "case", ""),
                                      &now.seen, &outcome, &error),
             "%s: %s", what->name, error != NULL ? error->message : "");
  return outcome;
}

Test (exec_likeness, who_reads_the_release_wins)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const AssayControlOutcome outcome = play (&cases[c], READS);

    cr_assert (outcome.n > 0, "%s: none is made", cases[c].name);
    cr_assert (outcome.is_won, "%s: %g", cases[c].name, outcome.share);
  }
}

Test (exec_likeness, who_does_not_loses)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    for (guint how = GIVES_UP; how <= OF_ANOTHER; how++) {
      const gboolean is_single
          = cases[c].kind == ASSAY_RELEASE_STATISTICS || cases[c].kind == ASSAY_RELEASE_MIXTURES;

      /* Of a single item, or items of one secret, there is no other. */
      if (how == OF_ANOTHER && is_single)
        continue;
      cr_assert (!play (&cases[c], how).is_won, "%s, answered by %u", cases[c].name, how);
    }
}

/* Where nothing can be known of the outcome none is made, and the small control upholds nothing. */
Test (exec_likeness, of_some_none_is_made)
{
  const Case none[] = {
    { .name = "link of codes", ASSAY_RELEASE_CODES, .is_link = TRUE, .has_public = TRUE },
    { .name = "histogram", ASSAY_RELEASE_STATISTICS, .has_public = TRUE, .width = 10 },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (none); c++)
    cr_assert_eq (play (&none[c], READS).n, 0, "%s", none[c].name);
}
