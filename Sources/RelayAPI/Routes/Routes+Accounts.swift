import MildamIdentity

/// Who the relay is, and the accounts that it has.
extension Routes {
    /// Who the relay is.
    public static let relay = Route(
        .get,
        "/v1/relay",
        for: Anyone.self,
        answer: .json(RelayDescription.self)
    )

    /// What all routes take and answer, as an OpenAPI 3.1 document.
    public static let document = Route(
        .get,
        "/v1/openapi.json",
        for: Anyone.self,
        answer: .document
    )

    /// How to derive the authenticator for a handle, be it taken or not.
    public static let login = Route(
        .get,
        "/v1/login/{handle}",
        Handle.self,
        for: Anyone.self,
        answer: .json(LoginParameters.self)
    )

    /// Register an account with its first device.
    public static let register = Route(
        .post,
        "/v1/accounts",
        for: Anyone.self,
        body: .json(RegisterRequest.self, atMost: Limits.accountBody),
        answer: .json(TokenAnswer.self, status: 201),
        refusals: [
            .badIdentity, .handleTaken, .wrongCredentials, .invitationRequired, .registrationClosed, .invalidProof,
            .nonceNeeded, .quotaExceeded, .storageFull,
        ]
    )

    /// An account's records.
    public static let account = Route(
        .get,
        "/v1/accounts/{handle}",
        Handle.self,
        answer: .json(AccountBundle.self),
        refusals: [.unknownAccount]
    )

    /// Records of accounts by their ids.
    public static let bundles = Route(
        .post,
        "/v1/bundles",
        body: .json(AccountQuery.self),
        answer: .json(AccountAnswers.self)
    )

    /// Take the account's next device list, in which the calling device has new keys.
    public static let renewDevice = Route(
        .put,
        "/v1/accounts/{handle}/devices",
        Handle.self,
        body: .json(RenewDeviceRequest.self, atMost: Limits.accountBody),
        answer: .done(),
        refusals: [.badIdentity, .staleList, .unknownAccount, .wrongCredentials, .storageFull]
    )
}
