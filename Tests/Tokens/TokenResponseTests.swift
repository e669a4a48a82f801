import MildamKeychain
import MildamTokens
import MildamWire
import TestSupport
import Testing

@Suite("RFC 6749, section 5.1: a token response")
struct TokenResponseTests {
    private static let whole =
        #"{"access_token":"aZ.-_~+/=","token_type":"Bearer","expires_in":300,"refresh_token":"r1","scope":"a b"}"#

    private func read(_ text: String) throws -> TokenResponse {
        try reading(text) { (bytes) throws(AnswerDefect) in try TokenResponse(json: bytes) }
    }

    private func defect(_ text: String) -> AnswerDefect? {
        do { _ = try read(text) } catch { return error as? AnswerDefect }
        return nil
    }

    @Test func aWholeOneIsRead() throws {
        let response = try read(Self.whole)
        #expect(response.accessToken.text == "aZ.-_~+/=" && response.refreshToken?.text == "r1")
        #expect(response.scheme == .bearer && response.lifetime == 300 && response.scope == "a b")
        #expect(try read(#"{"access_token":"a","token_type":"bEARER"}"#).lifetime == nil)
        #expect(try read(#"{"access_token":"a","token_type":"dpop"}"#).scheme == .dpop)
        // An escape is what it stands for.
        #expect(try read(#"{"access_token":"\u0061b","token_type":"Bearer"}"#).accessToken.text == "ab")
    }

