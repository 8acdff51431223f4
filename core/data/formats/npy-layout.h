/* How numbers stand in a .npy file, and how they become numbers of an array.
 *
 * Arrays hold float32, float64, uint8, int32 and int64 of this machine, in C order: files of these
 * are mapped. All else that NumPy writes and that loses nothing is copied into the next type that
 * holds it: float16 into float32; int8, int16 and uint16 into int32; uint32 and uint64 into int64;
 * bool into uint8; other byte orders and Fortran order into ours. Files of more than memory holds
 * are therefore best written as float32 or float64. */
#pragma once

#include "core/data/array.h"

typedef struct {
  AssayType type; /* of the array */
  char kind;      /* 'f', 'i', 'u', 'b' */
  guint8 size;    /* bytes of a stored number */
  gboolean is_swapped;
  gboolean is_fortran;
} AssayNpyLayout;

/* Of "<f4". FALSE: what no array holds. */
gboolean assay_npy_layout_parse (const char *descr, AssayNpyLayout *ret_layout);
char *assay_npy_layout_name (const AssayNpyLayout *layout); /* "float16", as NumPy says it */
/* Whether the stored bytes are those of an array. */
gboolean assay_npy_layout_is_native (const AssayNpyLayout *layout);
/* The numbers that stand at @stored, in the array's type and order, to be freed with g_free.
 * ASSAY_ERROR_DATA: a number beyond int64, with its place. */
gboolean assay_npy_layout_convert (const AssayNpyLayout *layout, guint n_dimensions,
                                   const gsize *shape, const guint8 *stored, gpointer *ret_numbers,
                                   GError **error);
