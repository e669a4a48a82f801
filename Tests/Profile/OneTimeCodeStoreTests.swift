import MildamKeychain
import MildamOTP
import MildamProfile
import Testing

@Suite("One-time-code secrets in a profile's keychain")
struct OneTimeCodeStoreTests {
    private let scene: Scene
    private let keychain: LocalKeychain
    private let store: OneTimeCodeStore

    init() async throws {
        scene = try Scene()
        try await scene.makeKeychain()
        keychain = try await scene.place.keychain.openFile(asking: scene)
        store = OneTimeCodeStore(keychain: keychain)
    }

    private func token(_ label: String, secret: String = "JBSWY3DPEHPK3PXP") throws -> OneTimePassword {
        try OneTimePassword(uri: "otpauth://totp/\(label)?secret=\(secret)")
    }

    @Test func keptFoundAndRemoved() throws {
        try store.keep(token("Mail:alice"))
        try store.keep(token("Mail:alice"))
        try store.keep(token("Mail:bob"))
        #expect(try store.all().tokens.map(\.name) == ["Mail:alice", "Mail:bob"])
        #expect(try store.find("BOB").token == token("Mail:bob"))
        #expect(throws: AmbiguousToken.self) { try store.find("mail") }
        try store.remove(try store.find("bob"))
        #expect(throws: NoToken.self) { try store.find("bob") }
    }

    @Test func anotherSecretOfTheSameNameTakesNothingAway() throws {
        try store.keep(token("Mail:alice"))
        #expect(throws: AnotherToken.self) { try store.keep(token("Mail:alice", secret: "GEZDGNBVGY3TQOJQ")) }
        #expect(try store.find("alice").token == token("Mail:alice"))
    }

    @Test func aCounterIsKept() throws {
        try store.keep(try OneTimePassword(uri: "otpauth://hotp/Bank:alice?secret=JBSWY3DPEHPK3PXP&counter=4"))
        let entry = try store.find("alice")
        try store.advance(entry)
        #expect(try store.find("alice").token == entry.token.advanced())
        #expect(try store.find("alice").token != entry.token)
    }

    @Test func aCounterNeverGoesBack() throws {
        func token(counter: Int) throws -> OneTimePassword {
            try OneTimePassword(uri: "otpauth://hotp/Bank:alice?secret=JBSWY3DPEHPK3PXP&counter=\(counter)")
        }
        try store.keep(token(counter: 4))
        try store.advance(store.find("alice"))
        try store.keep(token(counter: 4))
        #expect(try store.find("alice").token == token(counter: 5))
        #expect(try keychain.past().isEmpty, "nothing was replaced")
        // What is put in the place of another is kept, as with `keychain set`.
        try store.keep(token(counter: 9))
        #expect(try store.find("alice").token == token(counter: 9))
        let past = try keychain.past()
        #expect(past.count == 1)
        let replaced = SecretValue(try token(counter: 5).uriBytes)
        let former = try keychain.pastSecret(past[0].number)
        #expect(former.constantTimeEquals(replaced))
    }

    @Test func whatIsNoTokenIsNamed() throws {
        try store.keep(token("Mail:alice"))
        try keychain.add(
            NewItem(
                .genericPassword,
                [.service: .text(OneTimeCodeStore.service), .account: .text("a note")],
                secret: SecretValue(text: "no token")
            )
        )
        let kept = try store.all()
        #expect(kept.tokens.map(\.name) == ["Mail:alice"] && kept.others == ["a note"])
    }
}
