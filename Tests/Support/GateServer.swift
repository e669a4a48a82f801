import Foundation
import Glibc
import MildamSystem

/// A request as a test's server has read it.
public struct GateRequest: Sendable {
    /// "GET" and so on.
    public let method: String
    /// Path and query.
    public let target: String
    /// By names in lower case.
    public let fields: [String: String]
    /// As it came.
    public let body: String

    /// The parameters of a form.
    public var form: [String: String] {
        var values: [String: String] = [:]
        for pair in body.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(parts[0])] = parts.count > 1 ? String(parts[1]).removingPercentEncoding : ""
        }
        return values
    }
}

/// A server on this machine that says what a test wants, byte by byte: one connection for each request.
public final class GateServer: Sendable {
    /// What is done with a connection once the request has come; at the end it is closed.
    public enum Step: Sendable {
        /// These bytes are sent.
        case send([UInt8])
        /// Nothing happens for so long.
        case pause(milliseconds: Int)
    }

    /// Where it listens.
    public let port: UInt16
    private let socket: Int32
    private let isOver = Lock(false)

    /// Listens, and answers each request with these steps.
    public init(_ answer: @escaping @Sendable (GateRequest) -> [Step]) throws {
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(number, pointer, length) == 0 && listen(number, 512) == 0
                    && getsockname(number, pointer, &length) == 0
            }
        }
        guard isBound else { throw SystemError.last("listen") }
        socket = number
        port = UInt16(bigEndian: place.sin_port)
        MildamSystem.Thread.detach(named: "gate") { [isOver] in
            while true {
                let connection = GateServer.accept(number)
                if isOver.withLock({ $0 }) {
                    if connection >= 0 { close(connection) }
                    close(number)
                    return
                }
                guard connection >= 0 else { continue }
                MildamSystem.Thread.detach(named: "gate-one") {
                    if let request = GateServer.read(connection) {
                        for step in answer(request) { GateServer.perform(step, connection) }
                    }
                    close(connection)
                }
            }
        }
    }

    deinit {
        isOver.withLock { $0 = true }
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// The address of a path.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// A whole answer.
    public static func answer(
        _ status: Int = 200,
        _ body: String,
        type: String = "application/json",
        fields: [String] = []
    ) -> [UInt8] {
        let head = ["HTTP/1.1 \(status) X", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)"] + fields
        return Array((head + ["Connection: close", "", body]).joined(separator: "\r\n").utf8)
    }

    private static func perform(_ step: Step, _ connection: Int32) {
        switch step {
        case .pause(let milliseconds): usleep(UInt32(milliseconds) * 1000)
        case .send(let bytes):
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func read(_ connection: Int32) -> GateRequest? {
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let request = parse(bytes) { return request }
            let count = unsafe part.withUnsafeMutableBytes { unsafe recv(connection, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return nil }
            bytes.append(contentsOf: part.prefix(count))
        }
    }

    private static func parse(_ bytes: [UInt8]) -> GateRequest? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let body = String(text[end.upperBound...])
        guard body.utf8.count >= Int(fields["content-length"] ?? "0") ?? 0, words.count == 3 else { return nil }
        return GateRequest(method: String(words[0]), target: String(words[1]), fields: fields, body: body)
    }

    private static func accept(_ socket: Int32) -> Int32 { Glibc.accept(socket, nil, nil) }
}
