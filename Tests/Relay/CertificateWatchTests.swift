import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

/// A certificate runs out while the relay runs, and nobody reads it again.
@Suite("A certificate, day by day")
struct CertificateWatchTests {
    @Test("what is to be told of it is told each time that it is looked at, from the day on which there is something")
    func expiring() async throws {
        let folder = try TemporaryFolder()
        let (certificate, key) = (folder.file("relay.pem"), folder.file("relay.key"))
        let made = try Program.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=relay", "-days", "90", "-keyout", key,
                "-out", certificate,
            ]
        )
        try #require(made.status == 0, "\(made)")
        let relay = try TestRelay { configuration in
            configuration.tls = TLSServerConfiguration(certificateChainFile: certificate, privateKeyFile: key)
            configuration.certificatePause = .milliseconds(20)
        }
        func told(_ words: String) -> Int { relay.lines.withLock { $0.count { $0.contains(words) } } }
        #expect(told("the certificate") == 0)
        relay.advance(seconds: 80 * 86_400)
        #expect(await eventually { told("the certificate ends soon") >= 2 })
        #expect(told("the certificate has expired") == 0)
        relay.advance(seconds: 11 * 86_400)
        #expect(await eventually { told("the certificate has expired") >= 2 })
        await relay.server.stop()
    }
}
