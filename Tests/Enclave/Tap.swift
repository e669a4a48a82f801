import Foundation
import MildamSystem
import TestSupport

/// Somebody on the way to a TPM: hears every command and answer, and may lead them to another TPM.
final class Tap: Sendable {
    /// A command and its answer.
    struct Exchange: Sendable {
        let command: [UInt8]
        let answer: [UInt8]

        /// TPM2_StartAuthSession, TPM2_Create and so on (TPM 2.0 part 2, section 6.5.2).
        var code: UInt32 { command.dropFirst(6).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

        /// Whether the TPM did what it was asked to.
        var isAnswered: Bool { answer.dropFirst(6).prefix(4).elementsEqual([0, 0, 0, 0]) }
    }

    private struct State {
        var target: String
        var exchanges: [Exchange] = []
    }

    private let folder: TemporaryFolder
    private let state: Lock<State>
    private let listeners: [Int32]

    /// Listens, and leads to the TPM.
    init(to tpm: SoftwareTPM) throws {
        folder = try TemporaryFolder()
        state = Lock(State(target: tpm.socket))
        listeners = try ["", ".ctrl"].map { [folder] in try UnixSocket.listener(at: folder.file("t") + $0) }
        for (listener, suffix) in zip(listeners, ["", ".ctrl"]) {
            let state = self.state
            Foundation.Thread.detachNewThread {
                while true {
                    let client = accept(listener, nil, nil)
                    if client < 0 { return }
                    let target = state.withLock { $0.target } + suffix
                    Tap.carry(client, to: target) { exchange in
                        if suffix.isEmpty { state.withLock { $0.exchanges.append(exchange) } }
                    }
                }
            }
        }
    }

    deinit {
        for listener in listeners {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    /// What a program is told, to come by here.
    var address: String { "swtpm:path=" + folder.file("t") }

    /// Leads to another TPM from now on.
    func lead(to tpm: SoftwareTPM) {
        state.withLock { $0.target = tpm.socket }
    }

    /// What has passed.
    var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// How often bytes have passed, in either direction.
    func occurrences(of bytes: [UInt8]) -> Int {
        exchanges.count { exchange in
            Data(exchange.command).range(of: Data(bytes)) != nil || Data(exchange.answer).range(of: Data(bytes)) != nil
        }
    }

    /// Carries one command and its answer; the client hangs up after it, or before.
    private static func carry(_ client: Int32, to target: String, note: (Exchange) -> Void) {
        defer { close(client) }
        guard let server = try? UnixSocket.connection(to: target) else { return }
        defer { close(server) }
        let command = read(from: client)
        guard !command.isEmpty else { return }
        write(command, to: server)
        let answer = read(from: server)
        note(Exchange(command: command, answer: answer))
        write(answer, to: client)
    }

    /// One message, which comes in few parts and quickly.
    private static func read(from socket: Int32) -> [UInt8] {
        var message: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        repeat {
            let count = unsafe recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return message }
            message += buffer[..<count]
        } while message.count >= 6 && message.count < announced(message)
        return message
    }

    /// The size in the header; messages of the control socket have none, and come whole.
    private static func announced(_ message: [UInt8]) -> Int {
        guard message[0] == 0x80 else { return 0 }
        return message[2..<6].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func write(_ message: [UInt8], to socket: Int32) {
        _ = unsafe send(socket, message, message.count, Int32(MSG_NOSIGNAL))
    }
}
