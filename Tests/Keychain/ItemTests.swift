import MildamKeychain
import TestSupport
import Testing

@Suite("Items: add, copyMatching, update, delete")
struct ItemTests {
    @Test func whatIsAddedIsFoundWithWhatItProtects() async throws {
        let fixture = try await Fixture()
        let reference = try fixture.keychain.add(password("alice"))
        let item = try fixture.keychain.item(.genericPassword(service: "service", account: "alice"))
        #expect(item.reference == reference)
        #expect(item.secret?.text == "secret")
        #expect(item.accessibility == .whenUnlocked)
        #expect(item.accessGroup == ProgramIdentity.own.ownGroup)
        #expect(item.attributes.date(.creationDate) ?? 0 > 1_700_000_000_000)
        let other = try await fixture.another()
        #expect(try other.text("alice") == "secret")
    }

    @Test(arguments: [
        (ItemClass.genericPassword, ItemAttribute.service), (.genericPassword, .account), (.internetPassword, .server),
        (.internetPassword, .path), (.internetPassword, .protocol), (.internetPassword, .authenticationType),
        (.internetPassword, .securityDomain), (.internetPassword, .account), (.key, .applicationTag),
        (.key, .applicationLabel), (.certificate, .issuer), (.certificate, .serialNumber),
    ])
    func thePrimaryKeyTellsItemsApart(_ itemClass: ItemClass, _ attribute: ItemAttribute) async throws {
        let fixture = try await Fixture()
        var item = NewItem(itemClass, [:], secret: SecretValue(text: "1"))
        item.attributes[attribute] = attribute.kind == .text ? .text("a") : .data([1])
        try fixture.keychain.add(item)
        #expect(throws: KeychainError.duplicateItem) { try fixture.keychain.add(item) }
        item.attributes[.label] = .text("another label")
        #expect(throws: KeychainError.duplicateItem) { try fixture.keychain.add(item) }
        item.attributes[attribute] = attribute.kind == .text ? .text("A") : .data([1, 0])
        try fixture.keychain.add(item)
        item.attributes[attribute] = nil
        try fixture.keychain.add(item)
        item.attributes[attribute] = attribute.kind == .text ? .text("") : .data([])
        #expect(throws: KeychainError.duplicateItem, "what is missing is empty") { try fixture.keychain.add(item) }
        item.isSynchronizable = true
        try fixture.keychain.add(item)
    }

    @Test func textIsComparedByteByByte() async throws {
        let fixture = try await Fixture()
        let spellings = ["é", "e\u{301}", "a\0b", "a\0c", "", "👩‍👩‍👧", "👩‍👩‍👦"]
        for text in spellings { try fixture.keychain.add(password(text, "service", text + "!")) }
        for text in spellings {
            let secret = try fixture.keychain.text(text)
            #expect(Array((secret ?? "").utf8) == Array((text + "!").utf8))
        }
    }

