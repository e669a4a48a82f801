import MildamIdentity

/// A device and the account it is of. A device's id alone names nobody: its owner chose it, and could choose another's.
struct DeviceAddress: Hashable, Codable, Sendable {
    /// The account.
    var account: AccountID
    /// The device.
    var device: DeviceID
}
