#include <fcntl.h>
#include <pthread.h>
#include <sys/types.h>

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
