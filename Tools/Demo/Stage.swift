import Foundation
import MildamTerminal

/// A temporary folder with a relay in it; both are gone when the demo ends, however it ends.
final class Stage: @unchecked Sendable {  // one thread plays; another only strikes, when a signal ends the play
    /// Who talks.
    static let people = ["alice", "bob", "carol"]
    /// The folder.
    let folder: String
    /// Where the relay listens.
    private(set) var address = ""
    private let programs: String
    private var relay: Process?

    /// The relay's own folder.
    var relayFolder: String { folder + "/relay" }

    /// What it says on standard error.
    var relayLog: String { folder + "/relay.log" }

    init(programs: String) throws {
        self.programs = programs
        folder =
            FileManager.default.temporaryDirectory.path + "/mildam-demo-\(UUID().uuidString.lowercased().prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// Starts the relay and waits until it says where it listens.
    func openRelay() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: programs + "/mildam-relay")
        process.arguments = ["serve", "--data", relayFolder, "--listen", "127.0.0.1:0", "--log-requests"]
        let output = Pipe()
        process.standardOutput = output
        try Data().write(to: URL(fileURLWithPath: relayLog))
        process.standardError = FileHandle(forWritingAtPath: relayLog)
        try process.run()
        relay = process
        var said = ""
        while !said.contains("\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw DemoError("the relay did not start: see \(relayLog)") }
            said += String(decoding: part, as: UTF8.self)
        }
        let words = said.split(separator: " ")
        guard let address = words.first(where: { $0.hasPrefix("http://") }) else {
            throw DemoError("the relay said something else than where it listens")
        }
        self.address = String(address)
    }

    /// Stops the relay, as an administrator would.
    func closeRelay() {
        guard let relay, relay.isRunning else { return }
        relay.terminate()
        relay.waitUntilExit()
    }

    /// Runs `mildam` as somebody.
    func run(as person: String, _ arguments: [String], input: String = "") throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: programs + "/mildam")
        process.arguments = ["--profile", person] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "MILDAM_HOME": folder + "/home", "MILDAM_RELAY": address, "NO_COLOR": "1",
        ]) { $1 }
        let (output, source) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = output
        process.standardInput = source
        try process.run()
        try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try source.fileHandleForWriting.close()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    /// Removes everything: the clients that commands have started, the relay, and the folder.
    func strike() {
        for person in Stage.people { _ = try? run(as: person, ["client", "stop"]) }
        closeRelay()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Why the demo stops.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
