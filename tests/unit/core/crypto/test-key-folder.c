/* Keys on disk: what stands there is read, from nobody else's folder, and what is no key. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/crypto/key-folder.h"
#include "core/crypto/paillier-setup.h"
#include "tests/unit/key-folder.h"

typedef struct {
  char *top, *folder, *file;
  AssayPaillierKey *key;
} Case;

static void
init_case (Case *c)
{
  const AssayStreamKey stream = assay_stream_key (5, 0, "test", "folder");

  c->top = g_dir_make_tmp ("assay-key-XXXXXX", NULL);
  c->folder = g_build_filename (c->top, "keys", NULL);
  c->file = g_build_filename (c->folder, ASSAY_KEY_FILE, NULL);
  c->key = assay_paillier_key_new (1024, &stream, NULL);
}

static void
clear_case (Case *c)
{
  g_unlink (c->file);
  g_rmdir (c->folder);
  g_rmdir (c->top);
  g_free (c->top);
  g_free (c->folder);
  g_free (c->file);
  assay_paillier_key_free (c->key);
}

static void
assert_refused (gboolean is_done, GError **error, const char *words)
{
  cr_assert (!is_done, "not refused: %s", words);
  cr_assert (g_error_matches (*error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", (*error)->message);
  cr_assert (strstr ((*error)->message, words) != NULL, "%s", (*error)->message);
  g_clear_error (error);
}

static gboolean
can_load (const char *folder, GError **error)
{
  g_autoptr (AssayPaillierKey) key = assay_key_folder_load (folder, error);

  return key != NULL;
}

Test (key_folder, is_read)
{
  g_autoptr (AssayPaillierKey) again = NULL;
  g_autoptr (GError) error = NULL;
  Case c;

  init_case (&c);
  store_key (c.key, c.folder);
  again = assay_key_folder_load (c.folder, &error);
  cr_assert (again != NULL && mpz_cmp (again->p, c.key->p) == 0 && mpz_cmp (again->q, c.key->q) == 0
             && again->is_reproducible);
  clear_case (&c);
}

Test (key_folder, others_cannot_read)
{
  g_autoptr (GError) error = NULL;
  Case c;

  init_case (&c);
  assert_refused (can_load (c.folder, &error), &error, "keys: there is no such folder");
  store_key (c.key, c.folder);
  g_chmod (c.folder, 0750);
  assert_refused (can_load (c.folder, &error), &error,
                  "keys can be read by others (mode 0750): a key is its owner's alone; chmod 700");
  g_unlink (c.file);
  g_chmod (c.folder, 0700);
  assert_refused (can_load (c.folder, &error), &error, "keys/key: there is no such file");
  store_key (c.key, c.folder);
  g_chmod (c.file, 0604);
  assert_refused (can_load (c.folder, &error), &error, "keys/key can be read by others");
  clear_case (&c);
}

Test (key_folder, what_is_no_key)
{
  static const struct {
    const char *text, *words;
  } cases[] = {
    { "", "k: a key has 5 lines" },
    { "assay paillier key 2\nbits 1024\nrandomness system\np 3\nq 7\n",
      "k:1: expected 'assay paillier key 1'" },
    { "assay paillier key 1\nbits 1000\nrandomness system\np 3\nq 7\n", "k:2: expected 'bits'" },
    { "assay paillier key 1\nbits 1024\nrandomness dice\np 3\nq 7\n",
      "k:3: expected 'randomness'" },
    { "assay paillier key 1\nbits 1024\nrandomness system\np 3\nq -7\n", "k:4: expected two" },
    { "assay paillier key 1\nbits 1024\nrandomness system\np 3\nq 7\n",
      "k: two numbers that are not the factors of a Paillier key: they are not half as long" },
    { "assay paillier key 1\nbits 1024\nrandomness system\np 3\nq 7\nmore\n",
      "k: a key has 5 lines" },
  };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_refused (assay_key_folder_parse (cases[i].text, strlen (cases[i].text), "k", &error)
                        != NULL,
                    &error, cases[i].words);
  assert_refused (assay_key_folder_parse ("a\0b", 3, "k", &error) != NULL, &error,
                  "k: not a file with a Paillier key");
}

/* A key that a seed gives again is for audits, wherever it lies. */
Test (key_folder, a_report_says_that_a_key_is_reproducible)
{
  g_autofree char *other = NULL, *file = NULL;
  g_autoptr (AssayPaillierKey) key = assay_paillier_key_new (1024, NULL, NULL);
  Case c;

  init_case (&c);
  other = g_build_filename (c.top, "other", NULL);
  file = g_build_filename (other, ASSAY_KEY_FILE, NULL);
  store_key (c.key, c.folder);
  store_key (key, other);
  cr_assert_str_eq (assay_paillier_remark (""), ASSAY_PAILLIER_SEED_REMARK);
  cr_assert_str_eq (assay_paillier_remark (c.folder), ASSAY_PAILLIER_SEED_REMARK);
  cr_assert_null (assay_paillier_remark (other));
  cr_assert_null (assay_paillier_remark (c.top));
  g_unlink (file);
  g_rmdir (other);
  clear_case (&c);
}
