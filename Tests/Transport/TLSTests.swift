import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("TLS 1.3: who the other side is")
struct TLSTests {
    let certificates: TestCertificates

    /// Made once: it takes the `openssl` program ten calls.
    private static let made = Result { try TestCertificates() }

    init() throws {
        certificates = try Self.made.get()
    }

    private func get(
        _ serverName: String,
        _ trust: TLSClientConfiguration.Trust,
        name: String? = nil,
        path: String = "/"
    ) async throws -> HTTPResponse {
        let server = try EchoServer(tls: certificates.server(serverName))
        let endpoint = Endpoint(server.address, isSecure: true)
        let client = try HTTPClient(endpoint, tls: TLSClientConfiguration(trust: trust, serverName: name))
        defer { client.close() }
        let target = try #require(HTTPTarget(path))
        return try await client.send(HTTPClientRequest(.post, target, body: [1, 2, 3]))
    }

    @Test func aTrustedAuthority() async throws {
        #expect(try await get("good", certificates.authority).body == [1, 2, 3])
        #expect(try await get("good", certificates.authority, name: "localhost").status == 200)
        #expect(try await get("good", certificates.authority, path: "/large/1000000").body.count == 1_000_000)
    }

    @Test func aPinnedKey() async throws {
        #expect(try await get("good", certificates.pin(of: "good")).status == 200)
        // The pin stands for authority, name and dates.
        #expect(try await get("expired", certificates.pin(of: "expired")).status == 200)
    }

