/* Loading plugins that were compiled out of the tree.
 *
 * A shared object is looked at before it is handed to the dynamic linker, which maps what the
 * headers of a truncated file promise and then dies of SIGBUS. Everything that it needs is bound at
 * once, so that a symbol which this program lacks is found here and not in the middle of a run. */
#include "core/plugin/modules/module-loader.h"

#include <elf.h>
#include <glib.h>
#include <gmodule.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/plugin/module.h"
#include "core/plugin/plugin-check.h"
#include "core/plugin/registry.h"

#define SUFFIX ".so"

typedef struct {
  GHashTable *seen; /* files by their real path */
  GPtrArray *refusals;
} Loader;

/* ---- Whose code it is ---- */

static gboolean
check_place (const char *place, GError **error)
{
  struct stat about;
  gboolean by_others;

  if (stat (place, &about) != 0)
    return TRUE; /* whoever opens it says so */
  if (about.st_uid != 0 && about.st_uid != geteuid ())
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "is not loaded: %s belongs to another user (number %u), who could put other "
                       "code there; expected a place of yours or of root",
                       place, about.st_uid);
  by_others
      = (about.st_mode & S_IWOTH) != 0
        || ((about.st_mode & S_IWGRP) != 0 && about.st_gid != 0 && about.st_gid != getegid ());
  return !by_others || (S_ISDIR (about.st_mode) && (about.st_mode & S_ISVTX) != 0)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "is not loaded: %s can be written by others (mode %04o), who could put "
                        "other code there; expected chmod go-w",
                        place, about.st_mode & 07777);
}

/* That nobody but the user of this process and root can change the file @path, which is absolute:
 * neither it nor any folder on the way to it is another user's, or writable by others. The user's
 * own group counts as the user, because many systems give every user one; in a folder with the
 * sticky bit, as /tmp is, others cannot replace what is not theirs. ASSAY_ERROR_DATA names what is
 * wrong. */
static gboolean
module_check_trust (const char *path, GError **error)
{
  g_autofree char *place = g_strdup (path);

  while (check_place (place, error)) {
    char *above;

    if (strcmp (place, "/") == 0)
      return TRUE;
    above = g_path_get_dirname (place);
    g_free (place);
    place = above;
  }
  return FALSE;
}

/* ---- Where they are ---- */

char *
assay_modules_installed_folder (const char *bindir, const char *libdir)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : NULL;
  g_autofree char *end = g_strconcat ("/", bindir, NULL);

  if (folder == NULL || !g_str_has_suffix (folder, end))
    return NULL;
  if (g_path_is_absolute (libdir))
    return g_build_filename (libdir, "assay", "plugins", NULL);
  folder[strlen (folder) - strlen (end) + 1] = '\0';
  return g_build_filename (folder, libdir, "assay", "plugins", NULL);
}

/* ---- One file ---- */

/* That @content is a whole shared object; for which machine, the dynamic linker checks. */
static gboolean
check_elf (const char *content, gsize length, GError **error)
{
  ElfW (Ehdr) header;

  if (length < sizeof header || memcmp (content, ELFMAG, SELFMAG) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "is no shared object");
  memcpy (&header, content, sizeof header);
  if (header.e_ident[EI_CLASS] != (sizeof (gpointer) == 8 ? ELFCLASS64 : ELFCLASS32)
      || header.e_type != ET_DYN || header.e_phentsize != sizeof (ElfW (Phdr)))
    return assay_fail (error, ASSAY_ERROR_DATA, "is no shared object for this machine");
  for (guint i = 0; i < header.e_phnum; i++) {
    const guint64 at = header.e_phoff + (guint64) i * sizeof (ElfW (Phdr));
    ElfW (Phdr) segment;

    if (at < header.e_phoff || at > length - sizeof segment)
      return assay_fail (error, ASSAY_ERROR_DATA, "is a truncated shared object");
    memcpy (&segment, content + at, sizeof segment);
    if (segment.p_filesz > length || segment.p_offset > length - segment.p_filesz)
      return assay_fail (error, ASSAY_ERROR_DATA, "is a truncated shared object");
  }
  return TRUE;
}

static char *
hash_file (const char *path, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (GMappedFile) file = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "is no regular file; expected a shared object");
  file = g_mapped_file_new (path, FALSE, &problem);
  if (file == NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "cannot be read: %s", problem->message);
  if (!check_elf (g_mapped_file_get_contents (file), g_mapped_file_get_length (file), error))
    return NULL;
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256,
                                      (const guchar *) g_mapped_file_get_contents (file),
                                      g_mapped_file_get_length (file));
}

/* What the dynamic linker said, without the path that it begins with. */
static const char *
linker_message (const char *path)
{
  const char *message = g_module_error ();

  if (message != NULL && g_str_has_prefix (message, path)) {
    message += strlen (path);
    message += strspn (message, ": ");
  }
  return message != NULL ? message : "no reason was given";
}

