import CFiles
import Glibc

/// What this process lets others see of it.
public enum OwnProcess {
    /// Forbids core dumps of this process and of the programs that it starts (core(5)): each program's first call.
    ///
    /// No file is written, and nobody but the superuser can lift the limit afterwards: it is the hard one, too. A program that collects
    /// dumps is started by the kernel whatever the limit is; what it gets holds none of this process's memory
    /// (`/proc/self/coredump_filter`). Other processes of this user can look at this one as before. What the system does
    /// not let be forbidden stays as it is, and nothing fails for it.
    public static func forbidCoreDumps() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(coreLimit, &none)
        let path = "/proc/self/coredump_filter"
        guard let filter = try? Descriptor.open(path, O_WRONLY) else { return }
        try? filter.write([UInt8(ascii: "0")].span, path: path)
    }

    /// Keeps this process's memory to itself, for as long as it runs this program.
    ///
    /// No core dump is written of it (core(5)), not even to a program that collects them; and another process of the same
    /// user can neither read its memory nor attach to it (prctl(2), PR_SET_DUMPABLE; ptrace(2)), nor tell by /proc
    /// which program it is: `PeerProcess` says `.hidden` of it. The superuser still can. The limit on core dumps passes on
    /// to programs that this one starts.
    ///
    /// - Throws: `SystemError`, as of a kernel that has been told to refuse these calls.
    public static func hideMemory() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard unsafe setrlimit(coreLimit, &none) == 0 else { throw .last("forbid core dumps") }
        guard mildam_set_dumpable(0) == 0 else { throw .last("keep memory from other processes") }
    }

    /// Lets other processes of this user look at this one while `body` runs, and hides its memory again after it, where it was
    /// hidden: the keychain's agent gives a key only to a program that it can look at. Core dumps stay forbidden.
    ///
    /// - Throws: `SystemError` where the memory could not be hidden again: this process is not to go on; what `body` throws.
    public static func showing<Value>(_ body: () throws -> Value) throws -> Value {
        guard !isDumpable else { return try body() }
        guard mildam_set_dumpable(1) == 0 else { throw SystemError.last("let other processes look") }
        let value = Result { try body() }
        try hideMemory()
        return try value.get()
    }

    /// Whether other processes of the same user may look at this one, and a core dump may be written of it.
    package static var isDumpable: Bool { mildam_is_dumpable() == 1 }

    /// The most bytes that a core dump of this process may have.
    package static var coreDumpLimit: UInt {
        var limit = rlimit()
        return unsafe getrlimit(coreLimit, &limit) == 0 ? limit.rlim_cur : .max
    }

    private static let coreLimit = __rlimit_resource_t(RLIMIT_CORE.rawValue)
}
