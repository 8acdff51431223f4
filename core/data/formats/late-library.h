/* Libraries that are loaded when they are first needed. libcurl and libarchive bring 35 others,
 * which took 25 of the 43 ms in which the program starts, and one command needs them; FLINT, which
 * one attack needs, took 8 of 22 ms. They are named by their sonames, of which those of the first
 * two stand since 2006 and 2012; types are those of their headers. */
#pragma once

#include <gmodule.h>

#include "core/base/error.h"

/* Declares @symbol, whose members are pointers to the functions that FUNCTIONS (X) lists, each as
 * X (name); load them with ASSAY_LATE_LIBRARY_LOAD before a call. */
#define ASSAY_LATE_LIBRARY(symbol, FUNCTIONS)                                                      \
  static const char *const symbol##_names[] = { FUNCTIONS (ASSAY_LATE_NAME) NULL };                \
  static union {                                                                                   \
    gpointer addresses[G_N_ELEMENTS (symbol##_names)];                                             \
    struct {                                                                                       \
      FUNCTIONS (ASSAY_LATE_POINTER)                                                               \
    };                                                                                             \
  } symbol
#define ASSAY_LATE_NAME(name) #name,
#define ASSAY_LATE_POINTER(name) __typeof__ (name) *name;

/* FALSE with ASSAY_ERROR_IO where the library, or one of the functions, is not there. It stays
 * loaded. By one thread. */
#define ASSAY_LATE_LIBRARY_LOAD(symbol, soname, error)                                             \
  assay_late_library_load (soname, symbol##_names, symbol.addresses, error)

gboolean assay_late_library_load (const char *soname, const char *const *names,
                                  gpointer *ret_addresses, GError **error);
