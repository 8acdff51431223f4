/* assay-confine: gives up what a program of others is not to have, and becomes that program.
 *
 *   assay-confine [--alone] [--write FOLDER]... -- PROGRAM ARGUMENT...
 *   assay-confine [--alone] --offers
 *
 * It is started within bubblewrap, whose read-only mounts still let FIFOs and sockets in the file
 * system be written to, and takes away what they leave:
 * - by Landlock, writing and making anything but below the FOLDERs and to a few devices: a FIFO
 *   that lies elsewhere cannot be opened for writing either;
 * - by seccomp, sockets of the file system, of the kernel and of virtual machines, and the calls
 *   that look into other processes, watch files that these open or have read, change mounts and
 *   namespaces, load code into the kernel, keep keys, hold memory that no limit sees (System V) or
 *   send files past these rules (io_uring).
 * With --alone, where there is no bubblewrap, all sockets go, too, and capabilities, signals to
 * processes that are not the program's, their limits, and names that files carry (xattr). It stays
 * as the parent of the program then, to end what outlives it; SIGTERM ends all at once.
 *
 * A program of its own and not a function between fork and exec, because Landlock would keep
 * bubblewrap from mounting. Its own failures end with status 125 and a line that begins with
 * "assay-confine: "; --offers prints what this kernel has of both, in words. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED 125        /* as env, timeout and chroot have it */
#define WHOLE UINT32_MAX /* of an int */

/* Later interfaces than the oldest headers that this is compiled with. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

/* Numbers on every architecture, which libseccomp does not know yet. */
#define CACHESTAT 451
#define SETXATTRAT 463
#define REMOVEXATTRAT 466
#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x8
#endif

#define WRITES                                                                                     \
  (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE  \
   | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG      \
   | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK   \
   | LANDLOCK_ACCESS_FS_MAKE_SYM)

#define SCOPE_SIGNALS (1ULL << 1) /* LANDLOCK_SCOPE_SIGNAL, from version 6 on */

/* struct landlock_ruleset_attr, as later headers have it. */
typedef struct {
  uint64_t files, network, scopes;
} Ruleset;

/* Devices that programs write to; below /dev/shm they have a file system of their own within
 * bubblewrap. */
static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/tty" };

static const int refused_calls[] = {
  SCMP_SYS (ptrace),
  SCMP_SYS (process_vm_readv),
  SCMP_SYS (process_vm_writev),
  SCMP_SYS (kcmp),
  SCMP_SYS (pidfd_getfd),
  SCMP_SYS (bpf),
  SCMP_SYS (perf_event_open),
  SCMP_SYS (userfaultfd),
  SCMP_SYS (io_uring_setup),
  SCMP_SYS (io_uring_enter),
  SCMP_SYS (io_uring_register),
  SCMP_SYS (keyctl),
  SCMP_SYS (add_key),
  SCMP_SYS (request_key),
  SCMP_SYS (mount),
  SCMP_SYS (umount2),
  SCMP_SYS (pivot_root),
  SCMP_SYS (move_mount),
  SCMP_SYS (open_tree),
  SCMP_SYS (fsopen),
  SCMP_SYS (fsmount),
  SCMP_SYS (fsconfig),
  SCMP_SYS (fspick),
  SCMP_SYS (mount_setattr),
  SCMP_SYS (unshare),
  SCMP_SYS (setns),
  SCMP_SYS (chroot),
  SCMP_SYS (init_module),
  SCMP_SYS (finit_module),
  SCMP_SYS (delete_module),
  SCMP_SYS (kexec_load),
  SCMP_SYS (kexec_file_load),
  SCMP_SYS (quotactl),
  SCMP_SYS (acct),
  SCMP_SYS (swapon),
  SCMP_SYS (swapoff),
  SCMP_SYS (reboot),
  SCMP_SYS (syslog),
  SCMP_SYS (fanotify_init),
  SCMP_SYS (inotify_init),
  SCMP_SYS (inotify_init1),
  SCMP_SYS (open_by_handle_at),
  SCMP_SYS (name_to_handle_at),
  SCMP_SYS (mincore),
  CACHESTAT,
  SCMP_SYS (shmget),
  SCMP_SYS (msgget),
  SCMP_SYS (semget),
};

/* Without bubblewrap, whose mounts are read-only. */
static const int refused_alone[] = {
  SCMP_SYS (setxattr),    SCMP_SYS (lsetxattr),    SCMP_SYS (fsetxattr),    SETXATTRAT,
  SCMP_SYS (removexattr), SCMP_SYS (lremovexattr), SCMP_SYS (fremovexattr), REMOVEXATTRAT,
};

typedef struct {
  int is_alone;    /* without bubblewrap */
  char **writable; /* the FOLDERs; NULL ends */
} Rules;

