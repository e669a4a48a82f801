import MildamIdentity

/// What a step asks for, once its changes are stored.
public enum Effect: Sendable {
    /// Ask the relay.
    case request(RequestID, RoomRequest)
    /// Show this.
    case show(RoomID, ShownEntry)
    /// Tell the person this.
    case tell(RoomID, Notice)
    /// Make a step at this moment of the steady clock, in milliseconds, at the latest.
    case wake(at: UInt64)
    /// Read what is kept of a room after a number: ``Happening/kept(_:_:)``.
    case readKept(RoomID, after: UInt64)
    /// Read what this device had said under these numbers, of which the bytes are kept at this second since 1970:
    /// ``Happening/lost(_:_:)``. They were lost when the relay was put back (H41).
    case readLost(RoomID, [ClosedRange<UInt64>], keptAt: UInt64)
    /// Read the entries of these numbers: ``Happening/said(_:_:)``. The relay says that what waits was said there.
    case readSaid(RoomID, [ClosedRange<UInt64>])
}
