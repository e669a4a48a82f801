import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// A kind of record in a profile's database, and what it holds.
struct RecordKind<Value>: Sendable {
    /// How the database names it.
    let text: String
}

extension RecordKind {
    /// The account of this profile; one, under an empty name.
    static var account: RecordKind<AccountState> { RecordKind<AccountState>(text: "account") }
    /// The session's tokens; one, under an empty name.
    static var session: RecordKind<SessionState> { RecordKind<SessionState>(text: "session") }
    /// What is remembered of an account, by handle.
    static var pin: RecordKind<PinRecord> { RecordKind<PinRecord>(text: "pin") }
    /// A renewal of this device's keys that is under way; one, under an empty name.
    static var renewal: RecordKind<RenewalState> { RecordKind<RenewalState>(text: "renewal") }
    /// How far a client of the first rooms took the mailbox over; one, under an empty name.
    static var mailbox: RecordKind<UInt64> { RecordKind<UInt64>(text: "mailbox") }
    /// Who asks to write to this account, who may not, and what was set aside; one, under an empty name.
    static var consent: RecordKind<Consent> { RecordKind<Consent>(text: "consent") }
    /// The links that this profile made and that have not run out; one, under an empty name.
    static var openLinks: RecordKind<OpenLinks> { RecordKind<OpenLinks>(text: "open links") }
    /// What the relay is told of other accounts; one, under an empty name.
    static var standings: RecordKind<ToldStandings> { RecordKind<ToldStandings>(text: "standings") }
}

/// The kinds of secret key in a profile's database.
enum SecretKind: String {
    /// The account's Ed25519 identity key.
    case identityKey = "identity key"
    /// The Ed25519 key that the account's records commit to as its next identity key.
    case nextIdentityKey = "next identity key"
    /// This device's Ed25519 key.
    case signingKey = "signing key"
    /// This device's X25519 key.
    case agreementKey = "agreement key"
    /// The Ed25519 key that this device is about to have.
    case offeredSigningKey = "offered signing key"
    /// The X25519 key that this device is about to have.
    case offeredAgreementKey = "offered agreement key"
    /// The P-256 key that the session is bound to.
    case sessionKey = "session key"
    /// The secret of a link that somebody gave this profile, by their account.
    case link = "link"
}

/// The account of a profile.
struct AccountState: Codable, Sendable {
    /// Where the relay is: "https://host:port".
    var relayAddress: String
    /// A file with the certificate authority to trust for it, if not the system's.
    var authorityFile: String?
    /// The relay's id, pinned when the account was made.
    var relay: RelayID
    /// The handle.
    var handle: Handle
    /// The account.
    var account: AccountID
    /// This device.
    var device: DeviceID
    /// The account's own records, as they were registered.
    var bundle: AccountBundle
    /// Whether the relay is known to have them.
    var isRegistered: Bool
}

/// An account pin as it is stored.
struct PinRecord: Codable, Sendable {
    private var handle: Handle
    private var account: AccountID
    private var identityKey: [UInt8]
    private var listNumber: UInt64
    private var listDigest: [UInt8]
    /// Missing in records from before there were states: those with a list number were seen, the others told.
    private var state: PinState?

    init(_ pin: AccountPin) {
        handle = pin.handle
        account = pin.account
        identityKey = Array(pin.identityKey.rawRepresentation)
        listNumber = pin.listNumber
        listDigest = pin.listDigest
        state = pin.state
    }

    /// The pin.
    func pin() throws(MessengerError) -> AccountPin {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: identityKey) else {
            throw .stateDamaged("a pinned key is not a key")
        }
        return AccountPin(
            handle: handle,
            account: account,
            identityKey: key,
            listNumber: listNumber,
            listDigest: listDigest,
            state: state
        )
    }
}
