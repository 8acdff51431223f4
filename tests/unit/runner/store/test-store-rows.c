/* What a worker found, carried to the store of the run; and what it is told. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/error.h"
#include "runner/store/outcomes.h"
#include "runner/store/rows.h"

static const AssayCell first_cell = { .utility = ASSAY_NO_COMPONENT };

/* A cell with two series of outcomes, of which one is left out, and a picture. */
static void
finish_cell (AssayStore *store, gsize index, double value)
{
  guint8 pixels[] = { 1, 2, 3, 4, 5, 6 };
  AssayThumbnail thumbnail = { .width = 3, .height = 2, .channels = 1, .data = pixels };
  AssayShown shown = { .metric = 0, .role = 0, .unit = 4, .thumbnail = &thumbnail };
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (AssayShown));
  double numbers[] = { value, -value, 0.1 };
  char why[] = "there were too few";
  const AssayOutcomes outcomes = { .n = 3, .series = { numbers, NULL }, .omitted = { NULL, why } };
  const AssayCellRecord record
      = { .status = ASSAY_CELL_CONTROL_FAILED, .message = (char *) "it lost", .seconds = 1.5 };
  gboolean is_crashed;

  g_array_append_val (all, shown);
  cr_assert (assay_store_begin_cell (store, index, &is_crashed, NULL));
  cr_assert (
      assay_store_finish_cell (store, index, &record, &(AssayMeasured){ &outcomes, 1, all }, NULL));
}

static void
expect_cell (AssayStore *store, gsize index, double value)
{
  AssayCellRecord record = { 0 };
  AssayOutcomes outcomes = { 0 };
  AssayThumbnail *thumbnail = NULL;

  cr_assert (assay_store_cell (store, index, &record, NULL));
  cr_assert_eq (record.status, ASSAY_CELL_CONTROL_FAILED);
  cr_assert_str_eq (record.message, "it lost");
  cr_assert_eq (record.seconds, 1.5);
  cr_assert (assay_store_outcomes (store, index, 0, 2, &outcomes, NULL));
  cr_assert_eq (outcomes.n, 3);
  cr_assert_eq (outcomes.series[0][0], value);
  cr_assert_eq (outcomes.series[0][2], 0.1);
  cr_assert_str_eq (outcomes.omitted[1], "there were too few");
  cr_assert (
      assay_store_thumbnail (store, index, &(AssayShown){ 0, 0, 4, NULL }, &thumbnail, NULL));
  cr_assert (thumbnail != NULL && thumbnail->width == 3 && thumbnail->data[5] == 6);
  assay_thumbnail_free (thumbnail);
  assay_outcomes_clear (&outcomes);
  g_free (record.message);
}

Test (store_rows, news_arrive_whole_and_once)
{
  static const gint64 groups[] = { 3, 3, 1 };
  static const double estimates[] = { 0.5, 0.25 };
  g_autoptr (AssayStore) worker = assay_store_new_in_memory (NULL);
  g_autoptr (AssayStore) run = assay_store_new_in_memory (NULL);
  g_autoptr (GBytes) news = NULL;
  g_autoptr (GBytes) later = NULL;
  g_autoptr (GBytes) nothing = NULL;
  g_autofree char *control = NULL;
  g_autofree gint64 *found = NULL;
  g_autofree double *tuned = NULL;
  const AssayCell tuned_cell = { .defense = 1, .attack = 2 };
  const AssayTuning made = { .chosen = 1, .n = 2, .estimates = (double *) estimates };
  AssayTuning tuning;
  gsize n;

  cr_assert (assay_store_set (worker, "control.0.0", "won 1 8", NULL));
  cr_assert (assay_store_set_groups (worker, 0, 2, groups, 3, NULL));
  cr_assert (assay_store_set_tuning (worker, &tuned_cell, &made, NULL));
  finish_cell (worker, 5, 7.25);
  news = assay_store_take_rows (worker, NULL);
  cr_assert (assay_store_add_rows (run, news, NULL));
  expect_cell (run, 5, 7.25);
  cr_assert (assay_store_get (run, "control.0.0", &control, NULL));
  cr_assert_str_eq (control, "won 1 8");
  cr_assert (assay_store_groups (run, 0, 2, &found, &n, NULL));
  cr_assert (n == 3 && memcmp (found, groups, sizeof groups) == 0);
  cr_assert (assay_store_tuning (run, &tuned_cell, &tuning, NULL));
  tuned = tuning.estimates;
  cr_assert (tuning.chosen == 1 && tuning.n == 2 && tuned[1] == 0.25);

  nothing = assay_store_take_rows (worker, NULL);
  cr_assert_eq (g_bytes_get_size (nothing), 0, "news were told twice");
  finish_cell (worker, 6, 1);
  later = assay_store_take_rows (worker, NULL);
  cr_assert_lt (g_bytes_get_size (later), g_bytes_get_size (news), "facts were told twice");
  cr_assert (assay_store_add_rows (run, later, NULL));
  expect_cell (run, 6, 1);
  expect_cell (run, 5, 7.25);
}