    @Test func whatIsAskedForDecides() async throws {
        let fixture = try await Fixture()
        for number in 0..<20 {
            var item = password("user\(number)", number < 10 ? "one" : "two")
            item.isSynchronizable = number == 3
            item.accessibility = number == 4 ? .afterFirstUnlock : .whenUnlocked
            item.attributes[.isInvisible] = .flag(number == 5)
            try fixture.keychain.add(item)
        }
        let one = KeychainQuery.genericPassword(service: "one")
        #expect(try fixture.keychain.copyMatching(one).count == 1)
        #expect(try fixture.keychain.copyMatching(one, limit: .all).count == 9, "synchronizable ones are not meant")
        #expect(try fixture.keychain.copyMatching(one, limit: .atMost(4)).count == 4)
        var query = one
        query.synchronizable = .any
        #expect(try fixture.keychain.copyMatching(query, limit: .all).count == 10)
        query.synchronizable = .yes
        #expect(try fixture.keychain.copyMatching(query, limit: .all).map { $0.attributes.text(.account) } == ["user3"])
        query = one
        query.accessibility = .afterFirstUnlock
        #expect(try fixture.keychain.copyMatching(query, limit: .all).map { $0.attributes.text(.account) } == ["user4"])
        query = KeychainQuery(.genericPassword, [.isInvisible: true])
        #expect(try fixture.keychain.copyMatching(query, limit: .all).map { $0.attributes.text(.account) } == ["user5"])
        query = KeychainQuery(.genericPassword)
        let all = try fixture.keychain.copyMatching(query, limit: .all, returningSecrets: false)
        #expect(all.count == 19)
        #expect(all.allSatisfy { $0.secret == nil })
        #expect(all.map(\.reference.number) == all.map(\.reference.number).sorted())
        #expect(throws: KeychainError.itemNotFound) {
            try fixture.keychain.item(.genericPassword(service: "three"))
        }
        #expect(throws: KeychainError.itemNotFound) { try fixture.keychain.item(.internetPassword(server: "one")) }
    }

    @Test func anUpdateChangesAllThatMatchOrNone() async throws {
        let fixture = try await Fixture()
        for account in ["a", "b", "c"] { try fixture.keychain.add(password(account)) }
        let all = KeychainQuery.genericPassword(service: "service")
        #expect(try fixture.keychain.update(all, ItemChange(secret: SecretValue(text: "new"))) == 3)
        #expect(try fixture.keychain.text("b") == "new")
        let clash = ItemChange([.account: "b"])
        #expect(throws: KeychainError.duplicateItem) { try fixture.keychain.update(all, clash) }
        #expect(try fixture.keychain.copyMatching(all, limit: .all).count == 3)
        #expect(try fixture.keychain.text("a") == "new")
        let before = try fixture.keychain.item(.genericPassword(service: "service", account: "a"))
        let rename = ItemChange([.account: "z", .label: "a label"])
        #expect(try fixture.keychain.update(KeychainQuery(before.reference), rename) == 1)
        let after = try fixture.keychain.item(KeychainQuery(before.reference))
        #expect(after.attributes.text(.account) == "z")
        #expect(after.attributes.text(.label) == "a label")
        #expect(after.attributes[.creationDate] == before.attributes[.creationDate])
        #expect(throws: KeychainError.itemNotFound) { try fixture.keychain.text("a") }
        #expect(try fixture.keychain.item(KeychainQuery(.genericPassword, [.label: "a label"])).secret?.text == "new")
        #expect(try fixture.keychain.update(KeychainQuery(before.reference), ItemChange([.label: nil])) == 1)
        #expect(try fixture.keychain.item(KeychainQuery(before.reference)).attributes[.label] == nil)
        #expect(throws: KeychainError.itemNotFound) {
            try fixture.keychain.update(.genericPassword(service: "x"), rename)
        }
    }

    @Test func aDeletionTakesAllThatMatch() async throws {
        let fixture = try await Fixture()
        for account in ["a", "b", "c"] { try fixture.keychain.add(password(account)) }
        try fixture.keychain.add(password("a", "other"))
        #expect(try fixture.keychain.delete(.genericPassword(service: "service")) == 3)
        #expect(throws: KeychainError.itemNotFound) {
            try fixture.keychain.delete(.genericPassword(service: "service"))
        }
        #expect(try fixture.keychain.text("a", "other") == "secret")
        let again = try fixture.keychain.add(password("a"))
        #expect(again.number == 5, "no number is given out twice")
    }

    @Test func settingAddsOrUpdatesAndNeverDeletes() async throws {
        let fixture = try await Fixture()
        let first = try fixture.keychain.set(password("a", "service", "one"))
        let second = try fixture.keychain.set(password("a", "service", "two"))
        #expect(first == second)
        #expect(try fixture.keychain.text("a") == "two")
        let entry = fixture.keychain[.genericPassword(service: "service", account: "b")]
        #expect(try entry.read() == nil)
        try entry.write(text: "three")
        #expect(try entry.read()?.text == "three")
        try entry.write(value: ["x": 1])
        #expect(try entry.read([String: Int].self) == ["x": 1])
        #expect(throws: KeychainError.self) { try entry.read([Int].self) }
        #expect(try entry.remove())
        #expect(try !entry.remove())
    }

    @Test func requestsThatMakeNoSenseAreRefused() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        #expect(refused { try keychain.add(NewItem(.genericPassword, [.server: "x"], secret: SecretValue(text: ""))) })
        #expect(refused { try keychain.add(NewItem(.genericPassword, [.account: 7], secret: SecretValue(text: ""))) })
        #expect(refused { try keychain.add(NewItem(.identity, [:], secret: SecretValue(text: ""))) })
        #expect(refused { _ = try keychain.item(KeychainQuery(.key, [.account: "x"])) })
        #expect(refused { try keychain.update(KeychainQuery(.key), ItemChange()) })
        #expect(refused { try keychain.update(KeychainQuery(.key), ItemChange([.creationDate: .date(1)])) })
        var stays = password("x")
        stays.isSynchronizable = true
        stays.accessibility = .whenUnlockedThisDeviceOnly
        #expect(refused { try keychain.add(stays) })
        var nameless = KeychainQuery(.key)
        nameless.itemClass = nil
        #expect(refused { try keychain.delete(nameless) })
        #expect(refused { try keychain.update(nameless, ItemChange([.label: "x"])) })
        #expect(refused { _ = try keychain.copyMatching(nameless, limit: .all) })
        let large = SecretValue(copying: [UInt8](repeating: 7, count: SecretValue.maximumSize + 1))
        #expect(refused { try keychain.add(NewItem(.genericPassword, [:], secret: large)) })
    }

    private func refused(_ body: () throws -> Void) -> Bool {
        do { try body() } catch KeychainError.invalidRequest { return true } catch {}
        return false
    }

    /// The keychain's own dates are part of the 2 MiB: what is a byte longer could be sealed, and never read again.
    @Test func attributesThatCouldNotBeReadAgainAreNotWritten() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let dates = 16
        let most = AttributeValue.data([UInt8](repeating: 1, count: AttributeValue.maximumSize))
        var item = NewItem(.genericPassword, [.generic: most, .alias: most], secret: SecretValue(text: "x"))
        #expect(refused { try keychain.add(item) })
        #expect(refused { try keychain.set(item) })
        item.attributes[.alias] = .data([UInt8](repeating: 1, count: AttributeValue.maximumSize - dates))
        try keychain.set(item)
        #expect(try keychain.item(KeychainQuery(.genericPassword)).secret?.text == "x")
        // What is there already counts, too.
        let more = NewItem(.genericPassword, [.label: "l"], secret: SecretValue(text: "y"))
        #expect(refused { try keychain.set(more) })
        let change = ItemChange([.label: "l"])
        #expect(refused { try keychain.update(KeychainQuery(.genericPassword), change) })
        #expect(try keychain.item(KeychainQuery(.genericPassword)).secret?.text == "x")
    }

    @Test func whoWantsNoneIsGivenNone() async throws {
        let fixture = try await Fixture()
        defer { withExtendedLifetime(fixture) {} }
        let keychain = fixture.keychain
        let reference = try keychain.add(password("a"))
        for query in [KeychainQuery(reference), KeychainQuery(.genericPassword)] {
            #expect(throws: KeychainError.itemNotFound) { try keychain.copyMatching(query, limit: .atMost(0)) }
            #expect(try keychain.copyMatching(query, limit: .atMost(1)).count == 1)
        }
    }

    @Test(arguments: [0, 1, 59, 60, 61, 4096, 1 << 20])
    func secretsOfEverySize(_ size: Int) async throws {
        let fixture = try await Fixture()
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        try fixture.keychain.add(NewItem(.genericPassword, [.account: "x"], secret: SecretValue(copying: bytes)))
        #expect(try fixture.keychain.item(KeychainQuery(.genericPassword)).secret?.bytes == bytes)
    }

    @Test func nothingSecretIsDescribed() {
        let secret = SecretValue(text: "hunter2hunter2")
        #expect("\(secret)" == "14 secret bytes")
        var shown = ""
        dump(secret, to: &shown)
        dump(password("a", "b", "hunter2hunter2").secret, to: &shown)
        dump(RecoveryCode(), to: &shown)
        #expect(!shown.contains("hunter2"))
        #expect(!shown.contains("bytes: ["))
    }
}