static _Noreturn void
fail (const char *what)
{
  fprintf (stderr, "assay-confine: %s: %s\n", what, strerror (errno));
  exit (FAILED);
}

/* ---- Landlock ---- */

/* The version of the kernel's interface; 0 where it has none. */
static int
landlock_version (void)
{
  const long version
      = syscall (SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

  return version > 0 ? (int) version : 0;
}

/* A path that is not there is none to be allowed. */
static void
allow (int ruleset, const char *path, uint64_t access)
{
  struct landlock_path_beneath_attr rule = { .allowed_access = access };

  rule.parent_fd = open (path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0)
    return;
  if (syscall (SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
    fail (path);
  close (rule.parent_fd);
}

static void
restrict_writing (const Rules *rules)
{
  const int version = landlock_version ();
  const uint64_t later = (version >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0)
                         | (version >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0);
  const uint64_t of_files = LANDLOCK_ACCESS_FS_WRITE_FILE | (later & LANDLOCK_ACCESS_FS_TRUNCATE);
  const Ruleset attributes
      = { .files = WRITES | later, .scopes = rules->is_alone && version >= 6 ? SCOPE_SIGNALS : 0 };
  int ruleset;

  if (version == 0)
    return;
  ruleset = (int) syscall (SYS_landlock_create_ruleset, &attributes,
                           version >= 6 ? sizeof attributes : sizeof attributes.files, 0);
  if (ruleset < 0)
    fail ("Landlock");
  for (char **folder = rules->writable; *folder != NULL; folder++)
    allow (ruleset, *folder, WRITES | later);
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
    allow (ruleset, devices[i], of_files);
  if (!rules->is_alone)
    allow (ruleset, "/dev/shm", WRITES | later);
  if (syscall (SYS_landlock_restrict_self, ruleset, 0) != 0)
    fail ("Landlock");
  close (ruleset);
}

/* ---- seccomp ---- */

static void
refuse (scmp_filter_ctx filter, int call)
{
  if (seccomp_rule_add (filter, SCMP_ACT_ERRNO (EPERM), call, 0) != 0)
    fail ("seccomp");
}

static void
refuse_if (scmp_filter_ctx filter, int call, struct scmp_arg_cmp argument)
{
  if (seccomp_rule_add_array (filter, SCMP_ACT_ERRNO (EPERM), call, 1, &argument) != 0)
    fail ("seccomp");
}

/* Where the @mask of an argument is @value. Of an int the kernel reads 32 bits and a filter 64: a
 * program may set those that nobody else reads. */
static void
refuse_where (scmp_filter_ctx filter, int call, unsigned int argument, uint32_t mask,
              uint32_t value)
{
  refuse_if (filter, call, (struct scmp_arg_cmp){ argument, SCMP_CMP_MASKED_EQ, mask, value });
}

/* Families of which only some are left, and none that is later than this was compiled; of pairs
 * those alone that cannot send to others: the kernel takes SOCK_RAW for SOCK_DGRAM. */
static void
refuse_sockets (scmp_filter_ctx filter, int is_alone)
{
  const uint32_t of_type = 0xf; /* the rest of the argument are flags */

  if (is_alone)
    refuse (filter, SCMP_SYS (socket));
  for (uint32_t family = 0; family < AF_MAX; family++) {
    if (!is_alone && family != AF_INET && family != AF_INET6)
      refuse_where (filter, SCMP_SYS (socket), 0, WHOLE, family);
    if (family != AF_UNIX)
      refuse_where (filter, SCMP_SYS (socketpair), 0, WHOLE, family);
  }
  if (!is_alone)
    refuse_if (filter, SCMP_SYS (socket), SCMP_A0 (SCMP_CMP_GE, AF_MAX, 0));
  for (uint32_t type = 0; type <= of_type; type++)
    if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
      refuse_where (filter, SCMP_SYS (socketpair), 1, of_type, type);
}

/* What tells when another process opens a file, or that one has read it: it is in memory then. */
static void
refuse_watching (scmp_filter_ctx filter)
{
  refuse_where (filter, SCMP_SYS (fcntl), 1, WHOLE, F_NOTIFY);
  refuse_where (filter, SCMP_SYS (fcntl), 1, WHOLE, F_SETLEASE);
  refuse_where (filter, SCMP_SYS (preadv2), 5, RWF_NOWAIT, RWF_NOWAIT);
}

static void
refuse_alone (scmp_filter_ctx filter)
{
  for (size_t i = 0; i < sizeof refused_alone / sizeof *refused_alone; i++)
    refuse (filter, refused_alone[i]);
  refuse_if (filter, SCMP_SYS (prlimit64), SCMP_A0 (SCMP_CMP_NE, 0, 0)); /* of another process */
}

/* New namespaces would be a place where capabilities, and so mounts, come back. What clone3 is
 * asked stands in memory that a filter cannot read: it is as if the kernel had none, and libraries
 * take clone. */
static void
refuse_namespaces (scmp_filter_ctx filter)
{
  const scmp_datum_t kinds[] = { CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                 CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP };
  int is_ok = seccomp_rule_add (filter, SCMP_ACT_ERRNO (ENOSYS), SCMP_SYS (clone3), 0) == 0;

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    is_ok &= seccomp_rule_add (filter, SCMP_ACT_ERRNO (EPERM), SCMP_SYS (clone), 1,
                               SCMP_A0 (SCMP_CMP_MASKED_EQ, kinds[i], kinds[i]))
             == 0;
  if (!is_ok)
    fail ("seccomp");
}

/* A system call of another architecture than the program's ends it: the rules are for this one. */
static void
restrict_calls (const Rules *rules)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_ALLOW);

  if (filter == NULL)
    fail ("seccomp");
  for (size_t i = 0; i < sizeof refused_calls / sizeof *refused_calls; i++)
    refuse (filter, refused_calls[i]);
  refuse_sockets (filter, rules->is_alone);
  refuse_watching (filter);
  /* Assay could not see any more what it has open. */
  refuse_where (filter, SCMP_SYS (prctl), 0, WHOLE, PR_SET_DUMPABLE);
  if (rules->is_alone)
    refuse_alone (filter);
  refuse_namespaces (filter);
  if (seccomp_load (filter) != 0)
    fail ("seccomp");
  seccomp_release (filter);
}

/* ---- Without bubblewrap ---- */

/* Root's: they would open what its owner has closed, and the memory of other processes. */
static void
give_up_capabilities (void)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

  if (syscall (SYS_capset, &header, none) != 0)
    fail ("capabilities");
}

