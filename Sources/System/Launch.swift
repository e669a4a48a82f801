import CFiles
import Glibc

/// A program to be started (posix_spawn(3)).
package struct Launch {
    /// The program's; nothing is looked for.
    let path: String
    /// Without its own name.
    let arguments: [String]
    /// "NAME=value", all of it.
    let environment: [String]
    /// The descriptors that it gets as 0, 1 and so on; of the first three it gets this process's own where they are not
    /// listed.
    let streams: [Int32]
    /// Where it works; where this process does, unless said.
    var folder: String?
    /// Whether it has nothing more to do with this process's terminal and signals, nor with any of its descriptors.
    var isDetached = false

    package init(
        path: String,
        arguments: [String],
        environment: [String],
        streams: [Int32],
        folder: String? = nil,
        isDetached: Bool = false
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.streams = streams
        self.folder = folder
        self.isDetached = isDetached
    }

    /// Starts it.
    ///
    /// - Throws: `SystemError` as `posix_spawn(3)` gives it.
    package func start() throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
        }
        if let folder { unsafe posix_spawn_file_actions_addchdir_np(&actions, folder) }
        // What whoever started this process has left open is none of theirs: they would hold it open as long as they run.
        let kept = isDetached ? streams.count : max(streams.count, 3)
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, Int32(kept))
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // A thread may have blocked every signal; the program must hear them.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        // What this program ignores, that one need not.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        for signal in [SIGINT, SIGPIPE] { unsafe sigaddset(&defaults, signal) }
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if isDetached {
            unsafe sigfillset(&defaults)
            flags |= Int32(spawnInNewSession)
        }
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var process = pid_t()
        let code = unsafe Self.withCStrings([path] + arguments) { words in
            unsafe Self.withCStrings(environment) { variables in
                unsafe posix_spawn(&process, path, &actions, &attributes, words, variables)
            }
        }
        guard code == 0 else { throw SystemError("start", path, code: code) }
        return process
    }

    private static func withCStrings<Result>(
        _ texts: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer {
            for place in unsafe copies.indices { unsafe free(copies[place]) }
        }
        var pointers = unsafe copies
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            // There is one at least: the null pointer at the end.
            unsafe body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}