/* The sizes of this program's types, with their names, against those of the module's. */
static gboolean
check_layout (const AssayModule *module, GError **error)
{
#define NAMED_SIZE(Type) { #Type, (guint32) sizeof (Type) },
  static const struct {
    const char *name;
    guint32 size;
  } own[] = { ASSAY_MODULE_TYPES (NAMED_SIZE) };
#undef NAMED_SIZE

  if (module->abi != ASSAY_PLUGIN_ABI)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "was compiled for plugin ABI %u; expected %u: compile it with the headers "
                       "of this Assay",
                       module->abi, ASSAY_PLUGIN_ABI);
  for (guint i = 0; i < MIN (module->n_sizes, G_N_ELEMENTS (own)); i++)
    if (module->sizes[i] != own[i].size)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "was compiled with other headers: its %s has %u bytes; expected %u: "
                         "compile it with the headers of this Assay",
                         own[i].name, module->sizes[i], own[i].size);
  return module->n_sizes == G_N_ELEMENTS (own)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "was compiled with other headers: compile it with those of this Assay");
}

static gboolean
check_plugins (const AssayModule *module, GError **error)
{
  if (module->plugins == NULL || module->plugins[0] == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "offers no plugin");
  for (guint i = 0; module->plugins[i] != NULL; i++)
    if ((guint) (module->plugins[i]->type - 1) >= ASSAY_N_PLUGIN_TYPES - 1)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "its plugin number %u is of no type that there is", i + 1);
    else if (!assay_plugin_check (module->plugins[i], error))
      return FALSE;
  return TRUE;
}

/* The plugins of @module into the registry; those before one that is refused stay in it. */
static gboolean
register_plugins (const AssayModule *module, const AssayPluginOrigin *origin, GError **error)
{
  for (guint i = 0; module->plugins[i] != NULL; i++)
    if (!assay_registry_add (module->plugins[i], origin, error))
      return FALSE;
  return TRUE;
}

static GPtrArray *
loaded_files (void)
{
  static GPtrArray *files;

  if (files == NULL)
    files = g_ptr_array_new ();
  return files;
}

const GPtrArray *
assay_modules_loaded (void)
{
  return loaded_files ();
}

static void
add_loaded (const AssayPluginOrigin *origin)
{
  AssayPluginOrigin *file = g_new (AssayPluginOrigin, 1);

  *file = (AssayPluginOrigin){ g_strdup (origin->path), g_strdup (origin->sha256) };
  g_ptr_array_add (loaded_files (), file);
}

static gboolean
load_file (const char *path, GError **error)
{
  g_autofree char *sha256 = hash_file (path, error);
  const AssayPluginOrigin origin = { (char *) path, sha256 };
  gpointer symbol;
  GModule *module;

  if (sha256 == NULL || !module_check_trust (path, error))
    return FALSE;
  module = g_module_open (path, G_MODULE_BIND_LOCAL);
  if (module == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "cannot be loaded: %s", linker_message (path));
  add_loaded (&origin); /* from here on its code has run */
  /* Its threads and its descriptors may be in use until the end. */
  g_module_make_resident (module);
  if (!g_module_symbol (module, ASSAY_MODULE_SYMBOL, &symbol) || symbol == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "is no plugin: it has no symbol " ASSAY_MODULE_SYMBOL
                       "; expected ASSAY_MODULE (...) of core/plugin/module.h in it");
  return check_layout (symbol, error) && check_plugins (symbol, error)
         && register_plugins (symbol, &origin, error);
}

/* ---- Folders ---- */

static void
refuse (Loader *loader, const char *path, const char *reason)
{
  g_ptr_array_add (loader->refusals, g_strdup_printf ("%s: %s", path, reason));
}

/* A path that the dynamic linker takes for one, and does not look for. */
static char *
canonical_path (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_canonicalize_filename (path, NULL);
}

static void
load_folder (Loader *loader, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (dir == NULL) {
    refuse (loader, folder,
            g_file_test (folder, G_FILE_TEST_IS_DIR)   ? "the folder cannot be read"
            : g_file_test (folder, G_FILE_TEST_EXISTS) ? "expected a folder of plugins"
                                                       : "no such folder");
    return;
  }
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, SUFFIX))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, assay_compare_strings);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = canonical_path (folder, names->pdata[i]);
    char *real = realpath (path, NULL);
    g_autoptr (GError) error = NULL;

    if (real != NULL && !g_hash_table_add (loader->seen, real))
      continue;
    if (!load_file (path, &error))
      refuse (loader, path, error->message);
  }
}

char **
assay_modules_load (const char *path, const char *installed)
{
  g_auto (GStrv) folders = g_strsplit (path != NULL ? path : "", G_SEARCHPATH_SEPARATOR_S, -1);
  Loader loader = { .seen = g_hash_table_new_full (g_str_hash, g_str_equal, free, NULL),
                    .refusals = g_ptr_array_new () };

  for (guint i = 0; folders[i] != NULL; i++)
    if (*folders[i] != '\0')
      load_folder (&loader, folders[i]);
  if (installed != NULL && g_file_test (installed, G_FILE_TEST_EXISTS))
    load_folder (&loader, installed);
  g_hash_table_unref (loader.seen);
  if (loader.refusals->len == 0) {
    g_ptr_array_unref (loader.refusals);
    return NULL;
  }
  g_ptr_array_add (loader.refusals, NULL);
  return (char **) g_ptr_array_free (loader.refusals, FALSE);
}
