import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// The rooms of one profile that are MLS groups, as commands, windows and other programs use them.
///
/// What a call takes on is on the disk when it returns, whether the relay can be reached or not; what comes of it is awaited by
/// its id, or heard with ``changes()``. Reading needs no relay.
public protocol RoomService: Sendable {
    /// Begins a room, which this account owns. It is there at once, and at the relay as soon as that can be reached.
    ///
    /// - Parameters:
    ///   - room: a new id, chosen by the caller; with one that is there already nothing happens.
    ///   - info: what it is called.
    ///   - policy: what members may do without a role.
    /// - Throws: `not-stored`.
    func make(_ room: RoomID, _ info: RoomInfo, _ policy: RoomPolicyBits) async throws(RoomFault)

    /// Looks an account up, to be invited: fetched from the relay now, and held against the pin, which is made or moves forward.
    ///
    /// - Throws: a ``RoomFault``, `unknown-account` and `identity-changed` among them; `no-succession` for an account whose
    ///   client was not updated, so that it cannot be in such a room yet.
    func find(_ handle: Handle) async throws(RoomFault) -> FoundAccount

    /// Takes a wish on. It stays until it is so, or cannot be.
    ///
    /// - Parameter id: a new id, chosen by the caller; what is said is sent under it. A wish of an id that is taken on already
    ///   is the same wish.
    /// - Throws: `not-stored`; `no-such-room`.
    func wish(_ wish: Wish, in room: RoomID, as id: MessageID) async throws(RoomFault)

    /// How far a wish is now.
    func progress(of wish: MessageID) async -> WishProgress

    /// What came of a wish, awaited as long as it takes: ``WishProgress/done(number:)``, ``WishProgress/failed(code:)``, or
    /// ``WishProgress/unknown``. When the task is cancelled, how far the wish is then: it goes on.
    func outcome(of wish: MessageID) async -> WishProgress

    /// All rooms, those that were left or that one was put out of too, by id.
    func rooms() async -> [RoomOverview]

    /// Entries of a room, ascending by number; those of one number in the order in which they were shown.
    ///
    /// - Throws: `no-such-room`; `not-readable`, where the store cannot be read.
    func entries(of room: RoomID, _ window: EntryWindow) async throws(RoomFault) -> [ShownEntry]

    /// What happens from here on, until whoever listens lets the stream go. What is told was stored before.
    func changes() async -> AsyncStream<RoomChange>

    /// Whether the relay can be reached.
    var connection: RelayConnection { get async }
}

/// An account that was looked up, and can be invited.
public struct FoundAccount: Sendable, Equatable {
    /// The handle.
    public let handle: Handle
    /// The account.
    public let account: AccountID
    /// Who it is in a room.
    public let identity: RoomIdentity
    /// What people compare.
    public let fingerprint: Fingerprint
}

/// How far a wish is.
public enum WishProgress: Sendable, Equatable {
    /// It is so; under this number, where it took a message.
    case done(number: UInt64?)
    /// It cannot be: a code of ``MildamClientCore/Notice``, of the room's rules, or of the relay.
    case failed(code: String)
    /// It is taken on; a code for what it waits for, where it waits for more than its turn.
    case waiting(code: String?)
    /// This process knows of no such wish: it was never taken on, or it was done before the process began.
    case unknown
}

/// A room in a list.
public struct RoomOverview: Sendable {
    /// How this account stands to a room.
    public enum Standing: String, Sendable, CaseIterable {
        /// It is being made.
        case beginning
        /// Somebody unknown invites this account.
        case requested
        /// Somebody invites this account; nobody has accepted.
        case invited
        /// It is a member.
        case member
        /// It has left.
        case left
        /// It was put out.
        case removed
    }

    /// The room.
    public let room: RoomID
    /// How this account stands to it.
    public let standing: Standing
    /// What it is called, where that is known.
    public let info: RoomInfo?
    /// Which of the room's groups it is.
    public let generation: UInt64
    /// The group's epoch; `nil` where this device is in no group.
    public let epoch: UInt64?
    /// The epoch's authenticator, the same for all members (H40); `nil` where this device is in no group.
    public let epochAuthenticator: [UInt8]?
    /// Who is in it, with what they may do and may be done; `nil` where this device is in no group.
    public let members: RoomMembers?
    /// The number of the last message that was read.
    public let last: UInt64
    /// Whether all was read that the relay has, as far as that is known.
    public let isLogRead: Bool
    /// What is wished and is not so yet, in the order in which it was wished: what waits to be sent among it.
    public let wishes: [Intent]
    /// Why it cannot be gone on with at present.
    public let trouble: Cause?
}

/// Which entries are asked for: so many at most, up to a number or from one on.
public enum EntryWindow: Sendable, Equatable {
    /// The last ones.
    case last(count: Int)
    /// The last ones before a number.
    case before(UInt64, count: Int)
    /// The first ones from a number on.
    case from(UInt64, count: Int)
}

/// Something that happened.
public enum RoomChange: Sendable {
    /// There is a new entry.
    case entry(RoomID, ShownEntry)
    /// Something to be told of a room: a code, for which others have the words.
    case notice(RoomID, Notice)
    /// The relay says that this account is no member of the room, or not any more.
    case shutOut(RoomID)
    /// The relay can be reached, or cannot.
    case connection(RelayConnection)
    /// Another account is not what it was, or cannot be looked up.
    case account(AccountID, RoomFault)
    /// A step could not be stored; it is as if it had not been made, and it is made again.
    case notStored(RoomFault)
}

/// The connection to the relay.
public enum RelayConnection: Sendable, Equatable {
    /// Nothing was tried yet.
    case idle
    /// It is there.
    case connected
    /// It is not; it is tried again after so many milliseconds.
    case waiting(RoomFault, milliseconds: UInt64)
    /// It is not, and another attempt cannot mend it: what was typed or set up by a person has to be changed.
    case stopped(RoomFault)
}
