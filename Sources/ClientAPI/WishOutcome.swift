/// What came of something that was wished for.
public enum WishOutcome: Codable, Equatable, Sendable {
    /// It is so; under this number, where it took a message.
    case done(number: UInt64? = nil)
    /// It cannot be, and why: a code.
    case failed(code: String)
    /// It is taken on; a code for what it waits for, where it waits for more than its turn.
    case waiting(code: String? = nil)
    /// The client knows of no such wish: it was never taken on, or was done before the client began.
    case unknown
    /// A file is on its way: so many bytes of its own so many are over. Both are 0 while its size is not known.
    case moving(done: UInt64, of: UInt64)

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        switch self {
        case .failed(let code): try ClientText.checkCode(code)
        case .waiting(let code): try ClientText.checkCode(code)
        case .done, .unknown, .moving: return
        }
    }
}
