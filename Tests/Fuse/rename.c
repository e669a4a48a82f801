// Ends a program as `kill -9` does when a file that it has written is whole and is to take the place of another: a test
// tool, not part of the package.
//
// Preloaded into the program, it kills the process at the first `rename` of a file whose name begins with MILDAM_FUSE.
//
//   clang -shared -fPIC -O2 -o rename.so rename.c
//   MILDAM_FUSE=.mildam- LD_PRELOAD=./rename.so mildam vault sync photos --yes

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rename(const char *old, const char *new) {
    const char *wanted = getenv("MILDAM_FUSE");
    const char *slash = strrchr(old, '/');
    const char *name = slash ? slash + 1 : old;
    if (wanted && !strncmp(name, wanted, strlen(wanted))) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    __typeof__(&rename) real = (__typeof__(&rename))dlsym(RTLD_NEXT, "rename");
    if (!real) abort();
    return real(old, new);
}
