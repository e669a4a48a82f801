import MildamSystem

/// The nonces that servers want to see in the next DPoP proof, by origin (RFC 9449, section 8). In memory only.
final class NonceBook: Sendable {
    /// Of how many origins a nonce is kept.
    static let maximumCount = 64
    /// The most bytes of a nonce.
    static let maximumSize = 1024

    private let nonces = Lock<[String: String]>([:])

    subscript(origin: String) -> String? { nonces.withLock { $0[origin] } }

    /// Keeps the nonce that an answer brought.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func note(_ answer: IncomingAnswer, from origin: String) -> Bool {
        guard let nonce = answer.only("dpop-nonce"), (1...NonceBook.maximumSize).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) })
        else { return false }
        nonces.withLock { nonces in
            if nonces.count >= NonceBook.maximumCount, nonces[origin] == nil { nonces = [:] }
            nonces[origin] = nonce
        }
        return true
    }
}
