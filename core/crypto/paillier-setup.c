/* Keys, and what works with them. */
#include "core/crypto/paillier-setup.h"

#include "core/crypto/key-folder.h"

const guint assay_paillier_lengths[] = { 1024, 2048, 3072 };
const char *const assay_paillier_length_names[] = { "1024", "2048", "3072", NULL };

AssayPaillierSetup *
assay_paillier_setup_new (const AssayPaillierChoice *choice, const AssayStreamKey *stream,
                          GError **error)
{
  const gboolean has_folder = choice->folder != NULL && choice->folder[0] != '\0';
  AssayPaillierKey *key
      = has_folder ? assay_key_folder_load (choice->folder, error)
                   : assay_paillier_key_new (assay_paillier_lengths[choice->length], &choice->seed,
                                             error);
  AssayPaillierSetup *setup;

  if (key == NULL)
    return NULL;
  setup = g_new0 (AssayPaillierSetup, 1);
  setup->key = key;
  setup->encryptor = assay_paillier_encryptor_new (&key->public_key,
                                                   (AssayPaillierRandomness) choice->randomness,
                                                   ASSAY_POWER_FASTEST, stream);
  setup->decryptor = assay_paillier_decryptor_new (key, ASSAY_POWER_FASTEST);
  return setup;
}

ASSAY_FREE_FUNC (AssayPaillierSetup, assay_paillier_setup_free,
                 assay_paillier_encryptor_free (self->encryptor),
                 assay_paillier_decryptor_free (self->decryptor),
                 assay_paillier_key_free (self->key))

const char *
assay_paillier_remark (const char *folder)
{
  AssayPaillierKey *key;
  gboolean is_reproducible;

  if (*folder == '\0')
    return ASSAY_PAILLIER_SEED_REMARK;
  key = assay_key_folder_load (folder, NULL);
  is_reproducible = key != NULL && key->is_reproducible;
  g_clear_pointer (&key, assay_paillier_key_free);
  return is_reproducible ? ASSAY_PAILLIER_SEED_REMARK : NULL;
}