    @Test(
        "what must be there, and of what type",
        arguments: [
            (#"{"token_type":"Bearer"}"#, AnswerDefect.missing(field: "access_token")),
            (#"{"access_token":null,"token_type":"Bearer"}"#, .missing(field: "access_token")),
            (#"{"access_token":"","token_type":"Bearer"}"#, .invalid(field: "access_token")),
            (#"{"access_token":7,"token_type":"Bearer"}"#, .invalid(field: "access_token")),
            (#"{"access_token":["a"],"token_type":"Bearer"}"#, .invalid(field: "access_token")),
            (#"{"access_token":"a b","token_type":"Bearer"}"#, .invalid(field: "access_token")),
            (#"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#, .invalid(field: "access_token")),
            (#"{"access_token":"é","token_type":"Bearer"}"#, .invalid(field: "access_token")),
            (#"{"access_token":"a"}"#, .missing(field: "token_type")),
            (#"{"access_token":"a","token_type":1}"#, .invalid(field: "token_type")),
            (#"{"access_token":"a","token_type":"mac"}"#, .unknownTokenType),
            (#"{"access_token":"a","token_type":"Bearer","refresh_token":{}}"#, .invalid(field: "refresh_token")),
            (#"{"access_token":"a","token_type":"Bearer","refresh_token":""}"#, .invalid(field: "refresh_token")),
            (#"{"access_token":"a","token_type":"Bearer","scope":5}"#, .invalid(field: "scope")),
            (#"{"access_token":"a","token_type":"Bearer","scope":["a",5]}"#, .invalid(field: "scope")),
            (#"{"access_token":"a","token_type":"Bearer","scope":"é"}"#, .invalid(field: "scope")),
            (#"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#, .notJSON(.duplicateName(at: 20))),
            ("<!doctype html><title>Sign in</title>", .notJSON(.malformed(at: 0))),
            ("", .notJSON(.malformed(at: 0))),
            ("[]", .notAnObject), ("\"a\"", .notAnObject), ("null", .notAnObject),
        ]
    )
    func fields(_ text: String, _ expected: AnswerDefect) { #expect(defect(text) == expected) }

    @Test(
        "expires_in as servers have been seen to send it",
        arguments: [
            ("300", 300), ("0", 0), ("-1", 0), ("-0.5", 0), ("299.98", 299), ("3.6e3", 3600), ("\"3599\"", 3599),
            ("99999999999999", TokenResponse.maximumLifetime), ("1e300", TokenResponse.maximumLifetime),
            ("\"99999999999999999999\"", TokenResponse.maximumLifetime), ("null", nil),
        ] as [(String, Int64?)]
    )
    func lifetime(_ written: String, _ expected: Int64?) throws {
        #expect(try read(#"{"access_token":"a","token_type":"Bearer","expires_in":\#(written)}"#).lifetime == expected)
    }

    @Test(
        "expires_in of another type is refused",
        arguments: [
            "true", "[]", "{}", "\"\"", "\"soon\"", "\"-1\"", "\" 5\"", "\"0x10\"", "\"1e3\"", "\"nan\"",
            "\"000000000000000000000\"",
        ]
    )
    func noLifetime(_ written: String) {
        let text = #"{"access_token":"a","token_type":"Bearer","expires_in":\#(written)}"#
        #expect(defect(text) == .invalid(field: "expires_in"))
    }

    @Test func sizesHaveLimits() throws {
        func response(_ size: Int) -> String {
            #"{"access_token":"\#(String(repeating: "a", count: size))","token_type":"Bearer"}"#
        }
        #expect(try read(response(TokenResponse.maximumTokenSize)).accessToken.count == 16_384)
        #expect(defect(response(TokenResponse.maximumTokenSize + 1)) == .invalid(field: "access_token"))
        let spaces = String(repeating: " ", count: TokenResponse.maximumSize)
        #expect(defect(spaces + Self.whole) == .tooLong(limit: 262_144))
        let deep = String(repeating: "[", count: 50) + String(repeating: "]", count: 50)
        #expect(defect(#"{"x":\#(deep)}"#) == .notJSON(.tooDeep))
    }

    @Test func aScopeMayBeAListOrEmpty() throws {
        #expect(try read(#"{"access_token":"a","token_type":"Bearer","scope":["a","b"]}"#).scope == "a b")
        #expect(try read(#"{"access_token":"a","token_type":"Bearer","scope":""}"#).scope == nil)
    }

    @Test func aCutOneIsNone() {
        for count in 0..<Self.whole.utf8.count { #expect(defect(String(Self.whole.prefix(count))) != nil) }
    }

    /// A flipped bit gives an error or another response, and never a crash, nor a token that no header may carry.
    @Test func aFlippedBitIsNoticedOrHarmless() throws {
        let bytes = Array(Self.whole.utf8)
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                guard let response = try? TokenResponse(json: changed.span) else { continue }
                let token = response.accessToken.bytes
                #expect(!token.isEmpty && token.allSatisfy { (0x21...0x7E).contains($0) })
            }
        }
    }
}

@Suite("RFC 8414: server metadata")
struct OAuthServerTests {
    private let issuer = ServerURL("https://example.org/tenant")

    private func read(_ text: String) throws -> OAuthServer {
        let issuer = try #require(issuer)
        return try reading(text) { (bytes) throws(AnswerDefect) in try OAuthServer(metadata: bytes, of: issuer) }
    }

    private func defect(_ text: String) -> AnswerDefect? {
        do { _ = try read(text) } catch { return error as? AnswerDefect }
        return nil
    }

    private func document(_ more: String = "") -> String {
        #"{"issuer":"https://example.org/tenant","token_endpoint":"https://example.org/t"\#(more)}"#
    }

    @Test func whatItSaysIsTaken() throws {
        let server = try read(
            document(
                #","authorization_endpoint":"https://login.example.org/a?x=1","revocation_endpoint":null,"#
                    + #""device_authorization_endpoint":"https://example.org/d","unknown":[{}],"#
                    + #""authorization_response_iss_parameter_supported":true,"#
                    + #""code_challenge_methods_supported":["plain","S256"]"#
            )
        )
        #expect(server.issuer == "https://example.org/tenant" && server.token.description == "https://example.org/t")
        #expect(server.authorization?.query == "x=1" && server.deviceAuthorization != nil && server.revocation == nil)
        #expect(server.namesItselfInRedirects && server.takesS256 == true)
        #expect(try read(document()).takesS256 == nil)
        #expect(try read(document(#","code_challenge_methods_supported":["plain"]"#)).takesS256 == false)
    }

    @Test(
        "what it may not say",
        arguments: [
            (#"{"token_endpoint":"https://example.org/t"}"#, AnswerDefect.missing(field: "issuer")),
            (#"{"issuer":"https://example.org","token_endpoint":"https://example.org/t"}"#, .invalid(field: "issuer")),
            (
                #"{"issuer":"https://example.org/tenant/","token_endpoint":"https://e.org/t"}"#,
                .invalid(field: "issuer")
            ),
            (#"{"issuer":"https://example.org/tenant"}"#, .missing(field: "token_endpoint")),
            (
                #"{"issuer":"https://example.org/tenant","token_endpoint":"http://example.org/t"}"#,
                .invalid(field: "token_endpoint")
            ),
            (#"{"issuer":"https://example.org/tenant","token_endpoint":[]}"#, .invalid(field: "token_endpoint")),
            ("<html>", .notJSON(.malformed(at: 0))),
        ]
    )
    func refusals(_ text: String, _ expected: AnswerDefect) { #expect(defect(text) == expected) }

    @Test(arguments: [
        #","authorization_endpoint":"javascript:alert(1)""#, #","revocation_endpoint":"file:///etc/passwd""#,
        #","device_authorization_endpoint":"https://u@example.org/""#,
        #","authorization_response_iss_parameter_supported":"yes""#, #","code_challenge_methods_supported":"S256""#,
    ])
    func badMembers(_ more: String) { #expect(defect(document(more)) != nil) }

    @Test func aCutOrFlippedOneIsNoticedOrStaysWithinTheRules() throws {
        let text = document(#","authorization_endpoint":"https://example.org/a""#)
        for count in 0..<text.utf8.count { #expect(defect(String(text.prefix(count))) != nil) }
        let issuer = try #require(issuer)
        var bytes = Array(text.utf8)
        for place in bytes.indices {
            for bit in 0..<8 {
                bytes[place] ^= 1 << UInt8(bit)
                if let server = try? OAuthServer(metadata: bytes.span, of: issuer) {
                    #expect(server.issuer == issuer.description && (server.token.isSecure || server.token.isLoopback))
                }
                bytes[place] ^= 1 << UInt8(bit)
            }
        }
    }

    @Test(
        "addresses",
        arguments: [
            ("https://example.org", "https://example.org"), ("https://Example.ORG:443/a", "https://example.org"),
            ("https://example.org:8443/a?b#c", nil), ("http://127.0.0.1:80/a", "http://127.0.0.1"),
            ("http://[::1]:5/", "http://[::1]:5"), ("http://localhost:5/", "http://localhost:5"),
            ("http://127.0.0.1.example.org/", nil), ("http://2130706433/", nil), ("http://0x7f.1/", nil),
            ("http://example.org/", nil), ("https://user@example.org/", nil), ("https://example.org\\@evil/", nil),
            ("https:///path", nil), ("https://", nil), ("ftp://example.org/", nil), ("https://example.org:0/", nil),
            ("https://example.org:99999/", nil), ("https://exam ple.org/", nil), ("https://example.org/ü", nil),
            ("HTTPS://example.org/", nil), ("https://[::1/", nil), ("https://[fe80::1%eth0]/", nil),
            ("https://a..b/", nil), ("https://example.org/%0d%0a", "https://example.org"),
        ]
    )
    func addresses(_ text: String, _ origin: String?) {
        #expect(ServerURL(text)?.origin == origin)
        #expect(ServerURL("https://example.org/" + String(repeating: "a", count: 2048)) == nil)
    }
}
