/* Loops that the compiler makes vectors of, for the processor that the program finds itself on.
 *
 * A function marked ASSAY_VECTORISED is compiled twice, for any x86-64 and for AVX2, and the
 * dynamic linker picks one. Both give the same bits: whole numbers and the basic operations of
 * IEEE 754 do not depend on the width of a vector, sums of floating-point numbers are not
 * reordered, and multiplications and additions are never fused (-ffp-contract=off; AVX2 without
 * FMA). So only speed depends on the machine.
 *
 * The function is static, and no other that is so marked has its name: clang 14 gives what picks
 * one a global name made of it.
 *
 * Elsewhere, and under ThreadSanitizer, whose runtime is not up when the linker asks, they are
 * compiled once. */
#pragma once

#include <glib.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ASSAY_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define ASSAY_THREAD_SANITIZER 1
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(ASSAY_THREAD_SANITIZER)
#define ASSAY_VECTORISED __attribute__ ((target_clones ("avx2", "default")))
#else
#define ASSAY_VECTORISED
#endif
