import Foundation
import MildamIdentity
import MildamWire
import Testing

@testable import MildamRelayAPI

@Suite("RFC 6749: what the token endpoint takes and answers")
struct TokenRequestTests {
    private static let assertion = DeviceAssertion(device: .random(), time: 1_700_000_000, signature: Data(count: 64))
    private static let token = RefreshToken(session: .random(), secret: [UInt8](repeating: 7, count: 32))

    private static func requests() throws -> [TokenRequest] {
        let (handle, authenticator) = (try Handle("alice"), Data(repeating: 9, count: 32))
        return [
            .login(LoginGrant(handle: handle, authenticator: authenticator), assertion),
            .login(LoginGrant(handle: handle, authenticator: authenticator, code: "123456"), assertion),
            .login(LoginGrant(handle: handle, authenticator: authenticator, recoveryCode: "aaaa-bbbb"), assertion),
            .refresh(token, assertion),
        ]
    }

    private func read(_ text: String) throws -> TokenRequest {
        try TokenRequest(FormFields(text: Array(text.utf8).span))
    }

    @Test func roundTrip() throws {
        for request in try Self.requests() {
            #expect(try read(request.form.text) == request)
            #expect(try read(request.form.text + "&other=1") == request, "unknown fields are passed over")
        }
        #expect(Self.assertion.text.count == 118 && Self.token.text.count == 70)
    }

    @Test func cutAtEveryByte() throws {
        for request in try Self.requests() {
            let text = request.form.text
            for count in 0..<text.utf8.count {
                #expect(throws: (any Error).self, "\(text.prefix(count))") { try read(String(text.prefix(count))) }
            }
        }
    }

    @Test func oneBitFlipped() throws {
        for request in try Self.requests() {
            let bytes = Array(request.form.text.utf8)
            for index in bytes.indices {
                for bit in 0..<8 {
                    var changed = bytes
                    changed[index] ^= 1 << bit
                    guard let form = try? FormFields(text: changed.span), let read = try? TokenRequest(form) else {
                        continue
                    }
                    // What is left out of a login's optional fields is another login.
                    let isSame = form.text == request.form.text
                    #expect(read != request || isSame, "bit \(bit) of byte \(index)")
                }
            }
        }
    }

    @Test(
        "What is refused, and how",
        arguments: [
            ("", APIErrorCode.badRequest), ("grant_type=password&username=a&password=b", .unsupportedGrant),
            ("grant_type=refresh_token", .badRequest), ("grant_type=refresh_token&refresh_token=x", .sessionEnded),
            ("grant_type=\(LoginGrant.type)&handle=alice", .badRequest),
            ("grant_type=refresh_token&refresh_token=\(token.text)", .badRequest),
            (
                "grant_type=refresh_token&refresh_token=\(token.text)&client_assertion_type=x&client_assertion=y",
                .badRequest
            ),
        ]
    )
    func refused(_ text: String, _ code: APIErrorCode) throws {
        let form = try FormFields(text: Array(text.utf8).span)
        do throws(APIError) {
            _ = try TokenRequest(form)
            Issue.record("it is taken: \(text)")
        } catch {
            #expect(error.code == code)
        }
    }

    @Test("Tokens that are none of a relay's")
    func noToken() {
        let text = Self.token.text
        for wrong in [
            "", String(text.dropLast()), text + "A", text.replacing(".", with: "A"), "." + text.dropFirst(),
            text.uppercased(), String(text.dropLast()) + "=",
        ] {
            #expect(throws: WireError.self, "\(wrong)") { try RefreshToken(text: wrong) }
        }
    }

    @Test("RFC 6749, section 5.2: the error's name")
    func names() {
        let names: [(APIErrorCode, Bool, String)] = [
            (.wrongCredentials, false, "invalid_grant"), (.wrongCredentials, true, "invalid_client"),
            (.sessionEnded, true, "invalid_grant"), (.badRequest, true, "invalid_request"),
            (.unsupportedGrant, false, "unsupported_grant_type"), (.invalidProof, true, "invalid_dpop_proof"),
            (.nonceNeeded, true, "use_dpop_nonce"), (.secondFactorRequired, false, "access_denied"),
            (.wrongCode, false, "access_denied"), (.storageFull, true, "temporarily_unavailable"),
            (.unavailable, true, "temporarily_unavailable"), (.internalError, true, "temporarily_unavailable"),
        ]
        for (code, isRefresh, name) in names {
            let error = TokenError(APIError(code, "why"), isRefresh: isRefresh)
            #expect(error.error == name && error.apiError == APIError(code, "why"), "\(code)")
        }
    }

    @Test func nothingSecretIsPrinted() throws {
        let secret = Base64.url.encode(Data(repeating: 9, count: 32))
        for request in try Self.requests() {
            var dumped = ""
            dump(request, to: &dumped)
            for text in ["\(request)", String(reflecting: request), dumped] {
                for needle in [secret, "123456", "aaaa-bbbb", Self.token.text, "9, 9, 9", "7, 7, 7"] {
                    #expect(!text.contains(needle), "\(needle)")
                }
            }
        }
    }
}
