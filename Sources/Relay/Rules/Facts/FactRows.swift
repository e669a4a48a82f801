import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// That there is, or was, an account.
struct AccountFact: Equatable, Sendable {
    /// Its handle; `nil` once it was deleted.
    var handle: Handle?
}

/// A device.
struct DeviceFact: Equatable, Sendable {
    /// The Ed25519 public key that it signs with.
    var key: [UInt8]
    /// The first number that is still in its mailbox, and the one that its next item will get.
    var mailbox: Range<UInt64> = 1..<1
    /// Items in the part of its mailbox for known senders.
    var known = 0
    /// What is in the strangers' part.
    var requests = MailboxShare()

    /// Whether the strangers' part has room for so many bytes more, so that nothing gives way to them.
    func hasRoom(forRequestOf bytes: Int, _ quota: RelayQuota) -> Bool {
        requests.hasRoom(for: bytes, items: quota.requestItems, bytes: quota.requestBytes)
    }
}

/// A session of a device.
struct SessionFact: Equatable, Sendable {
    var family: RefreshFamily
    /// When the device logged in, in seconds since 1970.
    let begun: Int64
    /// The thumbprint of the key that the session is bound to; `nil` for none.
    var thumbprint: String?

    /// The session.
    var id: SessionID { family.session }
}

/// A second factor.
struct FactorFact: Equatable, Sendable {
    var secret: SealedCodeSecret
    var isActive: Bool
    var state: SecondFactor
}

/// A line of an account's log, as far as rules ask for it.
struct AuditFact: Equatable, Sendable {
    let number: Int64
    let kind: String
    let isFailure: Bool
    var time: Int64
    var count: Int
}

/// A message that was sent before.
struct SentFact: Equatable, Sendable {
    let number: UInt64
    /// Of its request, 32 bytes; of what was given back ``GivenBack/digest(of:)``.
    let digest: [UInt8]
}

/// What an account has caused, and from which network it comes.
struct UsageFact: Equatable, Sendable {
    var disk = DiskUsage()
    /// `nil` for an account that was made when not everybody could make one, or before that was written down.
    var network: NetworkID?
}

/// A blob that may be deleted.
struct FoundBlob: Equatable, Sendable {
    let name: BlobName
    /// Whose it is.
    let owner: AccountID
    /// Its size in bytes, as its first piece said.
    let size: Int
}