    @Test func refusalsAreToldApart() async throws {
        await #expect(throws: TransportError.tls(.certificateExpired)) {
            try await get("expired", certificates.authority)
        }
        await #expect(throws: TransportError.tls(.unknownAuthority)) { try await get("good", certificates.stranger) }
        await #expect(throws: TransportError.tls(.unknownAuthority)) { try await get("good", .system) }
        await #expect(throws: TransportError.tls(.wrongName)) { try await get("other", certificates.authority) }
        await #expect(throws: TransportError.tls(.wrongName)) {
            try await get("good", certificates.authority, name: "example.org")
        }
        await #expect(throws: TransportError.tls(.pinMismatch)) { try await get("good", certificates.pin(of: "other")) }
    }

    @Test func aCutConnectionIsTruncatedNotEnded() async throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let tls = TLSClientConfiguration(trust: certificates.authority)
        let client = try HTTPClient(Endpoint(server.address, isSecure: true), tls: tls)
        let request = HTTPClientRequest(.get, try #require(HTTPTarget("/keep")))
        let task = Task { try await client.send(request) }
        #expect(await eventually { server.handler.kept.withLock { !$0.replies.isEmpty } })
        // The sockets are closed without a goodbye.
        server.loop.stop()
        await #expect(throws: TransportError.tls(.truncated)) { try await task.value }
    }

    @Test func filesThatCannotBeUsed() throws {
        let good = certificates.server("good")
        let mixed = TLSServerConfiguration(
            certificateChainFile: good.certificateChainFile,
            privateKeyFile: certificates.server("other").privateKeyFile
        )
        #expect(throws: TransportError.tls(.configuration(file: mixed.privateKeyFile, .otherKey))) {
            try EchoServer(tls: mixed)
        }
        let missing = TLSServerConfiguration(certificateChainFile: "/nonexistent", privateKeyFile: good.privateKeyFile)
        let failure = TLSFailure.configuration(file: "/nonexistent", .unreadable(ENOENT))
        #expect(throws: TransportError.tls(failure)) { try EchoServer(tls: missing) }
        #expect(failure.fileError == SystemError("open", "/nonexistent", code: ENOENT))
        #expect(failure.description == "cannot open /nonexistent: No such file or directory")
        let swapped = TLSServerConfiguration(
            certificateChainFile: good.privateKeyFile,
            privateKeyFile: good.privateKeyFile
        )
        #expect(throws: TransportError.tls(.configuration(file: good.privateKeyFile, .noCertificate))) {
            try EchoServer(tls: swapped)
        }
        let keyless = TLSServerConfiguration(
            certificateChainFile: good.certificateChainFile,
            privateKeyFile: good.certificateChainFile
        )
        #expect(throws: TransportError.tls(.configuration(file: good.certificateChainFile, .noKey))) {
            try EchoServer(tls: keyless)
        }
    }

    /// OpenSSL takes no key of 512 bits.
    @Test func whatOpenSSLRefusesIsToldInItsWords() throws {
        let folder = try TemporaryFolder()
        let (chain, key) = (folder.file("weak.pem"), folder.file("weak.key"))
        let made = try Program.run(
            "openssl",
            ["req", "-x509", "-newkey", "rsa:512", "-nodes", "-subj", "/CN=weak", "-keyout", key, "-out", chain]
        )
        try #require(made.status == 0, "\(made)")
        let weak = TLSServerConfiguration(certificateChainFile: chain, privateKeyFile: key)
        #expect(throws: TransportError.tls(.configuration(file: chain, .refused("ee key too small")))) {
            try EchoServer(tls: weak)
        }
    }

    @Test func aServerTellsItsCertificate() throws {
        let server = try EchoServer(tls: certificates.server("expired"))
        let certificate = try #require(server.server.certificate)
        #expect(certificate.subject == "CN = expired" && certificate.notAfter < WallClock.system.seconds)
        try server.server.reloadTLS(certificates.server("good"))
        #expect(server.server.certificate?.subject == "CN = good")
        #expect(try EchoServer().server.certificate == nil)
    }

    @Test func onlyTLS13() throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let arguments = ["s_client", "-connect", "\(server.address)", "-CAfile", certificates.authorityFile]
        let old = try Program.run("openssl", arguments + ["-tls1_2"])
        #expect(old.status != 0)
        let new = try Program.run("openssl", arguments + ["-tls1_3"])
        #expect(new.output.contains("TLSv1.3") && new.output.contains("Verify return code: 0"))
    }

    @Test("curl agrees", .enabled(if: Program.areExpected(["curl"], from: "curl")))
    func curl() throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let result = try Program.run(
            "curl",
            ["-sS", "--cacert", certificates.authorityFile, "--data", "hi", "https://\(server.address)/"]
        )
        #expect(result.output == "hi", "\(result)")
    }

    @Test func aSilentHandshakeEnds() async throws {
        var limits = ServerLimits()
        limits.headTimeout = .milliseconds(50)
        let server = try EchoServer(limits, tls: certificates.server("good"))
        let client = try RawConnection(to: server.address)
        #expect(await client.readToEnd().isEmpty)
        let plain = try RawConnection(to: server.address)
        plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await !plain.readToEnd().contains("HTTP"))
    }

    /// An upgrade request and what the client says without waiting for the answer, in one segment, in two records.
    @Test func whatFollowsAnUpgradeAtOnceIsNotLost() async throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let request = """
            GET /ws HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
            """
        // Masked with zeros: "hi".
        let frame: [UInt8] = [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]
        let talking = try await RawTLSConnection(to: server.address, certificates.authority)
        try talking.sendAtOnce([Array(request.utf8), frame])
        #expect(await talking.read(until: "hi").hasPrefix("HTTP/1.1 101 "))

        let leaving = try await RawTLSConnection(to: server.address, certificates.authority)
        try leaving.sendAtOnce([Array(request.utf8)], finishing: true)
        #expect(await eventually { server.handler.kept.withLock { $0.closings.count == 1 } })
    }

    @Test func webSocketOverTLS() async throws {
        let server = try EchoServer(tls: certificates.server("good"))
        let socket = try await WebSocketClient.connect(
            Endpoint(server.address, isSecure: true),
            #require(HTTPTarget("/ws")),
            tls: TLSClientConfiguration(trust: certificates.authority)
        )
        let messages = socket.messages.makeAsyncIterator()
        var iterator = messages
        for size in [0, 1, 20_000, 200_000] {
            let payload = [UInt8](repeating: 9, count: size)
            try await socket.send(binary: payload)
            #expect(await iterator.next() == .binary(payload))
        }
        socket.close()
        #expect(await iterator.next() == nil)
        #expect(socket.closing?.code == 1000)
    }
}
