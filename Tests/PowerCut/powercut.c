// What a disk would hold if the power failed now: a test tool, not part of the package.
//
// Killing a process leaves the kernel's page cache alone, so `kill -9` cannot show that an acknowledgement came
// before its sync. This library, preloaded into the process under test, keeps an image of the files below one
// folder as a disk that loses its cache would:
//
//   - a file's content is what it was when it was last synced: fsync, fdatasync, sync, syncfs, msync(MS_SYNC), or a
//     write through a descriptor opened with O_SYNC or O_DSYNC. A file that was never synced is empty;
//   - a folder's entries are what they were when the folder was last synced. A file that was created, renamed or
//     unlinked since then has its old name, or none. (Most journalling file systems keep more; POSIX promises no
//     more.)
//
// Content is copied when it is synced, so no write needs to be followed. The copy is made under another name and
// renamed: a process killed within it leaves the copy before. A sync returns when the image holds it, and fails with
// EIO where that was not possible. The disk itself is not waited for.
//
// Not seen: system calls that do not come through the C library's names (io_uring, syscall(2), aio_fsync, stdio on a
// descriptor with O_SYNC), and programs that link the C library statically.
//
//   cc -shared -fPIC -O2 -o powercut.so powercut.c
//   POWERCUT_ROOT=/data POWERCUT_IMAGE=/image LD_PRELOAD=./powercut.so program
//
//   cc -DPOWERCUT_TOOL -O2 -o powercut powercut.c
//   powercut /image /restored                            builds the folder as it is after the power cut
//
// What is below the root when the first process starts counts as synced. Several processes and threads may share one
// image. It must lie outside the root.
//
// The image: `files/KEY` is the content of an inode, `folders/KEY` the entries of one, `root` the key of the root,
// `lock` the lock of whoever changes it. A key names an inode for good: its number is used again, so its time of
// birth is part of it.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_SIZE = 80 };

static int copy(int from, int to) {
    static __thread char buffer[1 << 16];
    off_t position = 0;
    for (;;) {
        ssize_t got = pread(from, buffer, sizeof buffer, position);
        if (got == 0) return 0;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        for (ssize_t done = 0; done < got;) {
            ssize_t put = pwrite(to, buffer + done, got - done, position + done);
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) return -1;
            done += put;
        }
        position += got;
    }
}

static int join(char *path, const char *folder, const char *format, ...) {
    int length = snprintf(path, PATH_MAX, "%s/", folder);
    if (length < 0 || length >= PATH_MAX) return -1;
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(path + length, PATH_MAX - length, format, arguments);
    va_end(arguments);
    return more < 0 || more >= PATH_MAX - length ? -1 : 0;
}

#ifdef POWERCUT_TOOL

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "powercut: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void restore_file(const char *image, const char *key, const char *path, mode_t mode) {
    char stored[PATH_MAX];
    if (join(stored, image, "files/%s", key)) fail(path);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (to < 0 || fchmod(to, mode)) fail(path);
    int from = open(stored, O_RDONLY);
    if (from < 0 && errno != ENOENT) fail(stored);
    if (from >= 0 && copy(from, to)) fail(path);
    if (from >= 0) close(from);
    close(to);
}

static void restore_folder(const char *image, const char *key, const char *path) {
    char stored[PATH_MAX];
    if (join(stored, image, "folders/%s", key)) fail(path);
    FILE *list = fopen(stored, "r");
    if (!list && errno == ENOENT) return;
    if (!list) fail(stored);
    char *line = NULL;
    size_t room = 0;
    while (getdelim(&line, &room, 0, list) > 0) {
        char kind, entry_key[KEY_SIZE], entry[PATH_MAX];
        unsigned mode;
        int name = 0;
        if (sscanf(line, "%c %o %79s %n", &kind, &mode, entry_key, &name) != 3 || !name) {
            errno = EINVAL;
            fail(stored);
        }
        if (join(entry, path, "%s", line + name)) fail(path);
        if (kind == 'd') {
            if (mkdir(entry, mode | 0700)) fail(entry);
            restore_folder(image, entry_key, entry);
        } else if (kind == 'l') {
            if (getdelim(&line, &room, 0, list) <= 0 || symlink(line, entry)) fail(entry);
        } else {
            restore_file(image, entry_key, entry, mode);
        }
    }
    free(line);
    fclose(list);
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: powercut IMAGE FOLDER\n");
        return 2;
    }
    char path[PATH_MAX], key[KEY_SIZE] = "";
    if (join(path, arguments[1], "root")) fail(arguments[1]);
    FILE *root = fopen(path, "r");
    if (!root || fscanf(root, "%79s", key) != 1) fail(path);
    fclose(root);
    if (mkdir(arguments[2], 0700) && errno != EEXIST) fail(arguments[2]);
    restore_folder(arguments[1], key, arguments[2]);
    return 0;
}

