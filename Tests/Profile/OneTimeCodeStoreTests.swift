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

    /// Programs at once have all looked before one of them counts.
    @Test func noTwoGetTheSameCode() async throws {
        func token(counter: Int) throws -> OneTimePassword {
            try OneTimePassword(uri: "otpauth://hotp/Bank:alice?secret=JBSWY3DPEHPK3PXP&counter=\(counter)")
        }
        try store.keep(token(counter: 4))
        let other = OneTimeCodeStore(keychain: try await scene.place.keychain.openFile(asking: scene))
        let stores = [store, other, store]
        let seen = try stores.map { try $0.find("alice") }
        let taken = try zip(stores, seen).map { store, entry in try store.advance(entry) }
        #expect(try taken == [token(counter: 4), token(counter: 5), token(counter: 6)])
        #expect(try store.find("alice").token == token(counter: 7))
        #expect(try keychain.past().isEmpty, "a counter that goes on leaves nothing")
    }

    @Test func aCodeIsOfTheTokenThatWasMeantOrOfNone() throws {
        let uri = "otpauth://hotp/Bank:alice?counter=4&secret="
        try store.keep(OneTimePassword(uri: uri + "JBSWY3DPEHPK3PXP"))
        let seen = try store.find("alice")
        let other = try OneTimePassword(uri: uri + "GEZDGNBVGY3TQOJQ")
        let all = KeychainQuery.genericPassword(service: OneTimeCodeStore.service)
        try keychain.update(all, ItemChange(secret: SecretValue(other.uriBytes)))
        #expect(throws: KeychainError.changedMeanwhile) { try store.advance(seen) }
        #expect(try store.find("alice").token == other)
        try store.remove(try store.find("alice"))
        #expect(throws: KeychainError.itemNotFound) { try store.advance(seen) }
    }

    @Test func aCounterAtItsEndGivesNoCode() throws {
        let uri = "otpauth://hotp/Bank:alice?secret=JBSWY3DPEHPK3PXP&counter="
        try store.keep(OneTimePassword(uri: uri + "\(UInt64.max - 1)"))
        try store.advance(store.find("alice"))
        #expect(throws: SpentToken.self) { try store.advance(store.find("alice")) }
    }

    /// What `keychain import --replace` does.
    @Test func anImportThatReplacesKeepsTheHigherCounter() throws {
        func item(counter: Int, secret: String = "JBSWY3DPEHPK3PXP") throws -> NewItem {
            let uri = "otpauth://hotp/Bank:alice?secret=\(secret)&counter=\(counter)"
            let login = ImportedLogin(position: 1)
            return try #require(OneTimeCodeStore.item(login, SecretValue(text: uri)))
        }
        let low = try item(counter: 4)
        let high = try item(counter: 9)
        let foreign = try item(counter: 1, secret: "GEZDGNBVGY3TQOJQ")
        let joinLow = try #require(OneTimeCodeStore.joining(low))
        let joinHigh = try #require(OneTimeCodeStore.joining(high))
        let joinForeign = try #require(OneTimeCodeStore.joining(foreign))
        #expect(joinLow(high.secret).constantTimeEquals(high.secret))
        #expect(joinHigh(low.secret).constantTimeEquals(high.secret))
        #expect(joinForeign(high.secret).constantTimeEquals(foreign.secret), "another token is taken as it is")
        #expect(joinLow(SecretValue(text: "no token")).constantTimeEquals(low.secret))
        // What is no token that counts is taken as the file has it.
        var (elsewhere, timed) = (low, low)
        elsewhere.attributes[.service] = "another"
        timed.secret = SecretValue(try token("Mail:alice").uriBytes)
        for item in [elsewhere, timed] {
            let isJoined = OneTimeCodeStore.joining(item) != nil
            #expect(!isJoined)
        }
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
