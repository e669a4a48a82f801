import Foundation
import Glibc
import MildamSystem

/// A real program, run as a user would run it.
///
/// Not Foundation's `Process`: that takes a program for running as long as anybody has what it inherited, so that a test
/// waited for daemons, and for programs that other threads had started in the same moment.
public final class Program: Sendable {
    /// The process's number.
    public let identifier: Int32
    private let output: Collector
    private let errors: Collector
    private let ending: Ending

    /// What a finished program left.
    public struct Result: Sendable, CustomStringConvertible {
        /// The exit status, or 128 + the signal that ended it.
        public let status: Int32
        /// Everything on standard output.
        public let output: String
        /// Everything on standard error.
        public let errors: String

        /// All three, for a failed expectation.
        public var description: String { "status \(status)\n--- output\n\(output)\n--- errors\n\(errors)" }
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: a path, or a bare name that is looked for on PATH and among the built products.
    ///   - input: what it reads; `nil` is the end of the file at once.
    ///   - environment: added to, or replacing, this process's own.
    public init(
        _ path: String,
        _ arguments: [String] = [],
        input text: String? = nil,
        environment: [String: String] = [:],
        folder: String? = nil
    ) throws {
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let input = try text.map { _ in try Ends() } ?? Ends(reading: "/dev/null")
        let (out, err) = (try Ends(), try Ends())
        let streams = [input.reading, out.writing, err.writing]
        let launch = Swift.Result {
            try Launch(
                path: try Program.find(path),
                arguments: arguments,
                environment: variables.map { "\($0)=\($1)" },
                streams: streams,
                folder: folder
            ).start()
        }
        // A program that ends without reading its input is then told from one that reads slowly.
        for end in streams { close(end) }
        identifier = try launch.get()
        (output, errors) = (Collector(out.reading), Collector(err.reading))
        ending = Ending(of: identifier)
        guard let text else { return }
        let bytes = Array(text.utf8)
        Program.withoutSIGPIPE {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { unsafe write(input.writing, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                rest = rest.dropFirst(count)
            }
        }
        close(input.writing)
    }

    /// The two ends of a pipe, which no other program inherits.
    private struct Ends {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw SystemError.last("make a pipe", nil) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            (reading, writing) = (ends[0], ends[1])
        }

        init(reading path: String) {
            (reading, writing) = (unsafe open(path, O_RDONLY | O_CLOEXEC), -1)
        }
    }

    /// A program may end without reading what it is given: that is its own affair, and must not end the tests.
    private static func withoutSIGPIPE(_ write: () -> Void) {
        var pipe = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&pipe)
        unsafe sigaddset(&pipe, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
        write()
        var now = timespec()
        while unsafe sigtimedwait(&pipe, nil, &now) == SIGPIPE {}
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Runs a program to its end.
    public static func run(
        _ path: String,
        _ arguments: [String] = [],
        input: String? = nil,
        environment: [String: String] = [:],
        folder: String? = nil
    ) throws -> Result {
        try Program(path, arguments, input: input, environment: environment, folder: folder).wait()
    }

    /// Waits for the end.
    @discardableResult
    public func wait() -> Result {
        let status = ending.wait()
        return Result(status: status, output: output.wait(), errors: errors.wait())
    }

    /// The most bytes of memory that it has held at once.
    public func peakBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let words = line.split(separator: " ")
            if words.count > 1, let kibibytes = Int(words[1]) { return kibibytes * 1024 }
        }
        throw CocoaError(.fileReadCorruptFile)
    }

    /// Sends a signal, unless it has ended: another may have its number by now.
    public func signal(_ number: Int32) {
        if ending.isRunning { kill(identifier, number) }
    }

    /// Waits until a line on standard output contains `text`; `nil` when the program ends or `seconds` pass without it.
    public func line(containing text: String, within seconds: Double = 20) -> String? {
        output.line(containing: text, within: seconds) { ending.isRunning }
    }

    /// Waits for a line on standard error, and leaves it there.
    public func complaint(containing text: String, within seconds: Double = 20) -> String? {
        errors.line(containing: text, within: seconds) { ending.isRunning }
    }

    /// A program on PATH, or among the products of this build.
    public static func find(_ name: String) throws -> String {
        if name.contains("/") { return name }
        let products = Bundle.main.bundleURL.path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        for folder in [products, Bundle.main.executableURL?.deletingLastPathComponent().path ?? products]
            + path.split(separator: ":").map(String.init)
        where FileManager.default.isExecutableFile(atPath: folder + "/" + name) {
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
            if !isFolder.boolValue { return folder + "/" + name }
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }
}

/// Waits for a process's end, on a thread of its own.
private final class Ending: @unchecked Sendable {  // every access to `status` holds `condition`
    private let condition = NSCondition()
    private var status: Int32?

    init(of process: pid_t) {
        Thread.detachNewThread { [self] in
            var found: Int32 = 0
            while unsafe waitpid(process, &found, 0) < 0, errno == EINTR {}
            condition.lock()
            // The low seven bits are the signal that ended it; the byte above them is what it exited with.
            status = found & 0x7F == 0 ? found >> 8 & 0xFF : 128 + found & 0x7F
            condition.broadcast()
            condition.unlock()
        }
    }

    var isRunning: Bool {
        condition.lock()
        defer { condition.unlock() }
        return status == nil
    }

    func wait() -> Int32 {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let status { return status }
            condition.wait()
        }
    }
}

/// Gathers what arrives through a pipe.
private final class Collector: @unchecked Sendable {  // every access to `bytes` and `ended` holds `condition`
    private let condition = NSCondition()
    private var bytes = Data()
    private var ended = false

    /// Reads a descriptor, which it closes, on a thread of its own: many handlers at once, each ending with its pipe, bring
    /// down Foundation's queue.
    init(_ descriptor: Int32) {
        Thread.detachNewThread { [self] in
            while true {
                let part = Collector.part(of: descriptor)
                condition.lock()
                if part.isEmpty { ended = true } else { bytes.append(part) }
                condition.broadcast()
                condition.unlock()
                if part.isEmpty {
                    close(descriptor)
                    return
                }
            }
        }
    }

    /// What has come; nothing at the end. Foundation's own call ends the program when a signal interrupts it.
    private static func part(of descriptor: Int32) -> Data {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            return Data(buffer.prefix(max(0, count)))
        }
    }

    func wait() -> String {
        condition.lock()
        defer { condition.unlock() }
        let limit = Date(timeIntervalSinceNow: 10)
        while !ended, condition.wait(until: limit) {}
        return String(decoding: bytes, as: UTF8.self)
    }

    func line(containing text: String, within seconds: Double, while isRunning: () -> Bool) -> String? {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while true {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            if let line = lines.first(where: { $0.contains(text) }) { return String(line) }
            if ended || Date() > limit { return nil }
            _ = condition.wait(until: min(limit, Date(timeIntervalSinceNow: 0.2)))
            if !isRunning(), ended { continue }
        }
    }
}
