import MildamKeychain

/// Why the other keyring could not be read.
public enum SecretServiceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no session bus: nobody is logged in to a desktop here.
    case noSessionBus
    /// The bus, or the keyring behind it, refused, in its own words, which are foreign text.
    case refused(String)
    /// It has too much.
    case transfer(TransferError)

    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .noSessionBus:
            "there is no session bus, and so no keyring of a desktop; run this in the desktop's session, or set "
                + "DBUS_SESSION_BUS_ADDRESS"
        case .refused(let reason): "the desktop's keyring refused: \(reason)"
        case .transfer(let error): error.description
        }
    }
}
