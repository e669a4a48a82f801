// A medium without hard links, as FAT is one: a test tool, not part of the package.
//
// Preloaded into a program, it refuses links with EPERM, and files without a name with EOPNOTSUPP. Where
// MILDAM_REPLACING_ONLY is set, it refuses a rename that replaces nothing as well, as some media do: no file can be given
// a name then without the danger of replacing another.
//
//   clang -shared -fPIC -O2 -o links.so links.c
//   LD_PRELOAD=./links.so mildam vault init

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

static int refuse(int code) {
    errno = code;
    return -1;
}

static int is_unnamed(int flags) { return (flags & O_TMPFILE) == O_TMPFILE; }

// The mode is there only for flags that make a file; whoever makes none does not read it.
#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & O_CREAT) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) {
    if (is_unnamed(flags)) return refuse(EOPNOTSUPP);
    MODE(flags)
    return REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    if (is_unnamed(flags)) return refuse(EOPNOTSUPP);
    MODE(flags)
    return REAL(open64)(path, flags, mode);
}

int link(const char *from, const char *to) {
    (void)from;
    (void)to;
    return refuse(EPERM);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    (void)from_folder;
    (void)from;
    (void)to_folder;
    (void)to;
    (void)flags;
    return refuse(EPERM);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    if (flags && getenv("MILDAM_REPLACING_ONLY")) return refuse(EINVAL);
    return REAL(renameat2)(from_folder, from, to_folder, to, flags);
}
