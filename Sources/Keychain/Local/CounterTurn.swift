import Glibc
import MildamSystem

/// The turn of one program at the counter of a keychain, held by a file beside it until the turn is let go.
final class CounterTurn: Sendable {
    private let lock: ProcessLock

    private init?(_ path: String) throws(SystemError) {
        guard let lock = try ProcessLock(taking: path) else { return nil }
        self.lock = lock
    }

    /// Waits for the turn, without holding a thread up.
    ///
    /// - Throws: `io`: `ETIMEDOUT` after half a minute.
    static func take(_ keychain: String) async throws(KeychainError) -> CounterTurn {
        let path = keychain + ".counter"
        for _ in 0..<1500 {
            do throws(SystemError) {
                if let turn = try CounterTurn(path) { return turn }
            } catch {
                throw .io(error)
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        throw .io(SystemError("wait for", path, code: ETIMEDOUT))
    }
}