static volatile sig_atomic_t is_to_end;

static void
on_term (int signal)
{
  is_to_end = signal;
}

/* Its children, among them all of the program's processes that have lost their parents. */
static void
kill_children (void)
{
  FILE *file = fopen ("/proc/thread-self/children", "re");
  int child;

  while (file != NULL && fscanf (file, "%d", &child) == 1)
    kill (child, SIGKILL);
  if (file != NULL)
    fclose (file);
}

/* Ends as the program does, after all that it started: a status of 128 + N is signal N. */
static _Noreturn void
watch (pid_t program)
{
  int status = 0, own = FAILED << 8;
  pid_t ended;

  do {
    ended = wait (&status);
    if (ended == program)
      own = status;
  } while (!is_to_end && ended != program && (ended > 0 || errno == EINTR));
  do
    kill_children ();
  while (wait (&status) > 0 || errno == EINTR);
  _exit (WIFSIGNALED (own) ? 128 + WTERMSIG (own) : WEXITSTATUS (own));
}

/* Returns in a process of its own for the program. A killed Assay is told by SIGTERM from here on,
 * so that what outlives the program ends then, too. */
static void
stay_behind (void)
{
  const struct sigaction action = { .sa_handler = on_term };
  const pid_t self = getpid ();
  pid_t program;

  if (sigaction (SIGTERM, &action, NULL) != 0 || prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0
      || prctl (PR_SET_PDEATHSIG, SIGTERM) != 0 || (program = fork ()) < 0)
    fail ("beginning");
  if (program > 0)
    watch (program);
  signal (SIGTERM, SIG_DFL);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != self)
    exit (FAILED);
}

/* ---- The command ---- */

static void
restrict_all (const Rules *rules)
{
  if (rules->is_alone)
    give_up_capabilities ();
  restrict_writing (rules);
  restrict_calls (rules);
}

static int
print_offers (const Rules *rules)
{
  restrict_all (rules);
  printf ("%sseccomp\n", landlock_version () > 0 ? "Landlock, " : "");
  return 0;
}

int
main (int argc, char **argv)
{
  char **writable = calloc ((size_t) argc + 1, sizeof *writable);
  Rules rules = { .writable = writable };
  int i = 1, n = 0;

  if (writable == NULL || prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    fail ("beginning");
  if (i < argc && strcmp (argv[i], "--alone") == 0)
    rules.is_alone = 1, i++;
  for (; i + 1 < argc && strcmp (argv[i], "--write") == 0; i += 2)
    writable[n++] = argv[i + 1];
  if (i + 1 == argc && strcmp (argv[i], "--offers") == 0)
    return print_offers (&rules);
  if (i + 1 >= argc || strcmp (argv[i], "--") != 0) {
    fprintf (stderr, "usage: assay-confine [--alone] [--write FOLDER]... -- PROGRAM ...\n");
    return FAILED;
  }
  if (rules.is_alone)
    stay_behind ();
  restrict_all (&rules);
  execvp (argv[i + 1], argv + i + 1);
  fail (argv[i + 1]);
}
