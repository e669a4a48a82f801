import MildamIdentity

/// A device that asks a relay that is played.
package struct PlayedDevice: Hashable, Sendable {
    /// The account.
    package let account: AccountID
    /// The device.
    package let device: DeviceID

    /// A device.
    package init(_ account: AccountID, _ device: DeviceID) {
        self.account = account
        self.device = device
    }

    /// The device with a session; nothing depends on which.
    var sender: Sender { Sender(account: account, device: device, session: Self.session, expires: .max) }

    var address: MailboxAddress { MailboxAddress(account: account, device: device) }

    private static let session = SessionID.random()
}
