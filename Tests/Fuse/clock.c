// Gives a program another time of day: a test tool, not part of the package.
//
// Preloaded into the program, it adds the seconds that MILDAM_CLOCK names, which may be negative, to what the system says
// the time of day is. What measures how much time goes by (CLOCK_MONOTONIC and the like) is left as it is.
//
//   clang -shared -fPIC -O2 -o clock.so clock.c
//   MILDAM_CLOCK=-86400 LD_PRELOAD=./clock.so mildam room list

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t offset(void) {
    const char *seconds = getenv("MILDAM_CLOCK");
    return seconds ? strtoll(seconds, NULL, 10) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec time;
    if (clock_gettime(CLOCK_REALTIME, &time)) return -1;
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec time;
    if (clock_gettime(CLOCK_REALTIME, &time)) return -1;
    if (now) *now = time.tv_sec;
    return time.tv_sec;
}
