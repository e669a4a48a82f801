import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamOTP
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RouteHandler {
    /// The second factor.
    static let secondFactor = [
        RouteHandler(Routes.secondFactor, .reading) { $0.secondFactor($1.sender, $1.reply) },
        RouteHandler(Routes.takeSecondFactor, .login, also: ownerProof) { service, call throws(APIError) in
            try service.enrol(call)
        },
        RouteHandler(Routes.confirmSecondFactor, .code) { service, call throws(APIError) in try service.confirm(call) },
        RouteHandler(Routes.removeSecondFactor, .login, also: ownerProof) { service, call throws(APIError) in
            try service.removeSecondFactor(call)
        },
    ]
}

extension RelayService {
    /// `GET /v1/account/second-factor`.
    func secondFactor(_ sender: Sender, _ reply: Answer) {
        parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
            .success(.json(try reader.secondFactor(of: sender.account)))
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `POST /v1/account/second-factor`.
    func enrol(_ call: Call<Sender, NoNames, Void, AccountProof>) throws(APIError) {
        let (sender, turn, reply) = (call.sender, call.turn, call.reply)
        try withBody(of: call, for: turn) { [parts] body throws(APIError) in
            try Self.check(body, for: .secondFactor, from: call, parts) { login, _ in
                let secret = SymmetricKey(SecretBytes.random(count: SealedCodeSecret.secretSize))
                let operation = EnrolFactor(login, by: sender, secret: secret, keys: parts.secrets.codeKeys)
                parts.commits.perform(operation, for: turn) { result in
                    reply.send(HTTPResponse(result.map { .json(SecondFactorSecret($0), status: 201) }))
                }
            }
        }
    }

    /// `PUT /v1/account/second-factor`.
    func confirm(_ call: Call<Sender, NoNames, Void, ConfirmSecondFactorRequest>) throws(APIError) {
        let (sender, turn, reply) = (call.sender, call.turn, call.reply)
        try withBody(of: call, for: turn) { [parts] body throws(APIError) in
            try PresentedFactor.check(body.otp)
            let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode.random() }
            let operation = ConfirmFactor(
                code: body.otp,
                sender: sender,
                recovery: codes.map(\.verifier),
                keys: parts.secrets.codeKeys
            )
            parts.commits.perform(operation, for: turn) { result in
                reply.send(HTTPResponse(result.map { .json(RecoveryCodes(codes: codes.map(\.text))) }))
            }
        }
    }

    /// `POST /v1/account/second-factor/removal`.
    func removeSecondFactor(_ call: Call<Sender, NoNames, Void, AccountProof>) throws(APIError) {
        let (sender, turn, reply) = (call.sender, call.turn, call.reply)
        let address = parts.gate.address(of: call.request)
        try withBody(of: call, for: turn) { [parts] body throws(APIError) in
            try Self.check(body, for: .secondFactorRemoval, from: call, parts) { login, factor in
                let check = parts.check(factor, of: login.address)
                parts.commits.perform(RemoveFactor(login: login, sender: sender, factor: check), for: turn) { result in
                    parts.loginFailures.note(result, from: address)
                    reply.send(HTTPResponse(result.map { .done }))
                }
            }
        }
    }
}

extension SecondFactorSecret {
    /// The answer that shows a token, this once.
    fileprivate init(_ token: OneTimePassword) {
        self.init(secret: unsafe token.secret.withUnsafeBytes { unsafe Data($0) }, uri: token.uri)
    }
}
