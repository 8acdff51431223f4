/* Which kernels of libraries results depend on in their last digits: OpenBLAS's and oneDNN's. Both
 * choose by processor; cli/environment.c says how they are kept from it. */
#pragma once

/* One line, such as "OpenBLAS 0.3.21 ... Haswell MAX_THREADS=64, oneDNN 2.6.3 AVX2". */
const char *assay_kernels_describe (void);