#else

#include <dlfcn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/uio.h>

static char root[PATH_MAX], image[PATH_MAX];  // empty: nothing to do

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

static int key_of(int folder, const char *name, char *key, mode_t *mode) {
    struct statx status;
    int flags = AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH);
    if (statx(folder, name, flags, STATX_BASIC_STATS | STATX_BTIME, &status)) return -1;
    snprintf(key, KEY_SIZE, "%x.%x-%llu-%lld.%u", status.stx_dev_major, status.stx_dev_minor,
        (unsigned long long)status.stx_ino, (long long)status.stx_btime.tv_sec, status.stx_btime.tv_nsec);
    *mode = status.stx_mode;
    return 0;
}

// MARK: The image

static int lock_image(void) {
    char path[PATH_MAX];
    if (join(path, image, "lock")) return -1;
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    while (lock >= 0 && flock(lock, LOCK_EX)) {
        if (errno == EINTR) continue;
        close(lock);
        return -1;
    }
    return lock;
}

// The store's next file: made under one name, since only the holder of the lock makes one.
static int open_new(void) {
    char path[PATH_MAX];
    return join(path, image, "new") ? -1 : open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

// Exchanged and then removed: ext4 writes a file to the disk at once when it is renamed over another.
static int publish_new(const char *as, const char *key) {
    char path[PATH_MAX], new[PATH_MAX];
    if (join(new, image, "new") || join(path, image, "%s%s", as, key)) return -1;
    if (!renameat2(AT_FDCWD, new, AT_FDCWD, path, RENAME_EXCHANGE)) return unlink(new);
    return errno == ENOENT || errno == EINVAL ? rename(new, path) : -1;
}

static int keep_file(int file, const char *key) {
    int new = open_new();
    if (new < 0) return -1;
    int failed = copy(file, new);
    close(new);
    return failed || publish_new("files/", key) ? -1 : 0;
}

static int keep_folder(int folder, const char *key) {
    // Opened anew: the program's own descriptor may be amid a listing.
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    int new = open_new();
    FILE *list = new < 0 ? NULL : fdopen(new, "w");
    int failed = !entries || !list;
    struct dirent *entry;
    while (!failed && (entry = readdir(entries))) {
        char entry_key[KEY_SIZE], target[PATH_MAX];
        mode_t mode;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (key_of(again, entry->d_name, entry_key, &mode)) {
            failed = errno != ENOENT;  // gone meanwhile
            continue;
        }
        char kind = S_ISREG(mode) ? 'f' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : 0;
        if (!kind) continue;  // sockets and pipes hold nothing
        if (kind == 'l') {
            ssize_t length = readlinkat(again, entry->d_name, target, sizeof target - 1);
            if (length < 0) continue;
            target[length] = 0;
        }
        fprintf(list, "%c %o %s %s%c", kind, mode & 07777, entry_key, entry->d_name, 0);
        if (kind == 'l') fprintf(list, "%s%c", target, 0);
    }
    if (entries) closedir(entries);
    else if (again >= 0) close(again);
    if (list) failed |= fclose(list) != 0;
    return failed || publish_new("folders/", key) ? -1 : 0;
}

static int keep(int descriptor) {
    char key[KEY_SIZE];
    mode_t mode;
    if (key_of(descriptor, "", key, &mode)) return -1;
    if (S_ISDIR(mode)) return keep_folder(descriptor, key);
    if (!S_ISREG(mode)) return 0;
    // The program's descriptor may be for writing only. This path leads to the inode even when it has no name.
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int failed = file < 0 || keep_file(file, key);
    if (file >= 0) close(file);
    return failed ? -1 : 0;
}

static int keep_tree(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return errno == ENOENT ? 0 : -1;
    int failed = 0;
    DIR *entries = opendir(path);
    struct dirent *entry;
    while (!failed && entries && (entry = readdir(entries))) {
        char below[PATH_MAX];
        struct stat status;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        failed = join(below, path, "%s", entry->d_name);
        if (failed || lstat(below, &status)) continue;
        if (S_ISDIR(status.st_mode)) failed = keep_tree(below);
        if (S_ISREG(status.st_mode)) {
            int file = open(below, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
            if (file < 0) continue;
            failed = keep(file);
            close(file);
        }
    }
    failed |= !entries || keep(folder);
    if (entries) closedir(entries);
    close(folder);
    return failed ? -1 : 0;
}

// MARK: What is below the root

static int is_below_root(const char *path) {
    size_t length = strlen(root);
    return !strncmp(path, root, length) && (path[length] == '/' || path[length] == 0);
}

static int is_followed(int descriptor) {
    if (!*root) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below_root(path);
}

// Puts into the image what `change` says, for a caller who expects -1 and errno, or 0.
#define WITH_IMAGE(change)                     \
    ({                                         \
        int before_ = errno;                   \
        int lock_ = lock_image();              \
        int failed_ = lock_ < 0 || (change);   \
        if (lock_ >= 0) close(lock_);          \
        errno = failed_ ? EIO : before_;       \
        failed_ ? -1 : 0;                      \
    })

static ssize_t after_write(int descriptor, ssize_t result, int flags) {
    if (result < 0 || !*root) return result;
    int before = errno;
    int mode = fcntl(descriptor, F_GETFL);
    errno = before;
    int is_synced = (mode >= 0 && (mode & O_DSYNC)) || (flags & (RWF_DSYNC | RWF_SYNC));
    if (!is_synced || !is_followed(descriptor)) {
        errno = before;
        return result;
    }
    return WITH_IMAGE(keep(descriptor)) ? -1 : result;
}

__attribute__((constructor)) static void start(void) {
    const char *folder = getenv("POWERCUT_ROOT"), *store = getenv("POWERCUT_IMAGE");
    if (!folder || !store) return;
    char path[PATH_MAX];
    if (!realpath(folder, root) || !realpath(store, image) || is_below_root(image)) {
        fprintf(stderr, "powercut: POWERCUT_ROOT and POWERCUT_IMAGE must be folders, one outside the other\n");
        _exit(126);
    }
    int lock = lock_image();
    int failed = lock < 0 || join(path, image, "root");
    if (!failed && access(path, F_OK)) {
        char key[KEY_SIZE], files[PATH_MAX], folders[PATH_MAX];
        mode_t mode;
        failed = join(files, image, "files") || join(folders, image, "folders")
            || (mkdir(files, 0700) && errno != EEXIST) || (mkdir(folders, 0700) && errno != EEXIST)
            || keep_tree(root) || key_of(AT_FDCWD, root, key, &mode);
        int new = failed ? -1 : open_new();
        failed = failed || new < 0 || dprintf(new, "%s\n", key) < 0 || publish_new("root", "");
        if (new >= 0) close(new);
    }
    if (lock >= 0) close(lock);
    if (failed) {
        fprintf(stderr, "powercut: cannot use %s: %s\n", image, strerror(errno));
        _exit(126);
    }
}

// MARK: The calls

int fsync(int descriptor) {
    return is_followed(descriptor) ? WITH_IMAGE(keep(descriptor)) : REAL(fsync)(descriptor);
}

int fdatasync(int descriptor) {
    return is_followed(descriptor) ? WITH_IMAGE(keep(descriptor)) : REAL(fdatasync)(descriptor);
}

int syncfs(int descriptor) {
    if (!*root) return REAL(syncfs)(descriptor);
    struct stat here, there;
    if (fstat(descriptor, &here)) return -1;
    return stat(root, &there) || here.st_dev != there.st_dev ? 0 : WITH_IMAGE(keep_tree(root));
}

void sync(void) {
    if (*root) (void)WITH_IMAGE(keep_tree(root));
    else REAL(sync)();
}

static int keep_mapped(void *start, size_t length) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) return -1;
    int failed = 0;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, maps) > 0) {
        unsigned long low, high;
        int name = 0;
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &low, &high, &name) < 2 || !name) continue;
        if (high <= (unsigned long)start || low >= (unsigned long)start + length) continue;
        line[strcspn(line, "\n")] = 0;
        if (!is_below_root(line + name)) continue;
        int file = open(line + name, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;  // it has no name any more
        failed |= keep(file);
        close(file);
    }
    free(line);
    fclose(maps);
    return failed;
}

int msync(void *start, size_t length, int flags) {
    int result = REAL(msync)(start, length, flags);
    return result || !*root || !(flags & MS_SYNC) ? result : WITH_IMAGE(keep_mapped(start, length));
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return after_write(descriptor, REAL(write)(descriptor, bytes, count), 0);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return after_write(descriptor, REAL(pwrite)(descriptor, bytes, count, offset), 0);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return after_write(descriptor, REAL(pwrite64)(descriptor, bytes, count, offset), 0);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    return after_write(descriptor, REAL(writev)(descriptor, parts, count), 0);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return after_write(descriptor, REAL(pwritev)(descriptor, parts, count, offset), 0);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    return after_write(descriptor, REAL(pwritev64)(descriptor, parts, count, offset), 0);
}

ssize_t pwritev2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags) {
    return after_write(descriptor, REAL(pwritev2)(descriptor, parts, count, offset, flags), flags);
}

ssize_t copy_file_range(int from, off64_t *start, int to, off64_t *end, size_t count, unsigned flags) {
    return after_write(to, REAL(copy_file_range)(from, start, to, end, count, flags), 0);
}

#endif