Test (store_rows, facts_are_learned_and_not_told_back)
{
  double estimates[] = { 0.5 };
  g_autoptr (AssayStore) run = assay_store_new_in_memory (NULL);
  g_autoptr (AssayStore) worker = assay_store_new_in_memory (NULL);
  g_autoptr (GBytes) facts = NULL;
  g_autoptr (GBytes) common = NULL;
  g_autoptr (GBytes) news = NULL;
  g_autofree char *control = NULL;
  g_autofree char *other = NULL;
  g_autofree char *data = NULL;
  g_autofree double *tuned = NULL;
  const AssayTuning made = { .n = 1, .estimates = estimates };
  AssayTuning tuning;

  cr_assert (assay_store_set (run, "control.0.0", "won 1 8", NULL));
  cr_assert (assay_store_set (run, "control.1.0", "lost 0 8", NULL));
  cr_assert (assay_store_set (run, "dataset.0.sha256", "abc", NULL));
  cr_assert (assay_store_set_tuning (run, &first_cell, &made, NULL));
  facts = assay_store_facts (run, &first_cell, NULL);
  common = assay_store_common_facts (run, NULL);
  cr_assert (assay_store_learn (worker, facts, NULL) && assay_store_learn (worker, common, NULL));
  cr_assert (assay_store_get (worker, "control.0.0", &control, NULL));
  cr_assert_str_eq (control, "won 1 8");
  cr_assert (assay_store_get (worker, "control.1.0", &other, NULL));
  cr_assert_null (other, "a fact of another attack");
  cr_assert (assay_store_get (worker, "dataset.0.sha256", &data, NULL));
  cr_assert_str_eq (data, "abc");
  cr_assert (assay_store_tuning (worker, &first_cell, &tuning, NULL));
  tuned = tuning.estimates;
  cr_assert (tuned != NULL && tuning.n == 1);
  news = assay_store_take_rows (worker, NULL);
  cr_assert_eq (g_bytes_get_size (news), 0);
}

Test (store_rows, other_data_is_refused)
{
  g_autoptr (AssayStore) run = assay_store_new_in_memory (NULL);
  g_autoptr (AssayStore) worker = assay_store_new_in_memory (NULL);
  g_autoptr (GBytes) news = NULL;
  g_autoptr (GError) error = NULL;
  AssayCellRecord record = { 0 };

  cr_assert (assay_store_set (run, "dataset.0.sha256", "abc", NULL));
  cr_assert (assay_store_set (worker, "dataset.0.sha256", "xyz", NULL));
  finish_cell (worker, 0, 1);
  news = assay_store_take_rows (worker, NULL);
  cr_assert_not (assay_store_add_rows (run, news, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", error->message);
  cr_assert_not_null (strstr (error->message, "xyz"), "%s", error->message);
  cr_assert (assay_store_cell (run, 0, &record, NULL));
  cr_assert_eq (record.status, ASSAY_CELL_PENDING, "half of the news were taken");
}

/* Every length of a message that was cut, and every table and type that there is not. */
Test (store_rows, damaged_news_change_nothing)
{
  g_autoptr (AssayStore) worker = assay_store_new_in_memory (NULL);
  g_autoptr (GBytes) news = NULL;
  const guint8 *data;
  gsize size, n_refused = 0;

  finish_cell (worker, 3, 2);
  news = assay_store_take_rows (worker, NULL);
  data = g_bytes_get_data (news, &size);
  for (gsize length = 1; length < size; length++) {
    g_autoptr (AssayStore) run = assay_store_new_in_memory (NULL);
    g_autoptr (GBytes) cut = g_bytes_new (data, length);
    g_autoptr (GError) error = NULL;
    gsize n_done = 0;

    if (assay_store_add_rows (run, cut, &error))
      continue; /* cut between two rows */
    n_refused++;
    cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%zu: %s", length,
               error->message);
    cr_assert (assay_store_count_done (run, &n_done, NULL) && n_done == 0, "%zu bytes", length);
  }
  cr_assert_gt (n_refused, size / 2);
  for (guint byte = 0; byte < 2; byte++) {
    g_autoptr (AssayStore) run = assay_store_new_in_memory (NULL);
    g_autofree guint8 *changed = g_memdup2 (data, size);
    g_autoptr (GBytes) bytes = NULL;

    changed[byte] = 0xff;
    bytes = g_bytes_new (changed, size);
    cr_assert_not (assay_store_add_rows (run, bytes, NULL), "byte %u", byte);
  }
}
