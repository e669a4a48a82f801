import MildamJOSE
import Testing

@Suite("RFC 9449, section 4.3: how addresses are compared")
struct ProofURLTests {
    @Test(
        arguments: [
            ("https://relay.example/v1", "https://relay.example/v1"),
            ("HTTPS://RELAY.example/V1", "https://relay.example/V1"),
            ("https://relay.example:443", "https://relay.example/"),
            ("http://relay.example:80/", "http://relay.example/"),
            ("https://relay.example:80/", "https://relay.example:80/"), ("http://[::1]:8080/a", "http://[::1]:8080/a"),
            ("https://relay.example?a=/b", "https://relay.example/"),
            ("https://relay.example/a?b#c", "https://relay.example/a"),
        ]
    )
    func inOneForm(_ url: String, _ form: String) {
        #expect(ProofURL(url)?.text == form)
    }

    @Test(
        arguments: [
            "", "https", "https:", "https://", "https:///path", "ftp://relay.example/", "relay.example/v1",
            "//relay.example",
            "https://me@relay.example/", "https://relay.example/ä", "https://relay.example/a b",
            "https://relay.example/\n",
            "https://relay.example/" + String(repeating: "a", count: 2048),
        ]
    )
    func isNone(_ url: String) {
        #expect(ProofURL(url) == nil)
    }
}
