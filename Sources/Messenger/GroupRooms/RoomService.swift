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

    /// Goes on with a room of the first kind: makes a room of its name, which this account owns, and invites its
    /// members, all in one step. Where this account goes on with it in another room already, nothing happens.
    ///
    /// - Parameter room: a new id, chosen by the caller.
    /// - Returns: the room that goes on.
    /// - Throws: `not-stored`; `not-made`.
    func goOn(with older: OlderRoom, as room: RoomID) async throws(RoomFault) -> RoomID

    /// Looks an account up, to be invited: fetched from the relay now, and held against the pin, which is made or moves forward.
    ///
    /// - Throws: a ``RoomFault``, `unknown-account` and `identity-changed` among them; `no-succession` for an account whose
    ///   client was not updated, so that it cannot be in such a room yet.
    func find(_ handle: Handle) async throws(RoomFault) -> FoundAccount

    /// Looks accounts up, to be invited, in as few requests as there can be.
    ///
    /// - Returns: for each, in their order, who it is, or why it cannot be invited: as ``find(_:)``.
    /// - Throws: a ``RoomFault``, where nobody could be looked up.
    func find(all accounts: [SoughtAccount]) async throws(RoomFault) -> [Result<FoundAccount, RoomFault>]

    /// Takes a wish on. It stays until it is so, or cannot be.
    ///
    /// - Parameter id: a new id, chosen by the caller; what is said is sent under it, and once: a wish of an id that is taken on
    ///   already is the same wish, and one of an id that was said is done, once the relay has told its number.
    /// - Throws: `not-stored`; `no-such-room`; `too-many-waiting`, where a thousand wait in the room: nothing is taken on.
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

    /// Takes in what the relay has by now: invitations, and what was said in rooms that can be read on. Connects at once where there
    /// is no connection. Takes as long as it takes; when the task is cancelled, what has come by then is there.
    ///
    /// - Throws: why the relay cannot be reached; `behind` where the task is cancelled before.
    func refresh() async throws(RoomFault)

    /// Drops everything that is here of a room that this account is not in any more.
    ///
    /// - Throws: `no-such-room`; `wrong-standing` for a room that it is in, or may come into; `not-stored`.
    func forget(_ room: RoomID) async throws(RoomFault)

    /// What happens from here on, until whoever listens lets the stream go. What is told was stored before.
    func changes() async -> AsyncStream<RoomChange>

    /// The rooms that this device is in with other keys than it has now (H17), once none is left or so many seconds are over. The
    /// rooms get the new ones by themselves.
    ///
    /// - Throws: a ``RoomFault`` where it cannot be known which keys the device has now.
    func roomsWithOldKeys(within seconds: Int) async throws(RoomFault) -> Set<RoomID>

    /// Whether the relay can be reached.
    var connection: RelayConnection { get async }

    /// Tries to reach the relay now, where the next attempt would come later. When the task is cancelled, how it is then.
    func reach() async -> RelayConnection

    /// Reads a room as far as the relay has it now. When the task is cancelled, what was read is here.
    ///
    /// - Returns: why not all of it is here; `nil` where it is, and of a room that this account is not in.
    /// - Throws: `no-such-room`.
    func catchUp(_ room: RoomID) async throws(RoomFault) -> RoomFault?

    /// Does not say what waits to be said.
    ///
    /// - Throws: `no-such-room`; `not-waiting`; `under-way`, where the relay may have it already; `not-stored`.
    func drop(_ message: MessageID, in room: RoomID) async throws(RoomFault)
}

extension RoomService {
    /// One by one.
    public func find(all accounts: [SoughtAccount]) async throws(RoomFault) -> [Result<FoundAccount, RoomFault>] {
        var found: [Result<FoundAccount, RoomFault>] = []
        for account in accounts {
            do throws(RoomFault) {
                found.append(.success(try await find(account.handle)))
            } catch {
                found.append(.failure(error))
            }
        }
        return found
    }
}

/// An account that is to be looked up.
public struct SoughtAccount: Sendable, Equatable {
    /// The account.
    public let account: AccountID
    /// What it is called.
    public let handle: Handle

    /// An account that is called so.
    public init(account: AccountID, handle: Handle) {
        self.account = account
        self.handle = handle
    }
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
    /// Whether this profile has met it just now, and not before.
    public var isNew = false
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
    /// Whether somebody else has acted with the keys that this device has.
    public var areKeysUsedElsewhere = false
    /// The room of the first kind that it says that it goes on from; `nil` for none.
    public var continued: ContinuedRoom?
    /// Who made the invitation, by the Welcome that this device came in by; `nil` where it came in from outside, or made the room.
    public var invitedBy: AccountID?
    /// What could not be said and was not dropped, in the order in which that became so.
    public var unsaid: [Intent] = []
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
    /// The relay can be reached, or cannot; or its clock and this machine's were found to differ, or to agree again.
    case connection(RelayConnection)
    /// Another account is not what it was, or cannot be looked up; of one's own, what keeps its records or its mail from being taken.
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
