/// What the relay says of itself as an authorization server (RFC 8414): the answer of
/// `GET /.well-known/oauth-authorization-server`.
public struct ServerMetadata: Codable, Sendable, Equatable {
    /// The relay's public address.
    public var issuer: String
    /// Where tokens are asked for.
    public var tokenEndpoint: String
    /// Where tokens are given back (RFC 7009).
    public var revocationEndpoint: String
    /// The grants that there are.
    public var grantTypesSupported = [LoginGrant.type, TokenRequest.refreshGrantType]
    /// No authorization endpoint, so none.
    public var responseTypesSupported: [String] = []
    /// What proofs of possession are signed with.
    public var dpopSigningAlgValuesSupported = ["ES256"]

    /// What a relay at an address says.
    public init(issuer: String) {
        self.issuer = issuer
        tokenEndpoint = issuer + Routes.token.path
        revocationEndpoint = issuer + Routes.revocation.path
    }

    private enum CodingKeys: String, CodingKey {
        case issuer
        case tokenEndpoint = "token_endpoint"
        case revocationEndpoint = "revocation_endpoint"
        case grantTypesSupported = "grant_types_supported"
        case responseTypesSupported = "response_types_supported"
        case dpopSigningAlgValuesSupported = "dpop_signing_alg_values_supported"
    }
}
