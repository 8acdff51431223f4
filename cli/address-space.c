/* A limit on the address space (ulimit -v) that leaves OpenBLAS no room for the buffer of each of
 * its threads: it then asks for memory again and again, for ever, before main begins. So this looks
 * first: it is called before the libraries are set up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"

#define MIB ((size_t) 1 << 20)
/* On x86-64 (BUFFER_SIZE of OpenBLAS 0.3), and a thread's stack. */
#define BYTES_OF_A_THREAD ((size_t) 136 * MIB)

/* As many threads as OpenBLAS will start. */
static size_t
count_threads (void)
{
  static const char *const names[]
      = { "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS" };
  const long n_processors = sysconf (_SC_NPROCESSORS_ONLN);
  size_t n = n_processors > 0 ? (size_t) n_processors : 1;

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = getenv (names[i]);
    const long asked = text != NULL ? strtol (text, NULL, 10) : 0;

    if (asked > 0)
      return (size_t) asked < n ? (size_t) asked : n;
  }
  return n;
}

static void
look_at_address_space (int argc, char **argv, char **environment)
{
  struct rlimit limit;
  char message[200];
  size_t size;
  void *room;

  (void) argc, (void) argv, (void) environment;
  if (getrlimit (RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return;
  size = count_threads () * BYTES_OF_A_THREAD;
  room = mmap (NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room != MAP_FAILED) {
    munmap (room, size);
    return;
  }
  snprintf (message, sizeof message,
            "assay: address space is limited to %zu MiB (ulimit -v), and OpenBLAS alone takes %zu "
            "MiB; expected no limit, a higher one, or a lower OPENBLAS_NUM_THREADS\n",
            (size_t) limit.rlim_cur / MIB, size / MIB);
  _exit (write (STDERR_FILENO, message, strlen (message)) < 0 ? EXIT_BAD_INPUT : EXIT_UNFINISHED);
}

__attribute__ ((section (".preinit_array"), used)) static void (*const look_first) (int, char **,
                                                                                    char **)
    = look_at_address_space;
