import Foundation
import MildamCrypto
import MildamEnclave
import MildamJOSE
import MildamKeychain
import MildamSystem
import TestSupport
import Testing

@testable import MildamTokens

/// A server of tokens and of things, which lets nobody in without a proof that carries a nonce of its own.
private final class ProvingServer: Sendable {
    let seen = Lock<[String]>([])
    private let gate: GateServer
    private let nonces = DPoPNonces(key: SymmetricKey(size: .bits256))
    private let token = "bound-access-token"

    init() throws {
        let (seen, nonces, token) = (seen, nonces, token)
        let memory = Lock(ProofMemory())
        gate = try GateServer { request in
            let now = WallClock.system.seconds
            let address = "http://" + (request.fields["host"] ?? "")
            let path = request.target.prefix { $0 != "?" }
            let shown = request.fields["authorization"]
            let fresh = "DPoP-Nonce: \(nonces.nonce(at: now))"
            do {
                let bytes = Array((request.fields["dpop"] ?? "").utf8)
                let proof = try DPoPProof(verifying: bytes.span)
                try memory.withLock { try $0.take(proof, at: now) }
                let expected = DPoPProof.Request(
                    method: request.method,
                    path: String(path),
                    origins: .these([address]),
                    accessToken: path == "/token" ? nil : token,
                    needsNonce: true
                )
                try proof.check(expected, at: now, nonces: nonces)
                seen.withLock { $0.append(proof.thumbprint) }
            } catch DPoPError.nonceNeeded {
                let fields = [#"WWW-Authenticate: DPoP error="use_dpop_nonce""#, fresh]
                let status = path == "/token" ? 400 : 401
                return [.send(GateServer.answer(status, #"{"error":"use_dpop_nonce"}"#, fields: fields))]
            } catch {
                return [.send(GateServer.answer(400, #"{"error":"invalid_dpop_proof"}"#))]
            }
            guard path == "/token" else {
                return [.send(GateServer.answer(shown == "DPoP " + token ? 200 : 403, "{}", fields: [fresh]))]
            }
            return [
                .send(
                    GateServer.answer(
                        200,
                        #"{"access_token":"\#(token)","token_type":"DPoP","expires_in":300}"#,
                        fields: [fresh]
                    )
                )
            ]
        }
    }

    var server: OAuthServer {
        get throws { OAuthServer(token: try #require(ServerURL(gate.url("/token")))) }
    }

    var thing: ServerURL {
        get throws { try #require(ServerURL(gate.url("/thing?x=1"))) }
    }
}

@Suite("Proofs of possession")
struct ProofMakerTests {
    private static let url = "https://server.example/token"

    private func proof(
        _ maker: some ProofMaker,
        token: String? = nil,
        nonce: String? = nil
    ) async throws -> DPoPProof {
        let text = try await maker.proof(method: "POST", url: Self.url, accessToken: token, nonce: nonce)
        let bytes = Array(text.utf8)
        return try DPoPProof(verifying: bytes.span)
    }

    /// Holds a proof against the request that it was made for, and against others.
    private func examine(_ maker: some ProofMaker) async throws -> String {
        let nonces = DPoPNonces(key: SymmetricKey(size: .bits256))
        let now = WallClock.system.seconds
        let url = try #require(ProofURL(Self.url))
        let (path, origins) = (url.path, ProofOrigins.these([url.origin]))
        let bare = try await proof(maker)
        try bare.check(.init(method: "POST", path: path, origins: origins), at: now, nonces: nonces)
        #expect(throws: DPoPError.otherRequest) {
            try bare.check(.init(method: "GET", path: path, origins: origins), at: now, nonces: nonces)
        }
        #expect(throws: DPoPError.notOfNow) {
            try bare.check(.init(method: "POST", path: path, origins: origins), at: now + 120, nonces: nonces)
        }
        let full = try await proof(maker, token: "at", nonce: nonces.nonce(at: now))
        let request = DPoPProof.Request(
            method: "POST",
            path: path,
            origins: origins,
            accessToken: "at",
            needsNonce: true
        )
        try full.check(request, at: now, nonces: nonces)
        #expect(throws: DPoPError.nonceNeeded) {
            try bare.check(
                .init(method: "POST", path: path, origins: origins, needsNonce: true),
                at: now,
                nonces: nonces
            )
        }
        #expect(throws: DPoPError.otherToken) {
            try full.check(
                .init(method: "POST", path: path, origins: origins, accessToken: "other"),
                at: now,
                nonces: nonces
            )
        }
        #expect(bare.identifier != full.identifier && bare.thumbprint == full.thumbprint)
        return bare.thumbprint
    }

    @Test func theKeychainsKeyProvesAndIsTheSameAfterARestart() async throws {
        let desk = try await Desk()
        let maker = KeychainProofMaker(desk.keychain, tag: "t")
        let thumbprint = try await examine(maker)
        #expect(try maker.thumbprint() == thumbprint)
        let reopened = try LocalKeychain(path: desk.folder.file("keychain.db"))
        try await reopened.unlock(.passphrase(SecretValue(text: Desk.passphrase)))
        #expect(try await proof(KeychainProofMaker(reopened, tag: "t")).thumbprint == thumbprint)
        #expect(try KeychainProofMaker(reopened, tag: "other").thumbprint() != thumbprint)
        try maker.removeKey()
        try maker.removeKey()
        #expect(try maker.thumbprint() != thumbprint)
    }

    @Test func manyWhoBeginAtOnceHaveOneKey() async throws {
        let desk = try await Desk()
        let thumbprints = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await Blocking.run { try KeychainProofMaker(desk.keychain, tag: "t").thumbprint() }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(thumbprints.count == 1)
        let kept = try desk.keychain.copyMatching(.key(tag: Array("t".utf8)), limit: .all, returningSecrets: false)
        #expect(kept.count == 1)
    }

    @Test func aKeychainThatIsLockedOrDamagedMakesNoOtherKey() async throws {
        let desk = try await Desk()
        let stubborn = StubbornKeychain(desk.keychain)
        let maker = KeychainProofMaker(stubborn, tag: "t")
        let thumbprint = try maker.thumbprint()
        stubborn.reading.withLock { $0 = .locked }
        #expect(throws: ProofError.keychain(.locked)) { try maker.thumbprint() }
        let endpoint = desk.endpoint(proofs: maker)
        #expect(
            await failure { try await endpoint.tokens(by: .clientCredentials(scope: nil)) } == .notNow(.locked)
        )
        stubborn.reading.withLock { $0 = nil }
        #expect(try maker.thumbprint() == thumbprint)
        try desk.keychain.update(.key(tag: Array("t".utf8)), ItemChange(secret: SecretValue(text: "no key")))
        #expect(throws: ProofError.damagedKey) { try maker.thumbprint() }
        #expect(await failure { try await endpoint.tokens(by: .clientCredentials(scope: nil)) } == .noProof)
    }

    @Test func anEnclaveInSoftwareProves() async throws {
        let desk = try await Desk()
        let pin = try EnclavePIN(SecretBytes(copying: Array("battery staple".utf8)))
        let maker = EnclaveProofMaker(SoftwareEnclave(), keychain: desk.keychain, tag: "t", pin: pin)
        let thumbprint = try await examine(maker)
        let again = EnclaveProofMaker(SoftwareEnclave(), keychain: desk.keychain, tag: "t", pin: pin)
        #expect(try await proof(again).thumbprint == thumbprint)
        let without = EnclaveProofMaker(SoftwareEnclave(), keychain: desk.keychain, tag: "t")
        await #expect(throws: ProofError.enclave(.enclave(.pinRequired))) { try await proof(without) }
        // A key that encrypts signs nothing.
        _ = try await EnclaveService(SoftwareEnclave(), keychain: desk.keychain, tag: "e", pin: pin)
            .encrypt(SecretValue(text: "x"))
        let wrong = EnclaveProofMaker(SoftwareEnclave(), keychain: desk.keychain, tag: "e", pin: pin)
        await #expect(throws: ProofError.enclave(.enclave(.wrongPurpose))) { try await proof(wrong) }
    }

    @Test("a TPM", .enabled(if: softwareTPMIsExpected))
    func aTPMProves() async throws {
        let desk = try await Desk()
        let tpm = try SoftwareTPM()
        let maker = EnclaveProofMaker(TPMEnclave(try TPMAddress(tpm.address)), keychain: desk.keychain, tag: "t")
        let thumbprint = try await examine(maker)
        tpm.kill()
        try tpm.start()
        let again = EnclaveProofMaker(TPMEnclave(try TPMAddress(tpm.address)), keychain: desk.keychain, tag: "t")
        #expect(try await proof(again).thumbprint == thumbprint)
    }

    @Test("the server wants its nonce, of which the maker hears through the manager")
    func nonces() async throws {
        let desk = try await Desk()
        let server = try ProvingServer()
        let maker = KeychainProofMaker(desk.keychain, tag: "t")
        var options = SecureTokenManager.Options()
        options.renewal = .clientCredentials(scope: nil)
        let manager = SecureTokenManager(
            TokenEndpoint(try server.server, OAuthClient(id: "c"), proofs: maker),
            in: desk.place(),
            lock: desk.folder.file("lock"),
            options: options
        )
        #expect(try await manager.authorized(OutgoingRequest("PUT", server.thing)).status == 200)
        #expect(try await manager.authorized(OutgoingRequest("GET", server.thing)).status == 200)
        #expect(server.seen.withLock { $0 } == Array(repeating: try maker.thumbprint(), count: 3))
    }
}

@Suite("Revoked, or forgotten")
struct FarewellTests {
    @Test func revokingKeepsTheTokensUntilTheServerHasThem() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        let deaf = SecureTokenManager(
            TokenEndpoint(OAuthServer(token: desk.server.server.token), OAuthClient(id: "desk")),
            in: desk.place(),
            lock: desk.folder.file("tokens.lock")
        )
        #expect(await failure { try await deaf.revoke() } == .unsupported)
        #expect(try await manager.status() != nil)
        let token = try #require(try await manager.status()?.refreshToken?.text)
        #expect(try await manager.revoke())
        #expect(desk.server.state.withLock(\.revoked) == [token])
        #expect(try await manager.status() == nil)
        #expect(try await manager.revoke() == false)
    }

    @Test func forgettingSaysNothingToTheServer() async throws {
        let desk = try await Desk()
        let manager = try await desk.signedIn()
        try await manager.forget()
        #expect(desk.server.state.withLock(\.revoked).isEmpty)
        #expect(try await desk.manager().status() == nil)
        #expect(await failure { try await manager.validAccessToken() } == .signInNeeded)
    }
}
