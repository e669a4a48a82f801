import Testing

@testable import MildamKeychain

@Suite("Addresses: RFC 3986, as far as an internet password goes")
struct WebAddressTests {
    @Test(
        arguments: [
            ("https://example.com", "htps", "example.com", nil, ""),
            ("HTTPS://Example.COM/", "htps", "example.com", nil, ""),
            ("http://example.com:8080/a/b?c=d#e", "http", "example.com", 8080, "/a/b?c=d#e"),
            ("https://[2001:db8::1]:443/x", "htps", "2001:db8::1", 443, "/x"),
            ("https://[2001:db8::1]", "htps", "2001:db8::1", nil, ""),
            ("ssh://git@host", "ssh ", "host", nil, ""), ("example.com/login", nil, "example.com", nil, "/login"),
            ("localhost:3000", nil, "localhost", 3000, ""), ("https://é.example?q", "htps", "é.example", nil, "?q"),
            ("imaps://mail.example", "imps", "mail.example", nil, ""),
        ] as [(String, String?, String, Int64?, String)]
    )
    func partsOf(_ text: String, _ code: String?, _ server: String, _ port: Int64?, _ path: String) throws {
        let address = try #require(WebAddress(text))
        #expect(address.protocolCode == code)
        #expect(address.server == server)
        #expect(address.port == port)
        #expect(address.path == path)
        let again = try #require(WebAddress(address.text))
        #expect(again.server == server && again.port == port && again.path == path && again.protocolCode == code)
        #expect(!again.hasUserInformation)
    }

    @Test(arguments: [
        "", "mail", "My bank", "androidapp://com.example", "https://", "https://:80", "https://a b.example",
        "https://example.com:99999", "https://example.com:x", "https://[::1", "https://[::1]x", "https://exa\"mple",
        "https://\(String(repeating: "a", count: 256)).example",
    ])
    func whatNamesNoServerIsNone(_ text: String) { #expect(WebAddress(text) == nil) }

    @Test func aPasswordInAnAddressIsToldToBeThere() {
        #expect(WebAddress("https://alice:pw@example.com/")?.hasUserInformation == true)
        #expect(WebAddress("https://alice:pw@example.com/")?.text == "https://example.com")
        #expect(WebAddress("https://example.com/@x")?.hasUserInformation == false)
    }
}
