/// What an account's owner looks at and changes.
extension Routes {
    /// Another password; every other session ends.
    public static let changePassword = Route(
        .put,
        "/v1/account/password",
        body: .json(PasswordRequest.self),
        answer: .done(),
        refusals: ownerRefusals
    )

    /// Delete the account. Its handle stays taken, and what it wrote stays with its rooms.
    public static let deleteAccount = Route(
        .post,
        "/v1/account/deletion",
        body: .json(DeletionRequest.self),
        answer: .done(),
        refusals: ownerRefusals + [.badIdentity]
    )

    /// Whether logging in takes a code.
    public static let secondFactor = Route(
        .get,
        "/v1/account/second-factor",
        answer: .json(SecondFactorState.self)
    )

    /// Take a second factor, which waits to be confirmed; one that waits already is replaced.
    public static let takeSecondFactor = Route(
        .post,
        "/v1/account/second-factor",
        body: .json(AccountProof.self),
        answer: .json(SecondFactorSecret.self, status: 201),
        refusals: [.secondFactorActive, .wrongCredentials, .storageFull]
    )

    /// Confirm the second factor with a code; from here on logging in takes one.
    public static let confirmSecondFactor = Route(
        .put,
        "/v1/account/second-factor",
        body: .json(ConfirmSecondFactorRequest.self),
        answer: .json(RecoveryCodes.self),
        refusals: [.secondFactorActive, .noSecondFactor, .wrongCode, .storageFull]
    )

    /// Remove the second factor, with a code or a recovery code.
    public static let removeSecondFactor = Route(
        .post,
        "/v1/account/second-factor/removal",
        body: .json(AccountProof.self),
        answer: .done(),
        refusals: ownerRefusals + [.noSecondFactor]
    )

    /// What happened to the account, the newest first.
    public static let accountLog = Route(
        .get,
        "/v1/account/log",
        answer: .json(AuditLog.self)
    )
}
