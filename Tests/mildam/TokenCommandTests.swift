import Foundation
import Glibc
import HouseSupport
import MildamCrypto
import MildamJOSE
import MildamSystem
import MildamWire
import TestSupport
import Testing

/// `mildam token`, as it is typed, at an OAuth server that nobody here wrote.
@Suite("Sign-ins, at the command line", .serialized, .enabled(if: OAuthPeer.isExpected))
struct TokenCommandTests {
    private let folder: TemporaryFolder
    /// What every command but `get` and `exec` has said.
    private let said = Lock("")
    private static let passphrase = ["MILDAM_PASSPHRASE": "correct horse"]

    init() throws {
        folder = try TemporaryFolder()
    }

    private func environment(_ more: [String: String]) -> [String: String] {
        ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
            .merging(more) { $1 }
    }

    @discardableResult
    private func mildam(
        _ arguments: String...,
        input: String? = nil,
        environment more: [String: String] = TokenCommandTests.passphrase
    ) async throws -> Program.Result {
        let result = try await Program.result(
            of: "mildam",
            arguments,
            input: input,
            environment: environment(more)
        )
        note(arguments, result)
        return result
    }

    private func note(_ arguments: [String], _ result: Program.Result) {
        // What a command that `exec` became prints is its own affair.
        let tells = arguments.starts(with: ["token", "get"]) || arguments.starts(with: ["token", "exec"])
        said.withLock { $0 += (tells ? "" : result.output) + result.errors }
    }

