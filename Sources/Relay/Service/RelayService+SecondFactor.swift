import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamOneTimeCode
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RelayService {
    /// `GET /v1/account/second-factor`.
    func secondFactor(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        _ = try Query(request.target, names: [])
        parts.reads.perform { reader throws(StorageError) in
            .success(.json(try reader.secondFactor(of: sender.account)))
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `POST /v1/account/second-factor`.
    func enrol(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request)
        _ = try Query(request.target, names: [])
        try admit(.login, request)
        try withBody(AccountProof.self, of: request, reply) { [parts] body throws(APIError) in
            try Self.check(body, for: .secondFactor, by: sender, parts, reply) { login, _ in
                let secret = SymmetricKey(SecretBytes.random(count: SealedCodeSecret.secretSize))
                let operation = EnrolFactor(login, by: sender, secret: secret, keys: parts.secrets.codeKeys)
                parts.commits.perform(operation) { result in
                    reply.send(HTTPResponse(result.map { .json(SecondFactorSecret($0), status: 201) }))
                }
            }
        }
    }

    /// `PUT /v1/account/second-factor`.
    func confirm(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .code)
        _ = try Query(request.target, names: [])
        try withBody(ConfirmSecondFactorRequest.self, of: request, reply) { [parts] body throws(APIError) in
            try PresentedFactor.check(body.otp)
            let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode.random() }
            let operation = ConfirmFactor(
                code: body.otp,
                sender: sender,
                recovery: codes.map(\.verifier),
                keys: parts.secrets.codeKeys
            )
            parts.commits.perform(operation) { result in
                reply.send(HTTPResponse(result.map { .json(RecoveryCodes(codes: codes.map(\.text))) }))
            }
        }
    }

    /// `POST /v1/account/second-factor/removal`.
    func removeSecondFactor(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request)
        _ = try Query(request.target, names: [])
        try admit(.login, request)
        try withBody(AccountProof.self, of: request, reply) { [parts] body throws(APIError) in
            try Self.check(body, for: .secondFactorRemoval, by: sender, parts, reply) { login, factor in
                let check = parts.check(factor, of: login.address)
                parts.commits.perform(RemoveFactor(login: login, sender: sender, factor: check)) {
                    reply.send(HTTPResponse($0.map { .done }))
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
