/* The memory of the process that a test runs in, for promises about how much a search holds. */
#pragma once

#include <criterion/criterion.h>
#include <glib.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

/* AddressSanitizer keeps what is freed, so that there is nothing to measure. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define IS_ADDRESS_SANITIZED TRUE
#else
#define IS_ADDRESS_SANITIZED FALSE
#endif

/* A line of /proc/self/status, in bytes. */
static inline gint64
memory_status (const char *name)
{
  g_autofree char *text = NULL;
  const char *line;

  cr_assert (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  line = strstr (text, name);
  cr_assert (line != NULL);
  return g_ascii_strtoll (line + strlen (name), NULL, 10) * 1024;
}

/* Gives back what was freed, or it would be counted as held before, and sets the peak back to what
 * is held then, which is returned: proc(5), clear_refs. */
static inline gint64
memory_before (void)
{
  FILE *file;

  malloc_trim (0);
  file = fopen ("/proc/self/clear_refs", "w");
  cr_assert (file != NULL && fputs ("5", file) >= 0 && fclose (file) == 0);
  return memory_status ("VmRSS:");
}

/* Bytes held at most since @before was returned, beyond it. */
static inline gint64
memory_since (gint64 before)
{
  return memory_status ("VmHWM:") - before;
}
