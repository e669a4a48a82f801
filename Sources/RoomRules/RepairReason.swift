import MildamIdentity
import MildamWire

/// Which message a device could not go on from, and why: an external commit mends that (H9, H13).
///
///     struct {
///         uint64 number;
///         opaque sha256[32];     // of the message as the relay has it
///         RepairCause cause;
///     } RepairReason;
public struct RepairReason: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Why a device comes back from outside (H13): `uint8`.
    public enum Cause: UInt8, Sendable, CaseIterable {
        /// What it had to read is no longer kept.
        case behindRetention = 1
        /// A commit that the relay took cannot be processed.
        case commitNotProcessable = 2
        /// Its own state is older than the log: it was put back or copied.
        case ownStateOlder = 3
        /// Its Welcome does not open.
        case welcomeDoesNotOpen = 4
        /// A proposal that the relay wants in every commit is one that it had to refuse.
        case dueProposalRefused = 5
    }

    /// The size of the hash, in bytes.
    public static let hashSize = 32

    /// The message's number.
    public let number: UInt64
    /// SHA-256 of it, 32 bytes.
    public let hash: [UInt8]
    /// Why.
    public let cause: Cause

    /// A reason.
    ///
    /// - Precondition: the hash has 32 bytes.
    public init(number: UInt64, hash: [UInt8], cause: Cause) {
        precondition(hash.count == RepairReason.hashSize, "a hash of a message")
        self.number = number
        self.hash = hash
        self.cause = cause
    }

    /// Reads a reason.
    public init(from reader: inout WireReader) throws(WireError) {
        number = try reader.integer()
        hash = try reader.fixed(RepairReason.hashSize)
        guard let cause = Cause(rawValue: try reader.integer(UInt8.self)) else { throw .invalidValue(field: "cause") }
        self.cause = cause
    }

    /// Appends the reason.
    public func encode(into writer: inout WireWriter) {
        writer.integer(number)
        writer.fixed(hash)
        writer.integer(cause.rawValue)
    }
}
