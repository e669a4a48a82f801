import MildamIdentity

/// Something that a person is told of a room, beside its entries: codes, for which others have the words.
public enum Notice: Hashable, Sendable {
    /// What was wished is so; under this number, where it took a message.
    case wishIsDone(MessageID, number: UInt64?)
    /// What was wished cannot be.
    case wishFailed(MessageID, code: String)
    /// What was wished waits.
    case wishWaits(MessageID, code: String)
    /// The room cannot be read on; what is done about it is the cause's remedy.
    case trouble(Cause)
    /// The room can be read on.
    case troubleIsOver
    /// The room is at a stand: the remedy was tried as often as it may be. It is tried again at this moment of the steady
    /// clock, in milliseconds.
    case stopped(Cause, until: UInt64)
    /// The device's state was put back, or copied: it sends nothing until it has come back.
    case stateWasPutBack
    /// Somebody else has acted with this device's keys: `renew-keys` is offered.
    case keysAreUsedElsewhere
    /// Messages of a device are missing: it has counted so many more than were seen.
    case messagesMissing(AccountID, DeviceID, count: UInt64)
    /// These accounts state another history than this device has seen.
    case historyStatedOtherwise(by: Set<AccountID>, number: UInt64)
    /// The relay was put back to an earlier state.
    case relayWentBack(last: UInt64)
    /// One is invited.
    case invited
    /// One is no longer a member.
    case removed
}
