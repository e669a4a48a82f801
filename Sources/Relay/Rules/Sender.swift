import MildamIdentity

/// Who asks: what an access token says.
struct Sender: Sendable, Hashable {
    /// The account.
    let account: AccountID
    /// The device.
    let device: DeviceID
    /// The session.
    let session: SessionID
    /// The second, since 1970, at which the token runs out.
    let expires: Int64

    /// The device's mailbox.
    var address: MailboxAddress { MailboxAddress(account: account, device: device) }
}

/// A device's mailbox.
struct MailboxAddress: Sendable, Hashable {
    /// The account.
    let account: AccountID
    /// Its device.
    let device: DeviceID
}
