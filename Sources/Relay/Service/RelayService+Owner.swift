import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RouteHandler {
    /// What a proof of the account's owner is counted by, beside the rule of its route.
    static let ownerProof: [RateRule] = [.password, .code, .recovery]

    /// What an account's owner changes, and what happened to the account.
    static let owner = [
        RouteHandler(Routes.changePassword, .login, also: ownerProof) { service, call throws(APIError) in
            try service.changePassword(call)
        },
        RouteHandler(Routes.deleteAccount, .login, also: ownerProof) { service, call throws(APIError) in
            try service.deleteAccount(call)
        },
        RouteHandler(Routes.accountLog, .reading) { $0.accountLog($1.sender, $1.reply) },
    ]
}

/// What takes the password and the device's key beside the access token.
extension RelayService {
    /// `PUT /v1/account/password`.
    func changePassword(_ call: Call<Sender, NoNames, Void, PasswordRequest>) throws(APIError) {
        let (sender, turn, reply) = (call.sender, call.turn, call.reply)
        let address = parts.gate.address(of: call.request)
        try withBody(of: call, for: turn) { [parts] body throws(APIError) in
            guard body.authenticator.count == SaltedVerifier.authenticatorSize else {
                throw APIError(.badRequest, "authenticator is not 32 bytes")
            }
            try Self.check(body.proof, for: .password, presenting: body.authenticator, from: call, parts) {
                login,
                factor in
                // The same again, after an answer that was lost.
                guard !login.verifier.accepts(body.authenticator) else { return reply.send(.done) }
                let operation = ChangePassword(
                    login: login,
                    sender: sender,
                    verifier: SaltedVerifier(of: body.authenticator),
                    factor: parts.check(factor, of: login.address)
                )
                parts.commits.perform(operation, for: turn) { result in
                    parts.loginFailures.note(result, from: address)
                    reply.send(HTTPResponse(result.map { .done }))
                }
            }
        }
    }

    /// `POST /v1/account/deletion`.
    func deleteAccount(_ call: Call<Sender, NoNames, Void, DeletionRequest>) throws(APIError) {
        let (sender, turn, reply) = (call.sender, call.turn, call.reply)
        let address = parts.gate.address(of: call.request)
        try withBody(of: call, for: turn) { [parts] body throws(APIError) in
            try Self.check(body.proof, for: .deletion, from: call, parts) { login, factor in
                Self.check(body.closing, of: sender.account, for: turn, parts) { checked in
                    let closing: [UInt8]
                    switch checked {
                    case .failure(let error): return reply.send(.error(error))
                    case .success(let signed): closing = signed
                    }
                    let operation = DeleteAccount(
                        login: login,
                        sender: sender,
                        factor: parts.check(factor, of: login.address),
                        removal: AccountRemoval(
                            account: sender.account,
                            closing: closing,
                            tombstone: parts.secrets.tombstone
                        )
                    )
                    parts.commits.perform(operation, for: turn) { result in
                        parts.loginFailures.note(result, from: address)
                        reply.send(HTTPResponse(result.map { .done }))
                    }
                }
            }
        }
    }

    /// `GET /v1/account/log`.
    func accountLog(_ sender: Sender, _ reply: Answer) {
        parts.failedLogins.write { [parts] in
            parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
                .success(.json(try reader.auditLog(of: sender.account)))
            } then: {
                reply.send(HTTPResponse($0))
            }
        }
    }

    /// Looks at an account's end where it holds nobody up, and goes on here.
    private static func check(
        _ closing: Signed<AccountClosing>,
        of account: AccountID,
        for turn: Turn,
        _ parts: RelayParts,
        then next: @escaping @Sendable (Result<[UInt8], APIError>) -> Void
    ) {
        parts.check(for: turn) { reader throws(StorageError) in
            guard let bundle = try reader.bundle(of: account) else { return .failure(LoginCheck.wrong) }
            return .success(bundle)
        } _: { (bundle: [UInt8]) in
            Result { () throws(APIError) in
                try ClosingCheck.check(closing, of: account, against: bundle, relay: parts.secrets.relay)
            }
        } then: { (result: Result<[UInt8], APIError>) in
            next(result)
        }
    }

    /// Looks at a proof of the account's owner where it holds nobody up, and goes on here when it is right.
    static func check<Names, Body>(
        _ proof: AccountProof,
        for purpose: DeviceProof.Purpose,
        presenting new: Data = Data(),
        from call: Call<Sender, Names, Void, Body>,
        _ parts: RelayParts,
        then next: @escaping @Sendable (CheckedLogin, PresentedFactor?) -> Void
    ) throws(APIError) {
        guard proof.authenticator.count == SaltedVerifier.authenticatorSize else {
            throw APIError(.badRequest, "authenticator is not 32 bytes")
        }
        guard proof.signature.count == 64 else { throw APIError(.badRequest, "signature is not 64 bytes") }
        let factor = try PresentedFactor(otp: proof.otp, recoveryCode: proof.recoveryCode)
        let (sender, reply) = (call.sender, call.reply)
        let (mailbox, address) = (sender.address, parts.gate.address(of: call.request))
        parts.check(for: Turn(sender, reply)) { reader throws(StorageError) in
            .success(try reader.login(mailbox))
        } _: { (row: LoginRow?) in
            LoginCheck.check(
                proof,
                for: purpose,
                presenting: new,
                by: sender.device,
                against: row,
                relay: parts.secrets.relay,
                at: parts.clock.seconds,
                admit: { account throws(APIError) in try parts.gate.admit(.password, .account(account)) }
            )
        } then: { (result: Result<CheckedLogin, APIError>) in
            parts.loginFailures.note(result, from: address)
            do throws(APIError) {
                let login = try result.get()
                try parts.gate.admit(factor, of: sender.account)
                next(login, factor)
            } catch {
                reply.send(.error(error))
            }
        }
    }
}

extension PresentedFactor {
    /// Reads what a request brings; `nil` when it brings neither.
    ///
    /// - Throws: `bad_request` for both at once, and for what neither can be.
    init?(otp: String?, recoveryCode: String?) throws(APIError) {
        switch (otp, recoveryCode) {
        case (nil, nil): return nil
        case (let otp?, nil):
            try Self.check(otp)
            self = .code(otp)
        case (nil, let code?):
            guard code.utf8.count <= 64 else { throw APIError(.badRequest, "recoveryCode is too long") }
            self = .recovery(code)
        case (_?, _?): throw APIError(.badRequest, "otp and recoveryCode do not go together")
        }
    }

    /// - Throws: `bad_request` for what is not six digits.
    static func check(_ otp: String) throws(APIError) {
        guard otp.utf8.count == 6, otp.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw APIError(.badRequest, "otp is not six digits")
        }
    }
}
