import Dispatch
import Glibc
import MildamSystem

@testable import MildamTransport

/// A blocking socket that says exactly what a test wants, and gives up after five seconds of silence.
///
/// Reading blocks a thread of Dispatch's, never one of the few that tasks run on.
final class RawConnection: Sendable {
    private let socket: Descriptor

    /// - Parameter source: the address to come from; the port may be 0.
    init(to address: SocketAddress, from source: SocketAddress? = nil, receiveBuffer: Int32? = nil) throws {
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { throw SystemError.last("make a socket") }
        socket = Descriptor(owning: number)
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer {
            unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
        }
        if let source {
            var (storage, length) = source.native
            let code = unsafe withUnsafePointer(to: &storage) { pointer in
                unsafe bind(number, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
            }
            guard code == 0 else { throw SystemError.last("come from \(source)") }
        }
        var (storage, length) = address.native
        let code = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe connect(number, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
        }
        guard code == 0 else { throw SystemError.last("connect") }
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
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
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Asks to speak WebSocket.
    ///
    /// - Returns: the head of the answer.
    func upgrade() async -> String {
        send(
            "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
        )
        return await read(until: "\r\n\r\n")
    }

    func finishSending() {
        shutdown(socket.number, Int32(SHUT_WR))
    }

    /// Bytes as they come; `nil` at the end, or after five seconds.
    func receive() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.receiveNow()) }
        }
    }

    private func receiveNow() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(socket.number, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Everything up to and with `text`, or what there was before the end.
    func read(until text: String) async -> String {
        var all: [UInt8] = []
        while let more = await receive() {
            all += more
            if String(decoding: all, as: UTF8.self).contains(text) { break }
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Everything up to the end.
    func readToEnd() async -> String {
        var all: [UInt8] = []
        while let more = await receive() { all += more }
        return String(decoding: all, as: UTF8.self)
    }

    /// So many bytes, or what there was before the end.
    func read(_ count: Int) async -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count, let more = await receive() { all += more }
        return all
    }
}
