import TestSupport
import Testing

@testable import MildamTokens

@Suite("RFC 8414: where an issuer may name endpoints")
struct EndpointRuleTests {
    private func server(_ issuer: String, _ members: String, allowing allowed: Set<String> = []) throws -> OAuthServer {
        let url = try #require(ServerURL(issuer))
        let text = #"{"issuer":"\#(issuer)",\#(members)}"#
        return try reading(text) { (bytes) throws(AnswerDefect) in
            try OAuthServer(metadata: bytes, of: url, allowing: allowed)
        }
    }

    private func isTaken(_ issuer: String, _ endpoint: String, allowing allowed: Set<String> = []) throws -> Bool {
        let field = "token_endpoint"
        do {
            _ = try server(issuer, #""\#(field)":"\#(endpoint)""#, allowing: allowed)
            return true
        } catch let error as AnswerDefect {
            #expect(error == .foreignEndpoint(field: field, origin: ServerURL(endpoint)?.origin ?? ""))
            return false
        }
    }

    @Test(
        "none nearer than the issuer, and none at another port",
        arguments: [
            // The issuer's own, and other names at its port.
            ("https://id.example.org", "https://id.example.org/t", true),
            ("https://id.example.org/tenant", "https://id.example.org:443/t", true),
            ("https://accounts.example.org", "https://oauth2.example.com/t", true),
            ("https://id.example.org:8443", "https://id.example.org:8443/t", true),
            ("https://id.example.org", "https://93.184.216.34/t", true),
            // Another port.
            ("https://id.example.org", "https://id.example.org:8443/t", false),
            ("https://id.example.org:8443", "https://id.example.org/t", false),
            ("http://127.0.0.1:9000", "http://127.0.0.1:9001/t", false),
            // This machine, however it is spelt.
            ("https://id.example.org", "http://127.0.0.1/t", false),
            ("https://id.example.org", "http://127.0.0.1:443/t", false),
            ("https://id.example.org", "https://127.0.0.1/t", false),
            ("https://id.example.org", "https://127.8.8.8/t", false),
            ("https://id.example.org", "https://localhost/t", false),
            ("https://id.example.org", "https://LOCALHOST/t", false),
            ("https://id.example.org", "https://localhost./t", false),
            ("https://id.example.org", "https://any.localhost/t", false),
            ("https://id.example.org", "https://[::1]/t", false),
            ("https://id.example.org", "https://[::ffff:127.0.0.1]/t", false),
            ("https://id.example.org", "https://0.0.0.0/t", false),
            ("https://id.example.org", "https://[::]/t", false),
            ("https://id.example.org", "https://127.1/t", false),
            ("https://id.example.org", "https://2130706433/t", false),
            ("https://id.example.org", "https://0x7f000001/t", false),
            // Private and link-local addresses.
            ("https://id.example.org", "https://10.1.2.3/t", false),
            ("https://id.example.org", "https://172.16.0.1/t", false),
            ("https://id.example.org", "https://172.31.255.255/t", false),
            ("https://id.example.org", "https://172.32.0.1/t", true),
            ("https://id.example.org", "https://192.168.0.1/t", false),
            ("https://id.example.org", "https://169.254.169.254/t", false),
            ("https://id.example.org", "https://100.64.0.1/t", false),
            ("https://id.example.org", "https://[fe80::1]/t", false),
            ("https://id.example.org", "https://[fd00::1]/t", false),
            ("https://id.example.org", "https://[::ffff:10.0.0.1]/t", false),
            ("https://id.example.org", "https://[2001:db8::1]/t", true),
            ("https://93.184.216.34", "https://192.168.0.1/t", false),
            // An issuer that is near itself.
            ("https://192.168.0.5", "https://192.168.0.6/t", true),
            ("https://192.168.0.5", "https://127.0.0.1/t", false),
            ("https://10.0.0.1", "https://id.example.org/t", true),
            ("http://127.0.0.1:9000", "http://localhost:9000/t", true),
            ("http://localhost:9000", "http://[::1]:9000/t", true),
            ("https://127.0.0.1", "https://id.example.org/t", true),
        ]
    )
    func places(_ issuer: String, _ endpoint: String, _ isTaken: Bool) throws {
        #expect(try self.isTaken(issuer, endpoint) == isTaken)
        let origin = try #require(ServerURL(endpoint)).origin
        #expect(try self.isTaken(issuer, endpoint, allowing: [origin]))
        #expect(try self.isTaken(issuer, endpoint, allowing: ["https://other.example"]) == isTaken)
    }

    @Test(
        "each endpoint that is used",
        arguments: ["authorization_endpoint", "device_authorization_endpoint", "revocation_endpoint"]
    )
    func each(_ field: String) throws {
        let issuer = "https://id.example.org"
        let members = #""token_endpoint":"\#(issuer)/t","\#(field)":"http://127.0.0.1:8080/x""#
        #expect(throws: AnswerDefect.foreignEndpoint(field: field, origin: "http://127.0.0.1:8080")) {
            try server(issuer, members)
        }
        _ = try server(issuer, members, allowing: ["http://127.0.0.1:8080"])
        // What is not used is not looked at.
        _ = try server(issuer, #""token_endpoint":"\#(issuer)/t","jwks_uri":"http://127.0.0.1:8080/keys""#)
    }

    @Test("a server that is asked where it is")
    func discovered() async throws {
        let gate = try GateServer { request in
            let issuer = "http://" + (request.fields["host"] ?? "")
            let document = #"{"issuer":"\#(issuer)","token_endpoint":"http://127.0.0.1:1/t"}"#
            return [.send(GateServer.answer(200, document))]
        }
        let issuer = try #require(ServerURL(gate.url("")))
        await #expect(throws: TokenError.self) { try await OAuthServer.discover(issuer, through: CurlExchange()) }
        let allowed = try await OAuthServer.discover(
            issuer,
            allowing: ["http://127.0.0.1:1"],
            through: CurlExchange()
        )
        #expect(allowed.token.description == "http://127.0.0.1:1/t")
    }
}
