#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

// What the C library declares only under _GNU_SOURCE, which a module must not set for those who import it.

enum {
    /// `O_TMPFILE`: a file without a name.
    openWithoutName = 020000000 | O_DIRECTORY,
    /// `RENAME_NOREPLACE`: nothing is replaced.
    renameWithoutReplacing = 1 << 0,
};

int renameat2(
    int oldFolder, const char *_Nonnull oldPath, int newFolder, const char *_Nonnull newPath, unsigned int flags);

int syncfs(int descriptor);

int pthread_setname_np(pthread_t thread, const char *_Nonnull name);

ssize_t copy_file_range(
    int source, off_t *_Nullable sourceOffset, int target, off_t *_Nullable targetOffset, size_t count,
    unsigned int flags);

int accept4(int socket, struct sockaddr *_Nullable address, socklen_t *_Nullable length, int flags);

/// `struct ucred`: what SO_PEERCRED gives.
struct socketPeer {
    pid_t process;
    uid_t user;
    gid_t group;
};

enum {
    /// `SO_PEERPIDFD`, of Linux 6.5: younger than the C library's headers.
    socketPeerDescriptor = 77,
    /// `POSIX_SPAWN_SETSID`: a program in a session of its own.
    spawnInNewSession = 0x80,
};

int pidfd_open(pid_t process, unsigned int flags);

int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *_Nonnull actions, const char *_Nonnull path);

int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *_Nonnull actions, int first);

// prctl(2) is variadic, which Swift cannot call.

static inline int mildam_set_dumpable(unsigned long whether) {
    return prctl(PR_SET_DUMPABLE, whether, 0ul, 0ul, 0ul);
}

static inline int mildam_is_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0ul, 0ul, 0ul, 0ul);
}

// sched_setattr(2) has no wrapper in the C library, nor its structure a header that goes with <sched.h>.

struct mildam_sched_attr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

static inline int mildam_set_slice(uint64_t nanoseconds) {
    struct mildam_sched_attr attributes = {.size = sizeof attributes};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return -1;
    // Of other policies it would be something else.
    if (attributes.policy != 0) return 0;
    attributes.runtime = nanoseconds;
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}
