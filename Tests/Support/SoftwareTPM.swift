import Foundation

/// A real TPM 2.0 in software: `swtpm`, on a state of its own, reached through a socket in a private folder.
public final class SoftwareTPM: @unchecked Sendable {  // used by one test at a time
    private let folder: TemporaryFolder
    private var program: Program?

    /// Where it listens. Short: a socket's path has 107 bytes.
    public let socket: String

    /// Starts one that nobody has used before.
    public init() throws {
        folder = try TemporaryFolder()
        socket = folder.file("s")
        try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: false)
        try start()
    }

    deinit {
        kill()
    }

    /// What a program is told, to reach it.
    public var address: String { "swtpm:path=" + socket }

    /// Switches it on.
    public func start() throws {
        let program = try Program(
            "swtpm",
            [
                "socket", "--tpm2", "--tpmstate", "dir=" + folder.file("state"),
                "--server", "type=unixio,path=" + socket, "--ctrl", "type=unixio,path=" + socket + ".ctrl",
                "--flags", "not-need-init,startup-clear",
            ]
        )
        self.program = program
        for _ in 0..<2000 {
            if canConnect(socket), canConnect(socket + ".ctrl") { return }
            usleep(5_000)
        }
        throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: socket])
    }

    /// Cuts its power.
    public func kill() {
        program?.signal(SIGKILL)
        program?.wait()
        program = nil
        for path in [socket, socket + ".ctrl"] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Runs one of the TPM's own tools, and returns what it says.
    @discardableResult
    public func tool(_ name: String, _ arguments: [String] = []) throws -> String {
        let result = try Program.run(
            "tpm2_" + name,
            arguments,
            environment: ["TPM2TOOLS_TCTI": address, "TSS2_LOG": "all+none"],
            folder: folder.path
        )
        guard result.status == 0 else {
            throw CocoaError(.executableRuntimeMismatch, userInfo: [NSLocalizedDescriptionKey: result.description])
        }
        return result.output
    }

    /// A file in its folder, for tools.
    public func file(_ name: String) -> String { folder.file(name) }

    /// The slots in use: objects and sessions.
    public func slots() throws -> [String] {
        try ["handles-transient", "handles-loaded-session"].flatMap { kind in
            try tool("getcap", [kind]).split(separator: "\n").map(String.init)
        }
    }

    private func canConnect(_ path: String) -> Bool {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &place.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8).prefix(107)) }
        return unsafe withUnsafePointer(to: &place) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}

/// Whether `swtpm` and the TPM's tools are here. Under `CI` their absence fails the suite.
public let softwareTPMIsExpected: Bool = {
    let isInstalled = (try? Program.find("swtpm")) != nil && (try? Program.find("tpm2_getcap")) != nil
    if !isInstalled { print("skipped: the suites over a TPM; `apt-get install swtpm tpm2-tools` brings one") }
    return isInstalled || ProcessInfo.processInfo.environment["CI"] != nil
}()
