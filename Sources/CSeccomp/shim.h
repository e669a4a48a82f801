#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// A macro that Swift does not import; variadic calls; and one that the C library declares only under _GNU_SOURCE.

/// The architecture whose numbers this program's calls have.
#if defined(__x86_64__)
static const unsigned int mildam_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const unsigned int mildam_architecture = AUDIT_ARCH_AARCH64;
#else
#error "the numbers of this architecture's system calls have not been looked at"
#endif

/// `prctl(PR_SET_NO_NEW_PRIVS)`: nothing that is executed from here on gains a privilege.
static inline int mildam_set_no_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

/// `seccomp(2)` with a filter for every thread of the process.
static inline long mildam_set_filter(const struct sock_fprog *_Nonnull program) {
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program);
}

/// `close_range(2)`.
static inline long mildam_close_range(unsigned int first, unsigned int last) {
    return syscall(SYS_close_range, first, last, 0U);
}
