import CSeccomp
import Glibc
import MildamSystem

/// Takes from this process what a decoder of images has no use for, for good and before it reads any.
///
/// - No privilege can be gained any more (`PR_SET_NO_NEW_PRIVS`).
/// - Only reading and writing of what is open, memory, and the end are left of the system's calls (`seccomp(2)`): no file
///   is opened, no program started, no connection made, no signal sent, no memory made executable.
/// - Should a call slip through: no new descriptor has a number (`RLIMIT_NOFILE`).
/// - What is open is standard input, output and error.
/// - Memory and time have limits, and no core dump holds the image.
///
/// All of it or none: where the kernel does not provide one, as without `CONFIG_SECCOMP_FILTER`, nothing is read.
/// Landlock would add nothing, since no call is left that takes a path.
public enum Confinement {
    /// How many bytes may be mapped beyond those that are: a file, its pixels three times, and the coefficients of a
    /// progressive JPEG file, which are six bytes for each pixel.
    public static let memory = 768 << 20
    /// After how many seconds of processor time the process is ended (SIGKILL: there is nothing to tidy up).
    public static let processorSeconds = 30

    /// Confines the process: all of its threads, for good.
    ///
    /// - Throws: `SystemError`; the process may then be confined in part, and is to end.
    public static func enter() throws(SystemError) {
        CodeReader.loadConverters()
        let mapped = try mappedBytes()
        guard mildam_close_range(3, .max) == 0 else { throw .last("close what was inherited") }
        try limit(RLIMIT_CORE, to: 0)
        try limit(RLIMIT_AS, to: mapped + memory)
        try limit(RLIMIT_CPU, to: processorSeconds)
        // Not 0: `poll` takes as many descriptors as this. Standard input has the one number that is left.
        try limit(RLIMIT_NOFILE, to: 1)
        guard mildam_set_no_new_privileges() == 0 else { throw .last("give up privileges") }
        try SystemCallFilter.decoder.install()
    }

    private static func limit(_ resource: __rlimit_resource, to most: Int) throws(SystemError) {
        var limit = rlimit(rlim_cur: rlim_t(most), rlim_max: rlim_t(most))
        guard unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else {
            throw .last("set a limit")
        }
    }

    /// How much is mapped now: a sanitizer's shadow is terabytes of it.
    private static func mappedBytes() throws(SystemError) -> Int {
        let path = "/proc/self/statm"
        let file = try Descriptor.open(path, O_RDONLY)
        let text = String(decoding: try file.read(upTo: 128, at: 0, path: path), as: UTF8.self)
        // The first number is the size in pages.
        guard let pages = text.split(separator: " ").first.flatMap({ Int($0) }) else {
            throw SystemError("understand", path, code: EINVAL)
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
