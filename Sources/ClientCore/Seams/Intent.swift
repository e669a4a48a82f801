import MildamCrypto
import MildamIdentity

/// A wish on its way: it is there until it is true, whatever is lost between.
///
/// It is looked at anew in each epoch. What was sent for it is sent again byte by byte until the relay answers; where others
/// were first, something else is made for it. It goes by the numbered echo alone, or where nothing is left to do.
public struct Intent: Hashable, Sendable {
    /// How far it is.
    public enum Progress: Hashable, Sendable {
        /// Nothing is made for it.
        case wanted
        /// This was made for it, and waits for its number; it has one where the relay said so.
        case staged(OutgoingMessage, number: UInt64?)
        /// This was made for it; the relay has not stored it, and may when it is sent again.
        case held(OutgoingMessage)
        /// It could not be said, by this code; its words are kept until the person drops them.
        case unsaid(code: String)
    }

    /// Its name; what is said in a room is sent under it.
    public let id: MessageID
    /// What is wanted.
    public let wish: Wish
    /// When it was wished: milliseconds since 1970.
    public let wished: UInt64
    /// How far it is.
    public internal(set) var progress = Progress.wanted
    /// How many messages that were made for it are known again, the last ones.
    static let mostAttempts = 64
    /// SHA-256 of each of them, in the order in which they were made.
    var attempts: [[UInt8]] = []
    /// The key packages that were claimed for it.
    var claimed: ClaimReply?
    /// What is said for it, encoded.
    var content: [UInt8]?
    /// What it waits for, as the person was told last.
    var toldWaiting: String?
    /// Whether a message for it came back under a number: for those that take more than one.
    var hasEcho = false

    /// A new one.
    public init(_ wish: Wish, id: MessageID, wished: UInt64) {
        self.id = id
        self.wish = wish
        self.wished = wished
    }

    /// What was made for it, and the relay may have.
    public var staged: OutgoingMessage? { if case .staged(let message, number: _) = progress { message } else { nil } }

    /// The same, or what the relay has not stored.
    var outgoing: OutgoingMessage? { if case .held(let message) = progress { message } else { staged } }

    /// Whether this is what one made for it, as it is on the wire.
    func made(_ body: [UInt8]) -> Bool { attempts.contains(Array(SHA256.hash(data: body))) }

    /// Something was made for it.
    mutating func stage(_ message: OutgoingMessage) {
        attempts = Array((attempts + [Array(SHA256.hash(data: message.body))]).suffix(Intent.mostAttempts))
        progress = .staged(message, number: nil)
    }

    /// The relay has not stored what was made for it. What a duty says may be something else by the next time.
    mutating func hold(_ message: OutgoingMessage) { progress = wish.isDuty ? .wanted : .held(message) }
}
