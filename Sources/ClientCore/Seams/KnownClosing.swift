import MildamCrypto
import MildamIdentity
import MildamRoomRules

/// An account's end that was verified, and the identity key that signed it (H29).
public struct KnownClosing: Sendable {
    /// As it was signed.
    let signed: Signed<AccountClosing>
    /// The account.
    public let account: AccountID
    /// The key that signed it: only where the account has this one does it count.
    let key: Curve25519.Signing.PublicKey

    /// What is shown as an account's end.
    ///
    /// - Parameter identities: those that the account has in rooms; one of them has to have signed it.
    /// - Throws: `badSignature`; `notWhatWasAsked` for the end of another account, or of one on another relay.
    public init(
        _ signed: Signed<AccountClosing>,
        of account: AccountID,
        on relay: RelayID,
        asAnyOf identities: Set<RoomIdentity>
    ) throws(IdentityError) {
        let signer = identities.first { (try? signed.verified(under: $0.key)) != nil }
        guard let signer else { throw .badSignature(AccountClosing.label.text) }
        guard signed.claimed == AccountClosing(relay: relay, account: account) else {
            throw .notWhatWasAsked("account")
        }
        (self.signed, self.account, key) = (signed, account, signer.key)
    }
}
