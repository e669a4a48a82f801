import Foundation
import MildamEnclave
import MildamKeychain
import MildamTokens
import TestSupport
import Testing

@Suite("Sign-ins in a keychain")
struct SignInStoreTests {
    private let desk: Desk
    private let store: SignInStore

    init() async throws {
        desk = try await Desk()
        store = SignInStore(keychain: desk.keychain, locks: desk.folder.path) { SoftwareEnclave() }
    }

    private func signIn(_ name: String) throws -> SignIn {
        let token = try #require(ServerURL("https://login.example/token"))
        var server = OAuthServer(token: token, issuer: "https://login.example")
        server.revocation = ServerURL("https://login.example/revoke")
        return SignIn(name: name, at: server, clientID: "client")
    }

    @Test func keptFoundAndForgotten() throws {
        var mail = try signIn("mail")
        mail.clientProof = .post
        _ = try store.keep(mail, clientSecret: SecretValue(text: "a secret"))
        _ = try store.keep(signIn("files"), clientSecret: nil)
        let kept = try store.all()
        #expect(kept.signIns.map(\.name) == ["files", "mail"] && kept.damaged.isEmpty)
        let entry = try store.find("mail")
        #expect(entry.signIn.clientProof == .post && entry.signIn.revocationEndpoint == "https://login.example/revoke")
        #expect(try entry.signIn.server() == signIn("mail").server())
        #expect(try store.clientSecret(of: entry.signIn)?.text == "a secret")
        // Kept anew without a secret, it has none.
        _ = try store.keep(mail, clientSecret: nil)
        #expect(try store.clientSecret(of: mail) == nil)
        try store.forget(entry)
        #expect(throws: NoSignIn.self) { try store.find("mail") }
        #expect(try store.all().signIns.map(\.name) == ["files"])
    }

    @Test func whatIsDamagedIsNamedAndCanBeRemoved() throws {
        _ = try store.keep(signIn("mail"), clientSecret: nil)
        let item = KeychainQuery.genericPassword(service: "OAuth sign-in", account: "mail")
        try desk.keychain.update(item, ItemChange(secret: SecretValue(text: "{}")))
        #expect(throws: DamagedSignIn.self) { try store.find("mail") }
        #expect(try store.all().damaged == ["mail"])
        try store.remove("mail")
        #expect(try store.all().damaged.isEmpty)
    }
}
