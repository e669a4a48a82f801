import MildamContent
import MildamCrypto
import MildamIdentity
import MildamRoomRules

/// What a step begins with.
public enum Happening: Sendable {
    /// The relay can be reached.
    case connected
    /// The relay cannot be reached; what was asked is not answered any more.
    case disconnected
    /// Time has passed.
    case tick
    /// The relay answers.
    case reply(RequestID, RelayReply)
    /// The relay tells of messages by itself.
    case live(LogPage)
    /// A Welcome is in the mailbox.
    case welcome(ArrivedWelcome)
    /// One has a seat in a room, and no leaf.
    case seat(RoomID, generation: UInt64)
    /// The relay says that the account is no member of a room, or not any more.
    case noMember(RoomID)
    /// So many key packages of this device are left.
    case stock(left: Int)
    /// A room is to be made.
    case create(RoomID, RoomInfo, RoomPolicyBits)
    /// A room of the first kind is to be gone on with as this one (H28), unless this account goes on with it already.
    case createAfter(OlderRoom, as: RoomID)
    /// Something is wished, under a name that is used for nothing else.
    case wish(RoomID, Wish, id: MessageID)
    /// The invitation of a stranger is declined: nobody hears of it, whatever they have put into the room (H7). Of a room that is
    /// stood to in another way, that the person leaves it.
    case decline(RoomID, id: MessageID)
    /// The device has new keys, or a new record, and the account a list that names it (H17).
    case device(OwnDevice)
    /// The newest list of an account's devices that this client knows.
    case list(KnownDeviceList)
    /// The owner of an account of rooms has deleted it.
    case closing(KnownClosing)
    /// The identity key that the person knows of an account, first or by having accepted a new one. Lists, ends of accounts and
    /// pins are told at each start: the core does not keep them (H1).
    case pin(AccountID, Curve25519.Signing.PublicKey)
    /// The relay has GroupInfos of an epoch that differ, and asks each member which is its own (H10).
    case groupInfoWanted(RoomID, generation: UInt64, epoch: UInt64)
    /// What the store keeps of a room after a number: handshake messages, and messages of one's own (H41).
    case kept(RoomID, [NumberedMessage])
    /// What this device had said in a room under numbers that are lost, to be said again as new (H41); `nil` where it cannot be
    /// read now.
    case lost(RoomID, LostWords?)
    /// The entries of a room that were asked for, to be held against what waits.
    case said(RoomID, [ShownEntry])
    /// A room that the account is not in any more is to be forgotten: nothing of it stays here.
    case forget(RoomID)
    /// Something that waits to be said is not wanted any more.
    case drop(RoomID, MessageID)
}
