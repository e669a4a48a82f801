import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Rates of handshakes")
struct HandshakeRateTests {
    /// A relay on TLS whose clock for rates stands still.
    private func relay(_ folder: TemporaryFolder, behindProxy: Bool = false) throws -> TestRelay {
        let (certificate, key) = (folder.file("relay.pem"), folder.file("relay.key"))
        let made = try Program.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=relay", "-days", "2",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
            ]
        )
        try #require(made.status == 0, "\(made)")
        return try TestRelay { configuration in
            configuration.tls = TLSServerConfiguration(certificateChainFile: certificate, privateKeyFile: key)
            configuration.rateClock = { 1 << 60 }
            configuration.behindProxy = behindProxy
        }
    }

    /// Asks over a connection of its own.
    private func ask(_ relay: TestRelay, _ folder: TemporaryFolder) async throws -> HTTPResponse {
        let tls = TLSClientConfiguration(trust: .authorities(file: folder.file("relay.pem")))
        let client = try HTTPClient(Endpoint(relay.server.address, isSecure: true), tls: tls)
        defer { client.close() }
        return try await client.send(HTTPClientRequest(.get, #require(HTTPTarget("/metrics"))))
    }

    private func peer(_ number: UInt64) throws -> SocketAddress {
        try #require(SocketAddress(ip: "192.0.\(2 + number / 250).\(number % 250)", port: 1))
    }

    @Test(
        "one address has so many, whoever else comes; those of a proxy are the proxy's affair",
        arguments: [false, true]
    )
    func byAddress(_ behindProxy: Bool) async throws {
        let folder = try TemporaryFolder()
        let relay = try relay(folder, behindProxy: behindProxy)
        let gate = relay.server.parts.gate
        let burst = Int(RateRule.handshake.rate.burst)
        let (greedy, other) = (try peer(1), try peer(2))
        let admitted = (0..<burst + 50).count { _ in gate.admitsHandshake(greedy) }
        #expect(admitted == burst)
        #expect(gate.admitsHandshake(other))
        let own = (0..<burst + 50).count { _ in gate.admitsHandshake(.loopback(port: 1)) }
        #expect(own == (behindProxy ? burst + 50 : burst))
        await relay.server.stop()
    }

    @Test("nobody is refused for what others have used up")
    func nobodyElse() async throws {
        let folder = try TemporaryFolder()
        let relay = try relay(folder)
        let gate = relay.server.parts.gate
        // As many as 100 addresses may have at once, those of one network among them.
        for number in 1...100 {
            let greedy = try peer(UInt64(number))
            while gate.admitsHandshake(greedy) {}
        }
        for number in [101, 251] { #expect(gate.admitsHandshake(try peer(UInt64(number)))) }
        await relay.server.stop()
    }

    @Test("who has none left is hung up on and counted; who is connected stays")
    func overASocket() async throws {
        let folder = try TemporaryFolder()
        let relay = try relay(folder)
        let tls = TLSClientConfiguration(trust: .authorities(file: folder.file("relay.pem")))
        let connected = try HTTPClient(Endpoint(relay.server.address, isSecure: true), tls: tls)
        let page = HTTPClientRequest(.get, try #require(HTTPTarget("/metrics")))
        #expect(try await connected.send(page).status == 200)
        #expect(try await ask(relay, folder).status == 200)
        while relay.server.parts.gate.admitsHandshake(.loopback(port: 1)) {}
        await #expect(throws: TransportError.self) { try await ask(relay, folder) }
        let text = String(decoding: try await connected.send(page).body, as: UTF8.self)
        // The one that ended the loop, and the one over the socket.
        #expect(text.contains(#"mildam_rate_limited_total{rule="handshake"} 2"#))
        connected.close()
        await relay.server.stop()
    }
}
