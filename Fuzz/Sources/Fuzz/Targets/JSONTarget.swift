import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamWire

@testable import MildamRelay

extension FuzzTarget {
    /// Every body that the relay reads, and what it hears on a socket. The first byte says which.
    static let jsonBodies = FuzzTarget(
        name: "json-bodies",
        source: .network,
        seeds: {
            let account: AccountID = FixedKeys.id(1)
            let device: DeviceID = FixedKeys.id(2)
            let room: RoomID = FixedKeys.id(3)
            let session: SessionID = FixedKeys.id(5)
            let handle = FixedKeys.account.handle
            let body = Data([1, 2, 3])
            let proof = AccountProof(authenticator: body, time: 1, signature: body, recoveryCode: "aaaa-bbbb-cccc-dddd")
            let assertion = DeviceAssertion(device: device, time: 1, signature: Data(count: 64))
            return [
                seed(0, LinkRequest(expires: 1)),
                seed(
                    1,
                    RegisterRequest(
                        handle: handle,
                        authenticator: body,
                        bundle: FixedKeys.bundle,
                        time: 1,
                        signature: body
                    )
                ),
                form(.login(LoginGrant(handle: handle, authenticator: body, code: "123456"), assertion)),
                form(.refresh(RefreshToken(session: session, secret: [UInt8](body)), assertion)),
                seed(4, ClaimRequest(id: FixedKeys.id(4), room: room)),
                seed(5, LiveRequest.subscribe(room: room, from: 1)),
                seed(5, LiveRequest.renew(access: "a.b.c")),
                seed(5, LiveRequest.renew(access: "a.b.c", proof: "d.e.f")),
                seed(6, proof),
                seed(7, PasswordRequest(proof: proof, authenticator: body)),
                seed(8, ConfirmSecondFactorRequest(otp: "123456")),
                seed(9, OperatorRequest.logOut(handle: handle, session: session)),
                seed(10, AccountQuery(accounts: [account])),
                seed(11, StandingRequest(account: account, standing: .known)),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let body = Array(input.dropFirst())
            switch first {
            case 0:
                guard let request = read(LinkRequest.self, body) else { return }
                planted(request.expires != 1)
            case 1:
                guard let request = read(RegisterRequest.self, body) else { return }
                _ = try? Registration(verifying: request, boundTo: "", relay: FixedKeys.relay, at: 1)
            case 2, 3:
                guard let fields = try? FormFields(text: body.span), let request = try? TokenRequest(fields) else {
                    return
                }
                let again = try? TokenRequest(FormFields(text: Array(request.form.text.utf8).span))
                mustHold(again == request, "what was read of a form is read again as it is written")
            case 4: _ = read(ClaimRequest.self, body)
            case 6:
                guard let proof = read(AccountProof.self, body) else { return }
                if case .recovery(let typed)? = try? PresentedFactor(otp: proof.otp, recoveryCode: proof.recoveryCode) {
                    let code = RecoveryCode(typed: typed)
                    mustHold(
                        code == nil || code.flatMap { RecoveryCode(typed: $0.text) }?.text == code?.text,
                        "a recovery code is read as it is shown"
                    )
                }
            case 7: _ = read(PasswordRequest.self, body)
            case 8: _ = read(ConfirmSecondFactorRequest.self, body)
            case 9: _ = read(OperatorRequest.self, body)
            case 10: _ = read(AccountQuery.self, body)
            case 11: _ = read(StandingRequest.self, body)
            default: _ = read(LiveRequest.self, body)
            }
        }
    )

    private static func form(_ request: TokenRequest) -> [UInt8] { [2] + Array(request.form.text.utf8) }

    /// Reads a body as the relay does; what it takes, it takes again as it writes it.
    private static func read<Value: Codable>(_ type: Value.Type, _ body: [UInt8]) -> Value? {
        do throws(APIError) {
            let value = try JSONBody.decode(type, from: body)
            let written = encode(value)
            let again = try? JSONBody.decode(type, from: written)
            mustHold(again.map { encode($0) } == written, "a \(type) that is written is read as it was")
            return value
        } catch {
            mustHold(error.code == .badRequest, "what cannot be read is a bad request")
            return nil
        }
    }

    private static func seed(_ kind: UInt8, _ value: some Encodable) -> [UInt8] { [kind] + encode(value) }

    private static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }
}
