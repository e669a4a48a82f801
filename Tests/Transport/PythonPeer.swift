import Foundation
import Glibc
import MildamSystem
import TestSupport

@testable import TransportSupport

/// A Python program that answers batches of byte strings as long as it is kept.
final class PythonPeer {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let socket: Descriptor

    /// Starts a program of `Tests/Peers`.
    init(_ script: String) throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError.last("make a pair of sockets") }
        socket = Descriptor(owning: ends[0])
        // A program that stands still fails the test instead of holding it up.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(ends[0], SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        let theirs = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        process.executableURL = URL(fileURLWithPath: Foreign.python)
        process.arguments = [Self.path(of: script)]
        process.standardInput = theirs
        process.standardOutput = theirs
        try process.run()
        try theirs.close()
    }

    deinit {
        shutdown(socket.number, Int32(SHUT_RDWR))
        process.waitUntilExit()
    }

    static func path(of script: String) -> String { Vectors.packageFolder + "/Tests/Peers/" + script }

    /// Sends a count and as many strings.
    func send(_ batch: [[UInt8]]) throws {
        var bytes = Self.number(batch.count)
        for item in batch { bytes += Self.number(item.count) + item }
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    socket.number,
                    buffer.baseAddress.map { unsafe $0 + sent },
                    buffer.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { throw Failure(description: "the program takes nothing more") }
            sent += count
        }
    }

    /// The next number of an answer.
    func takeNumber() throws -> Int {
        try take(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next string of an answer.
    func takeString() throws -> [UInt8] { try take(try takeNumber()) }

    private var ahead: ArraySlice<UInt8> = []

    private func take(_ count: Int) throws -> [UInt8] {
        while ahead.count < count {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let got = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(socket.number, $0.baseAddress, $0.count, 0)
            }
            guard got > 0 else { throw Failure(description: "the program has ended or stands still") }
            ahead = ahead + buffer[..<got]
        }
        defer { ahead = ahead.dropFirst(count) }
        return Array(ahead.prefix(count))
    }

    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
