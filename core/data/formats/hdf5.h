/* Arrays in HDF5 files, read by the HDF5 library, which is loaded when the first is opened. A
 * program that was built without its headers refuses them, and says so. */
#pragma once

#include "core/data/array.h"

/* The dataset @wanted of the file @path ("train/images"); NULL: the only one, whose
 * name is *ret_name. Numbers keep their type,
 * or get the next that holds them, as those of .npy do (core/data/formats/npy-layout.h).
 * ASSAY_ERROR_DATA, without the file's name: not HDF5, no such dataset (with all there are), more
 * than four dimensions, what are no numbers, or a number beyond int64; ASSAY_ERROR_IO: the library
 * is not there. */
AssayArray *assay_hdf5_read (const char *path, const char *wanted, char **ret_name, GError **error);
