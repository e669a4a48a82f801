#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

// What the C library declares only under _GNU_SOURCE, which a module must not set for those who import it.

enum {
    /// `O_TMPFILE`: a file without a name.
    openWithoutName = 020000000 | O_DIRECTORY,
    /// `O_PATH`: which file it is, and no right to its content.
    openWithoutContent = 010000000,
    /// `RENAME_NOREPLACE`: nothing is replaced.
    renameWithoutReplacing = 1 << 0,
    /// `UTIME_OMIT`: a file's time stays as it is.
    keptTime = (1 << 30) - 2,
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

int pidfd_send_signal(int process, int signal, siginfo_t *_Nullable info, unsigned int flags);

int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *_Nonnull actions, const char *_Nonnull path);

int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *_Nonnull actions, int first);

// prctl(2) is variadic, which Swift cannot call.

static inline int mildam_set_dumpable(unsigned long whether) {
    return prctl(PR_SET_DUMPABLE, whether, 0ul, 0ul, 0ul);
}

static inline int mildam_is_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0ul, 0ul, 0ul, 0ul);
}
