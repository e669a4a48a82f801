import MildamIdentity

/// The body of `POST /v1/account/deletion`.
public struct DeletionRequest: Codable, Sendable {
    /// That it is the owner.
    public var proof: AccountProof
    /// The account's end, signed by its identity key. The relay serves it for ever in the account's place, and members of rooms
    /// show it to take out what the account has there.
    public var closing: Signed<AccountClosing>

    /// Makes a request.
    public init(proof: AccountProof, closing: Signed<AccountClosing>) {
        self.proof = proof
        self.closing = closing
    }
}
