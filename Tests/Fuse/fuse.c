// Ends `mildam` as `kill -9` does, at one step of how it renews its session with the relay: a test tool, not part of the
// package.
//
// Preloaded into the program, it follows what the program does with its database and with the relay, and kills the process
// at the step that MILDAM_FUSE names:
//
//   before-read, after-read             the stored session is read for the first time
//   before-request, after-request       the token endpoint is asked
//   after-answer                        the first bytes of its answer are there
//   before-write, after-write           the new session goes into the database, within a transaction
//   before-key-write, after-key-write   so does the key that it is bound to
//   before-commit, after-commit         that transaction ends
//   before-log                          the first of its pages goes into the write-ahead log
//   before-sync, after-sync             and all of them are synced
//
// A step that is not come to kills nobody: the program then ends by itself, which tells it from one that was reached.
//
// Not seen: what goes over TLS.
//
//   clang -shared -fPIC -O2 -o fuse.so fuse.c
//   MILDAM_FUSE=after-answer LD_PRELOAD=./fuse.so mildam room list

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sqlite3.h>

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

static void reach(const char *step) {
    const char *last = getenv("MILDAM_FUSE");
    if (!last || strcmp(last, step)) return;
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

// MARK: The database

enum record { OTHER, SESSION, SESSION_KEY };

// A value is bound, its statement run and the transaction ended in one go, on one thread.
static __thread sqlite3_stmt *bound;
static __thread enum record record;
static __thread int has_written, is_committing, has_logged;

enum { SMALLEST_PAGE = 512 };  // what is shorter is a header

static int is_text(const char *text, int length, const char *wanted) {
    return length == (int)strlen(wanted) && !memcmp(text, wanted, length);
}

int sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int length, void (*free)(void *)) {
    if (index == 1) {
        bound = statement;
        record = is_text(text, length, "session") ? SESSION : is_text(text, length, "session key") ? SESSION_KEY : OTHER;
    }
    return REAL(sqlite3_bind_text)(statement, index, text, length, free);
}

static int begins(sqlite3_stmt *statement, const char *verb) {
    // SQLite steps statements of its own, which have no text.
    const char *text = sqlite3_sql(statement);
    return text && !strncmp(text, verb, strlen(verb));
}

static int commit(sqlite3_stmt *statement) {
    reach("before-commit");
    is_committing = 1;
    int result = REAL(sqlite3_step)(statement);
    is_committing = has_logged = has_written = 0;
    reach("after-commit");
    return result;
}

int sqlite3_step(sqlite3_stmt *statement) {
    if (has_written && begins(statement, "COMMIT")) return commit(statement);
    enum record kind = bound == statement ? record : OTHER;
    int reads = kind == SESSION && begins(statement, "SELECT"), writes = kind && begins(statement, "INSERT");
    if (reads) reach("before-read");
    if (writes) reach(kind == SESSION ? "before-write" : "before-key-write");
    int result = REAL(sqlite3_step)(statement);
    if (reads) reach("after-read");
    if (writes) {
        has_written = 1;
        reach(kind == SESSION ? "after-write" : "after-key-write");
    }
    return result;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    int is_page = is_committing && count >= SMALLEST_PAGE;
    if (is_page) reach("before-log");
    ssize_t result = REAL(pwrite64)(descriptor, bytes, count, offset);
    has_logged |= is_page;
    return result;
}

int fdatasync(int descriptor) {
    if (has_logged) reach("before-sync");
    int result = REAL(fdatasync)(descriptor);
    if (has_logged) reach("after-sync");
    return result;
}

// MARK: The relay

static atomic_int has_asked;

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
    static const char request[] = "POST /v1/token ";
    int asks = count >= sizeof request - 1 && !memcmp(bytes, request, sizeof request - 1);
    if (asks) reach("before-request");
    ssize_t result = REAL(send)(socket, bytes, count, flags);
    if (asks && result > 0) {
        has_asked = 1;
        reach("after-request");
    }
    return result;
}

ssize_t recv(int socket, void *bytes, size_t count, int flags) {
    ssize_t result = REAL(recv)(socket, bytes, count, flags);
    if (has_asked && result > 0) reach("after-answer");
    return result;
}
