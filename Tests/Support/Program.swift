import Foundation

/// A real program, run as a user would run it.
public final class Program: @unchecked Sendable {  // `process` is set up before it is shared
    private let process = Process()
    private let output = Collector()
    private let errors = Collector()
    private let input: Pipe?

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
        process.executableURL = URL(fileURLWithPath: try Program.find(path))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        if text != nil {
            let pipe = Pipe()
            process.standardInput = pipe
            input = pipe
        } else {
            process.standardInput = FileHandle.nullDevice
            input = nil
        }
        output.start()
        errors.start()
        try process.run()
        if let text, let input {
            Program.withoutSIGPIPE { try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }
            try input.fileHandleForWriting.close()
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
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Result(status: status, output: output.wait(), errors: errors.wait())
    }

    /// The process's number.
    public var identifier: Int32 { process.processIdentifier }

    /// The most bytes of memory that it has held at once.
    public func peakBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let words = line.split(separator: " ")
            if words.count > 1, let kibibytes = Int(words[1]) { return kibibytes * 1024 }
        }
        throw CocoaError(.fileReadCorruptFile)
    }

    /// Sends a signal.
    public func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits until a line on standard output contains `text`; `nil` when the program ends or `seconds` pass without it.
    public func line(containing text: String, within seconds: Double = 20) -> String? {
        output.line(containing: text, within: seconds) { self.process.isRunning }
    }

    /// Waits for a line on standard error, and leaves it there.
    public func complaint(containing text: String, within seconds: Double = 20) -> String? {
        errors.line(containing: text, within: seconds) { self.process.isRunning }
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

/// Gathers what arrives through a pipe.
private final class Collector: @unchecked Sendable {  // every access to `bytes` and `ended` holds `condition`
    let pipe = Pipe()
    private let condition = NSCondition()
    private var bytes = Data()
    private var ended = false

    /// Reads on a thread of its own: many handlers at once, each ending with its pipe, bring down Foundation's queue.
    func start() {
        Thread.detachNewThread { [self] in
            while true {
                let part = Collector.part(of: pipe.fileHandleForReading.fileDescriptor)
                condition.lock()
                if part.isEmpty { ended = true } else { bytes.append(part) }
                condition.broadcast()
                condition.unlock()
                if part.isEmpty { return }
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
