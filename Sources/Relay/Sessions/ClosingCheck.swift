import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamWire

/// Whether an account's end is what its owner says. Pure.
enum ClosingCheck {
    /// What is kept of it.
    ///
    /// - Parameter bundle: the account's, as it is served.
    /// - Returns: content and signature, 97 bytes.
    /// - Throws: `bad_identity` where the account's identity key did not sign it, or it is of something else.
    static func check(
        _ signed: Signed<AccountClosing>,
        of account: AccountID,
        against bundle: [UInt8],
        relay: RelayID
    ) throws(APIError) -> [UInt8] {
        guard let known = try? JSONDecoder().decode(AccountBundle.self, from: Data(bundle)) else {
            throw APIError(.internalError, "the account's records cannot be read")
        }
        guard let closing = try? signed.verified(under: known.account.claimed.identityKey) else {
            throw APIError(.badIdentity, "the closing is not signed by the account's identity key")
        }
        guard closing == AccountClosing(relay: relay, account: account) else {
            throw APIError(.badIdentity, "the closing is of another account, or another relay's")
        }
        return signed.wireBytes
    }
}
