/// How far logging out came.
public enum LoggedOut: Sendable {
    /// There was no session here.
    case before
    /// The session has ended, here and at the relay.
    case everywhere
    /// It has ended here, and the relay could not be told, for this reason. There it ends when this device logs in again, or
    /// 90 days after it was used last.
    case hereOnly(MessengerError)
}
