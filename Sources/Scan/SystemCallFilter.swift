import CSeccomp
import Glibc
import MildamSystem

/// A program for the kernel that says which system calls a process may make (`seccomp(2)`, classic BPF).
///
/// Every other call fails with `EPERM`. A call by another architecture's numbers ends the process.
struct SystemCallFilter {
    private var program: [sock_filter] = []

    /// What a process needs that reads a descriptor, works in memory, writes to a descriptor, and ends.
    static let decoder: SystemCallFilter = {
        var filter = SystemCallFilter()
        for call in calls { filter.allow(call) }
        for call in [SYS_mmap, SYS_mprotect] { filter.allow(call, withoutBits: UInt32(PROT_EXEC), ofArgument: 2) }
        filter.refuseOthers()
        return filter
    }()

    #if arch(x86_64)
    private static let ownCalls = [SYS_poll]
    #else
    // The C library's `poll` is `ppoll`.
    private static let ownCalls = [Int32]()
    #endif

    private static let calls =
        [
            SYS_read, SYS_write, SYS_writev, SYS_ppoll, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_futex,
            SYS_getrandom, SYS_clock_gettime, SYS_sched_yield, SYS_rt_sigreturn, SYS_rt_sigprocmask,
            SYS_restart_syscall, SYS_exit, SYS_exit_group,
            // Where this process's own signals are handled: the address sanitizer asks before the end.
            SYS_sigaltstack,
        ] + ownCalls

    /// Where the kernel puts what it asks about (`struct seccomp_data`): number, architecture, then the arguments of
    /// eight bytes each, the lower half first.
    private static let numberOffset: UInt32 = 0
    private static let architectureOffset: UInt32 = 4
    private static let argumentsOffset: UInt32 = 16

    private init() {
        load(Self.architectureOffset)
        jump(BPF_JEQ, mildam_architecture, ifSo: 1, ifNot: 0)
        answer(UInt32(SECCOMP_RET_KILL_PROCESS))
        load(Self.numberOffset)
    }

    private mutating func allow(_ call: Int32) {
        jump(BPF_JEQ, UInt32(call), ifSo: 0, ifNot: 1)
        answer(UInt32(SECCOMP_RET_ALLOW))
    }

    /// Allows a call if none of these bits is set in the lower half of an argument.
    private mutating func allow(_ call: Int32, withoutBits bits: UInt32, ofArgument argument: UInt32) {
        jump(BPF_JEQ, UInt32(call), ifSo: 0, ifNot: 4)
        load(Self.argumentsOffset + 8 * argument)
        jump(BPF_JSET, bits, ifSo: 1, ifNot: 0)
        answer(UInt32(SECCOMP_RET_ALLOW))
        refuseOthers()
    }

    private mutating func refuseOthers() {
        answer(UInt32(SECCOMP_RET_ERRNO) | UInt32(EPERM))
    }

    private mutating func load(_ offset: UInt32) {
        program.append(sock_filter(code: UInt16(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: offset))
    }

    /// Compares with what was loaded, and passes over so many instructions.
    private mutating func jump(_ comparison: Int32, _ value: UInt32, ifSo: UInt8, ifNot: UInt8) {
        program.append(sock_filter(code: UInt16(BPF_JMP | comparison | BPF_K), jt: ifSo, jf: ifNot, k: value))
    }

    private mutating func answer(_ value: UInt32) {
        program.append(sock_filter(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: value))
    }

    /// Puts the filter in force, for every thread and for good.
    func install() throws(SystemError) {
        var instructions = program
        let result = unsafe instructions.withUnsafeMutableBufferPointer { buffer in
            // The kernel copies the instructions before the call returns.
            var filter = unsafe sock_fprog(len: UInt16(buffer.count), filter: buffer.baseAddress)
            return unsafe mildam_set_filter(&filter)
        }
        // More than 0 is the number of a thread that could not take it.
        guard result == 0 else {
            throw SystemError("limit the system's calls", code: result < 0 ? errno : EBUSY)
        }
    }
}
