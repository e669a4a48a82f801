import Foundation
import Glibc
import MildamSystem
import TestSupport

@testable import MildamTransport

/// `Tools/Echo` as a process of its own; ended with its owner.
final class EchoProcess: Sendable {
    let address: SocketAddress
    private let program: Program

    init(_ settings: [String] = []) throws {
        let program = try Program("mildam-echo", settings)
        guard let line = program.line(containing: "listening on "), let port = line.split(separator: ":").last,
            let number = UInt16(port)
        else {
            program.signal(SIGKILL)
            throw PythonPeer.Failure(description: "\(program.wait())")
        }
        self.program = program
        address = .loopback(port: number)
    }

    deinit {
        program.signal(SIGKILL)
        program.wait()
    }

    var endpoint: Endpoint { Endpoint(address) }

    func signal(_ number: Int32) { program.signal(number) }

    /// Waits for a line.
    func says(_ text: String) -> Bool { program.line(containing: text) != nil }

    /// Waits for its end.
    func end() -> Program.Result { program.wait() }

    /// How many descriptors it has open.
    func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.identifier)/fd").count
    }

    /// The most bytes of memory that it has held at once.
    func peakBytes() throws -> Int { try program.peakBytes() }
}