    private func json(_ arguments: String...) async throws -> [String: Any] {
        let result = try await Program.result(
            of: "mildam",
            arguments + ["--json"],
            environment: environment(Self.passphrase)
        )
        note(arguments, result)
        return try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any],
            "\(result)"
        )
    }

    /// Signs somebody in, with this test as the browser.
    private func logIn(_ name: String, _ arguments: String..., more: String = "") async throws -> Program.Result {
        let all = ["token", "login", name, "--no-browser"] + arguments
        let program = try Program("mildam", all, environment: environment(Self.passphrase))
        if let line = try await program.complaint(with: "http://127.0.0.1") {
            _ = try await OAuthPeer.browse(line + more)
        }
        let result = try await program.end()
        note(all, result)
        return result
    }

    private func opens(_ token: String, at peer: OAuthPeer) async throws -> Bool {
        let arguments = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Authorization: Bearer " + token]
        return try await Program.result(of: "curl", arguments + [peer.root + "/resource"]).output == "200"
    }

    /// Nothing that the server gave out, and no secret, is in what was said or in the profile's files.
    private func end(_ peer: OAuthPeer, secrets: [String] = []) async throws {
        var needles = Needles()
        let issued = try await peer.issued().tokens
        for (number, token) in issued.enumerated() { needles.add("token \(number)", token) }
        for secret in secrets { needles.add("client secret", secret) }
        needles.add("passphrase", "correct horse")
        let text = said.withLock { $0 }
        #expect(needles.found(in: Array(text.utf8), of: "what was said").isEmpty)
        let (finds, searched) = try needles.found(inFolder: folder.file("home"))
        #expect(finds.isEmpty && searched > 0)
        // What is planted is found.
        if let token = issued.first { #expect(!needles.found(in: Array("x \(token)".utf8), of: "a plant").isEmpty) }
        try await mildam("lock", "--stop")
    }

    @Test func throughTheBrowser() async throws {
        let peer = try await OAuthPeer(lifetime: 60)
        try await makeKeychain(in: folder.file("home/default"))
        let login = try await logIn("work", "--issuer", peer.root, "--client-id", "public", "--scope", "read")
        expect(login, 0, "signed in", "grant: browser", "scope: read", "refresh token: yes", "good until")
        let token = try await mildam("token", "get", "work").output
        #expect(try await opens(token, at: peer))
        #expect(try await mildam("token", "get", "work").output == token, "it is good for a while")
        let answer = try await json("token", "get", "work")
        #expect(answer["accessToken"] as? String == token && answer["tokenType"] as? String == "Bearer")
        let status = try await json("token", "status", "work")
        #expect(status["signedIn"] as? Bool == true && status["refreshToken"] as? Bool == true)
        #expect(status["scope"] as? String == "read" && status["server"] as? String == peer.root)
        let expires = try #require(status["expires"] as? Int64)
        #expect((0...61).contains(expires - WallClock.system.seconds))
        #expect(try await mildam("token", "list").output == "work  \(peer.root)  browser\n")
        // Another person says no; what is there stays.
        let denied = try await logIn("work", more: "&deny=1")
        #expect(denied.status == 6 && denied.errors.contains("access_denied"), "\(denied)")
        #expect(try await mildam("token", "get", "work").output == token)
        // Signing in again takes no option.
        #expect(try await logIn("work").status == 0)
        #expect(try await mildam("token", "get", "work").output != token)
        let last = try await mildam("token", "get", "work").output
        expect(try await mildam("token", "revoke", "work"), 0, "ended by the server")
        #expect(try await opens(last, at: peer) == false)
        expect(try await mildam("token", "get", "work"), 4, "no sign-in work", "mildam token login work")
        #expect(try await mildam("token", "list").output == "nothing\n")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("home/default"))
        #expect(!files.contains { $0.hasPrefix("token") }, "\(files)")
        try await end(peer)
    }

    /// An issuer that names an endpoint at another port is believed when the person has named that origin, too.
    @Test func anEndpointThatIsNotTheIssuers() async throws {
        let gate = try GateServer { request in
            let issuer = "http://" + (request.fields["host"] ?? "")
            let document = #"{"issuer":"\#(issuer)","token_endpoint":"http://127.0.0.1:1/t"}"#
            return [.send(GateServer.answer(200, document))]
        }
        try await makeKeychain(in: folder.file("home/default"))
        let issuer = gate.url("")
        expect(
            try await mildam("token", "login", "odd", "--no-browser", "--issuer", issuer, "--client-id", "c"),
            5,
            "token_endpoint is at http://127.0.0.1:1",
            "--allow-origin"
        )
        let allowed = ["--allow-origin", "http://127.0.0.1:1"]
        // Taken; what it lacks is told next.
        let taken = try await Program.result(
            of: "mildam",
            ["token", "login", "odd", "--no-browser", "--issuer", issuer, "--client-id", "c"] + allowed,
            environment: environment(Self.passphrase)
        )
        #expect(taken.status != 0 && taken.errors.contains("offers no such way"), "\(taken)")
        let wrong = ["http://127.0.0.1:1/path", "http://example.org", "nonsense"]
        for origin in wrong {
            expect(
                try await mildam(
                    "token",
                    "login",
                    "odd",
                    "--issuer",
                    issuer,
                    "--client-id",
                    "c",
                    "--allow-origin",
                    origin
                ),
                2,
                "--allow-origin"
            )
        }
        expect(
            try await mildam("token", "login", "odd", "--token-endpoint", issuer, "--allow-origin", issuer),
            2,
            "beside --issuer"
        )
        try await mildam("lock", "--stop")
    }

    @Test func byDeviceCode() async throws {
        let peer = try await OAuthPeer(lifetime: 60)
        try await makeKeychain(in: folder.file("home/default"))
        let arguments = ["token", "login", "tv", "--device", "--issuer", peer.root, "--client-id", "public"]
        let program = try Program("mildam", arguments, environment: environment(Self.passphrase))
        let line = try #require(try await program.complaint(with: "type in there"))
        let code = try #require(line.split(separator: " ").last)
        _ = try await OAuthPeer.browse(peer.root + "/device?user_code=\(code)")
        let result = try await program.end()
        note(arguments, result)
        expect(result, 0, "signed in", "grant: device")
        #expect(try await opens(try await mildam("token", "get", "tv").output, at: peer) == false, "without a scope")
        try await end(peer)
    }

    @Test func theClientItself() async throws {
        let peer = try await OAuthPeer(lifetime: 60)
        let secret = "a secret:+/ä"
        try await makeKeychain(in: folder.file("home/default"))
        func logIn(_ secret: String) async throws -> Program.Result {
            try await mildam(
                "token",
                "login",
                "ci",
                "--issuer",
                peer.root,
                "--client-id",
                "post",
                "--client-credentials",
                "--client-auth",
                "post",
                "--client-secret-file",
                "-",
                "--scope",
                "read",
                input: secret + "\n"
            )
        }
        expect(try await logIn("another secret"), 3, "its secret is wrong")
        expect(try await mildam("token", "status", "ci"), 4)
        expect(try await logIn(secret), 0, "grant: client credentials", "refresh token: no")
        let token = try await mildam("token", "get", "ci").output
        #expect(try await opens(token, at: peer))
        try await end(peer, secrets: [secret])
    }

    @Test func execBecomesTheCommand() async throws {
        let peer = try await OAuthPeer(lifetime: 60)
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await logIn("work", "--issuer", peer.root, "--client-id", "public").status == 0)
        let token = try await mildam("token", "get", "work").output
        let shown = try await mildam(
            "token",
            "exec",
            "work",
            "--",
            "sh",
            "-c",
            #"printf '%s %s' "$1" "$ACCESS_TOKEN"; exit 42"#,
            "sh",
            "--json"
        )
        #expect(shown.status == 42 && shown.output == "--json \(token)", "\(shown)")
        let named = try await mildam(
            "token",
            "exec",
            "--env",
            "T",
            "work",
            "--",
            "sh",
            "-c",
            #"echo "$T$ACCESS_TOKEN""#
        )
        #expect(named.status == 0 && named.output == token + "\n")
        let script = "ls /proc/self/fd; env"
        let inherited = try await mildam("token", "exec", "work", "--", "sh", "-c", script)
        let plain = try await Program.result(of: "sh", ["-c", script])
        func descriptors(_ result: Program.Result) -> [String] {
            result.output.split(separator: "\n").map(String.init).filter { Int($0) != nil }
        }
        #expect(descriptors(inherited) == descriptors(plain) && descriptors(plain).count >= 3, "\(inherited)")
        #expect(!inherited.output.contains("correct horse"))
        // The pipe's reader goes: the command hears of it, as it would without this program before it.
        let broken = try await mildam("token", "exec", "work", "--", "sh", "-c", "kill -PIPE $$; echo alive")
        #expect(broken.status == 128 + SIGPIPE && broken.output.isEmpty, "\(broken)")
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            let arguments = ["token", "exec", "work", "--", "sh", "-c", "echo ready; exec sleep 10"]
            let program = try Program("mildam", arguments, environment: environment(Self.passphrase))
            #expect(try await program.line(with: "ready") != nil)
            program.signal(signal)
            #expect(try await program.end().status == 128 + signal)
        }
        expect(try await mildam("token", "exec", "work", "--", "no-such-command-here"), 4, "no-such-command-here")
        #expect(try await mildam("token", "exec", "--env", "1A", "work", "--", "true").status == 2)
        #expect(try await mildam("token", "exec", "work").status == 2)
        try await end(peer)
    }

    /// Signs a client in whose tokens are bound to a key, at a server that wants its nonce in each proof.
    private func bind(
        _ place: String,
        _ proofs: Lock<[String]>,
        environment more: [String: String]
    ) async throws -> GateServer {
        let server = try GateServer { request in
            let proof = request.fields["dpop"] ?? ""
            let claims = proof.split(separator: ".").dropFirst().first.flatMap { try? Base64.url.decode($0) } ?? []
            guard String(decoding: claims, as: UTF8.self).contains(#""nonce":"n""#) else {
                let fields = ["DPoP-Nonce: n"]
                return [.send(GateServer.answer(400, #"{"error":"use_dpop_nonce"}"#, fields: fields))]
            }
            proofs.withLock { $0.append(proof) }
            return [.send(GateServer.answer(200, #"{"access_token":"bound","token_type":"DPoP","expires_in":1}"#))]
        }
        let login = try await mildam(
            "token",
            "login",
            "bound",
            "--token-endpoint",
            server.url("/token"),
            "--client-id",
            "c",
            "--client-credentials",
            "--client-secret-file",
            "-",
            "--dpop",
            place,
            input: "secret of the client\n",
            environment: more
        )
        expect(login, 0, "bound to a key: \(place)")
        return server
    }

    @Test("a key that tokens are bound to", arguments: ["keychain", "enclave"])
    func proofs(_ place: String) async throws {
        guard place == "keychain" || softwareTPMIsExpected else { return }
        let tpm = place == "enclave" ? try SoftwareTPM() : nil
        let more = Self.passphrase.merging(["MILDAM_TPM": tpm?.address ?? ""]) { $1 }
        try await makeKeychain(in: folder.file("home/default"))
        let proofs = Lock<[String]>([])
        let server = try await bind(place, proofs, environment: more)
        // It has run out: another process asks for the next one, with the same key.
        try await Task.sleep(for: .milliseconds(1100))
        let got = try await mildam("token", "get", "bound", "--json", environment: more)
        expect(got, 0, #""tokenType":"DPoP""#)
        let thumbprints = try proofs.withLock { $0 }.map { text in
            let bytes = Array(text.utf8)
            let proof = try DPoPProof(verifying: bytes.span)
            let request = DPoPProof.Request(method: "POST", path: "/token", origins: .loopback)
            #expect(throws: DPoPError.wrongNonce, "for this request, with the server's nonce") {
                let nonces = DPoPNonces(key: SymmetricKey(size: .bits256))
                try proof.check(request, at: WallClock.system.seconds, nonces: nonces)
            }
            return proof.thumbprint
        }
        #expect(thumbprints.count == 2 && Set(thumbprints).count == 1)
        #expect(try await mildam("enclave", "list").output.hasPrefix("token bound") == (place == "enclave"))
        expect(try await mildam("token", "revoke", "bound", environment: more), 1, "--revocation-endpoint")
        expect(try await mildam("token", "remove", "bound", environment: more), 0)
        #expect(try await mildam("enclave", "list").output == "nothing\n")
        // With the sign-in goes its key.
        withExtendedLifetime(server) {}
        let another = try await bind(place, proofs, environment: more)
        let last = Array(try #require(proofs.withLock { $0.last }).utf8)
        #expect(try DPoPProof(verifying: last.span).thumbprint != thumbprints[0])
        withExtendedLifetime((another, tpm)) {}
        try await mildam("lock", "--stop")
    }

    @Test func manyAtExpiryRefreshOnce() async throws {
        let peer = try await OAuthPeer(lifetime: 8)
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await logIn("work", "--issuer", peer.root, "--client-id", "public").status == 0)
        let first = try await mildam("token", "get", "work").output
        try await Task.sleep(for: .milliseconds(8100))
        #expect(try await peer.issued().refreshes == 0)
        async let one = mildam("token", "get", "work").output
        async let other = mildam("token", "get", "work").output
        let tokens = try await [one, other]
        #expect(tokens[0] == tokens[1] && tokens[0] != first && !first.isEmpty)
        #expect(try await peer.issued().refreshes == 1)
        try await end(peer)
    }

    @Test func lockedUnknownEndedAndOutOfReach() async throws {
        let peer = try await OAuthPeer(lifetime: 1)
        expect(try await mildam("token", "list"), 4, "mildam keychain create")
        try await makeKeychain(in: folder.file("home/default"))
        expect(try await mildam("token", "get", "work"), 4, "no sign-in work")
        expect(try await mildam("token", "login", "work"), 2, "--issuer")
        expect(try await mildam("token", "login", "a b", "--issuer", peer.root, "--client-id", "x"), 2, "NAME")
        expect(
            try await mildam("token", "login", "w", "--issuer", "http://example.org", "--client-id", "x"),
            2,
            "https"
        )
        let nobody = try await mildam("token", "login", "w", "--issuer", "http://127.0.0.1:9", "--client-id", "x")
        expect(nobody, 7, "cannot be reached")
        #expect(try await logIn("work", "--issuer", peer.root, "--client-id", "public").status == 0)
        #expect(try await logIn("deaf", "--issuer", peer.root, "--client-id", "public").status == 0)
        for stop in [[], ["--stop"]] as [[String]] {
            _ = try await Program.result(of: "mildam", ["lock"] + stop, environment: environment([:]))
            for command in [["get"], ["status"], ["revoke"]] {
                let locked = try await Program.result(
                    of: "mildam",
                    ["token"] + command + ["work"],
                    environment: environment([:])
                )
                expect(locked, 6, "the keychain's passphrase", "mildam unlock")
            }
        }
        // The server ends the sign-in: the person is told what to do, once it is known.
        let token = try await peer.issued().tokens[1]
        let form = ["-s", "-d", "client_id=public", "--data-urlencode", "token=\(token)", peer.root + "/revoke"]
        _ = try await Program.result(of: "curl", form)
        try await Task.sleep(for: .milliseconds(1100))
        expect(try await mildam("token", "get", "work"), 6, "mildam token login work")
        expect(try await mildam("token", "status", "work"), 6, "somebody has to sign in")
        expect(try await mildam("token", "get", "work", "--json"), 6, #""status":6"#)
        // And then it goes away.
        try await mildamEnds(peer)
        expect(try await mildam("token", "get", "deaf"), 7, "cannot be reached")
        expect(try await mildam("token", "revoke", "deaf"), 7, "cannot be reached")
        expect(try await mildam("token", "remove", "deaf"), 0, "forgot deaf")
        expect(try await mildam("token", "status", "deaf"), 4)
        #expect(try await mildam("token", "list").output == "work  \(peer.root)  browser\n")
        try await mildam("lock", "--stop")
    }

    private func mildamEnds(_ peer: OAuthPeer) async throws {
        peer.stop()
        #expect(await eventually { (try? Program.run("curl", ["-s", peer.root]).status) == 7 })
    }

    @Test func whatIsDamagedIsNamedAndCanBeRemovedOrSetUpAnew() async throws {
        let peer = try await OAuthPeer(lifetime: 60)
        try await makeKeychain(in: folder.file("home/default"))
        for name in ["a", "b"] {
            #expect(try await logIn(name, "--issuer", peer.root, "--client-id", "public").status == 0)
        }
        #expect(try await mildam("keychain", "set", "OAuth sign-in", "a", input: "{}").status == 0)
        expect(try await mildam("token", "get", "a"), 5, "sign-in a is damaged")
        let listed = try await mildam("token", "list")
        expect(listed, 5, "sign-in a is damaged", "b  \(peer.root)  browser")
        #expect(try await logIn("a").status == 5)
        #expect(try await logIn("a", "--issuer", peer.root, "--client-id", "public").status == 0)
        #expect(try await mildam("token", "get", "a").status == 0)
        #expect(try await mildam("keychain", "set", "OAuth sign-in", "a", input: "{}").status == 0)
        expect(try await mildam("token", "remove", "a"), 0)
        #expect(try await mildam("token", "list").output == "b  \(peer.root)  browser\n")
        // What the manager keeps is damaged: an error, and no sign-out.
        #expect(try await mildam("keychain", "set", "OAuth tokens", "b", input: "x").status == 0)
        expect(try await mildam("token", "get", "b"), 5, "sign-in b is damaged")
        #expect(try await logIn("b").status == 0)
        #expect(try await mildam("token", "get", "b").status == 0)
        try await end(peer)
    }

    @Test func aTerminalIsShownATokenOnlyWhenItIsAskedFor() async throws {
        let peer = try await OAuthPeer(lifetime: 60)
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await logIn("work", "--issuer", peer.root, "--client-id", "public").status == 0)
        let token = try await mildam("token", "get", "work").output
        func typed(_ more: String...) throws -> TerminalSession {
            try TerminalSession(
                #""$@"; echo "ended $?"; read -r line"#,
                [Program.find("mildam"), "token", "get", "work"] + more,
                environment: environment(Self.passphrase)
            )
        }
        let refused = try typed()
        #expect(try await refused.see("ended 2"))
        #expect(!refused.rows.joined().contains(token))
        let shown = try typed("--reveal")
        #expect(try await shown.see("ended 0"))
        #expect(shown.rows.contains(token), "on a line of its own: \(shown.rows)")
        try await end(peer)
    }
}
