import Foundation
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamKeychain

/// What is removed and replaced, and kept for a while.
@Suite("The trash, and former values")
struct PastTests {
    private static let day: Int64 = 24 * 3_600_000

    /// A clock that goes on when a test says so.
    private final class Calendar: Sendable {
        private let now = Lock<Int64>(1_700_000_000_000)

        var options: LocalKeychain.Options {
            var options = LocalKeychain.Options()
            options.clock = WallClock { [self] in now.withLock { $0 } }
            return options
        }

        func pass(days: Int64) { now.withLock { $0 += days * PastTests.day } }
    }

    /// The same of a file and of an agent.
    private func keychain(_ served: AgentTests.Served, throughAgent: Bool) throws -> any KeychainWithPast {
        if throughAgent { return try served.client() }
        return served.fixture.keychain
    }

    private func secrets(_ keychain: any KeychainWithPast, of reference: ItemReference) throws -> [String?] {
        try keychain.past(of: reference).map { try keychain.pastSecret($0.number).text }
    }

    private func change(to text: String) -> ItemChange { ItemChange(secret: SecretValue(text: text)) }

    @Test(arguments: [false, true])
    func whatIsRemovedComesBackAsItWas(_ throughAgent: Bool) async throws {
        let served = try await AgentTests.Served()
        let keychain = try keychain(served, throughAgent: throughAgent)
        var new = password("a", "service", "one")
        new.attributes[.label] = "for people"
        new.accessibility = .afterFirstUnlock
        let reference = try keychain.add(new)
        let past = try keychain.trash(reference)
        #expect(past.isRemoved && past.item.reference == reference && past.item.secret == nil)
        #expect(past.keptUntil == past.time + 30 * Self.day)
        #expect(throws: KeychainError.itemNotFound) { try keychain.text("a") }
        #expect(throws: KeychainError.itemNotFound) { try keychain.trash(reference) }
        let kept = try keychain.past(of: nil)
        #expect(kept.map(\.number) == [past.number] && kept.first?.item.attributes == past.item.attributes)
        #expect(try keychain.pastSecret(past.number).text == "one")
        #expect(try keychain.restore(past.number) == reference)
        let back = try keychain.item(KeychainQuery(reference))
        #expect(back.secret?.text == "one" && back.accessibility == .afterFirstUnlock)
        #expect(back.attributes.text(.label) == "for people" && back.accessGroup == past.item.accessGroup)
        #expect(back.attributes[.creationDate] == past.item.attributes[.creationDate])
        #expect(try keychain.past(of: nil).isEmpty)
        #expect(throws: KeychainError.itemNotFound) { try keychain.restore(past.number) }
        #expect(try await served.another().verify().isSound)
        #expect(try await served.another().text("a") == "one")
    }

    @Test(arguments: [false, true])
    func theLastFiveValuesAreKept(_ throughAgent: Bool) async throws {
        let served = try await AgentTests.Served()
        let keychain = try keychain(served, throughAgent: throughAgent)
        let reference = try keychain.add(password("a", "service", "0"))
        for number in 1...8 { try keychain.replace(reference, change(to: "\(number)")) }
        #expect(try secrets(keychain, of: reference) == ["3", "4", "5", "6", "7"])
        let values = try keychain.past(of: reference)
        #expect(values.allSatisfy { !$0.isRemoved && $0.keptUntil == nil && $0.item.reference == reference })
        // The same secret, and what leaves it as it is, replace no value.
        try keychain.replace(reference, change(to: "8"))
        try keychain.replace(reference, ItemChange([.label: "new"]))
        #expect(try keychain.past(of: reference).map(\.number) == values.map(\.number))
        // Nor is anything kept of what programs change.
        try keychain.update(KeychainQuery(reference), change(to: "9"))
        try keychain.set(password("a", "service", "10"))
        #expect(try keychain.past(of: reference).map(\.number) == values.map(\.number))

        #expect(try keychain.restore(values[1].number) == reference)
        let item = try keychain.item(KeychainQuery(reference))
        #expect(item.secret?.text == "4" && item.attributes.text(.label) == "new", "the value alone")
        #expect(try secrets(keychain, of: reference) == ["3", "5", "6", "7", "10"])
        #expect(try keychain.forget(values[0].number) == 1)
        #expect(throws: KeychainError.itemNotFound) { try keychain.forget(values[0].number) }
        #expect(try secrets(keychain, of: reference) == ["5", "6", "7", "10"])
        // They go along, and come back with it.
        let past = try keychain.trash(reference)
        #expect(try keychain.past(of: nil).map(\.isRemoved) == [false, false, false, false, true])
        try keychain.restore(past.number)
        #expect(try secrets(keychain, of: reference) == ["5", "6", "7", "10"])
        // What is deleted leaves nothing.
        #expect(try keychain.delete(KeychainQuery(reference)) == 1)
        #expect(try keychain.past(of: nil).isEmpty)
        #expect(try served.fixture.keychain.verify().isSound)
    }

    /// Both in one change: who is interrupted can begin again.
    @Test(arguments: [false, true])
    func whatIsErasedIsInNoCopy(_ throughAgent: Bool) async throws {
        let served = try await AgentTests.Served()
        let keychain = try keychain(served, throughAgent: throughAgent)
        let reference = try keychain.add(password("a"))
        try keychain.add(password("b"))
        try keychain.replace(reference, change(to: "two"))
        let path = served.fixture.path
        #expect(try !LocalKeychain.copies(of: path).isEmpty)
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path + ".copies")
        #expect(throws: KeychainError.self) { try keychain.erase(reference) }
        #expect(try keychain.text("a") == "two", "while there are copies of it, it stays")
        try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path + ".copies")
        try keychain.erase(reference)
        #expect(try keychain.past(of: nil).isEmpty)
        #expect(try LocalKeychain.copies(of: path).allSatisfy { try $0.itemCount() == 1 })
        #expect(throws: KeychainError.itemNotFound) { try keychain.erase(reference) }
        #expect(try keychain.text("b") == "secret")
    }

    @Test(arguments: [false, true])
    func whatAnotherHasChangedIsNotOverwritten(_ throughAgent: Bool) async throws {
        let served = try await AgentTests.Served()
        let keychain = try keychain(served, throughAgent: throughAgent)
        let reference = try keychain.add(password("a", "service", "one"))
        let modified = try #require(try keychain.item(KeychainQuery(reference)).attributes.date(.modificationDate))
        let earlier = modified - 1
        #expect(throws: KeychainError.changedMeanwhile) {
            try keychain.replace(reference, change(to: "two"), unlessChangedSince: earlier)
        }
        #expect(try keychain.text("a") == "one" && keychain.past(of: nil).isEmpty)
        try keychain.replace(reference, change(to: "two"), unlessChangedSince: modified)
        #expect(try keychain.text("a") == "two")
    }

    /// Two changes within a millisecond, or by a clock that was put back, are two changes.
    @Test func eachChangeHasALaterDate() async throws {
        let calendar = Calendar()
        let fixture = try await Fixture(options: calendar.options)
        let keychain = fixture.keychain
        let reference = try keychain.add(password("a", "service", "0"))
        var dates: [Int64] = []
        func look() throws {
            dates.append(try #require(try keychain.item(KeychainQuery(reference)).attributes.date(.modificationDate)))
        }
        try look()
        try keychain.update(KeychainQuery(reference), change(to: "1"))
        try look()
        try keychain.set(password("a", "service", "2"))
        try look()
        try keychain.restore(try keychain.trash(reference).number)
        try look()
        calendar.pass(days: -1)
        try keychain.replace(reference, change(to: "3"))
        try look()
        // A state from before the last one is put back; it is later than that all the same.
        let former = try #require(try keychain.past(of: reference).first?.number)
        try keychain.trash(reference)
        try keychain.restore(former)
        try look()
        #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 }, "\(dates)")
        for seen in dates.dropLast() {
            #expect(throws: KeychainError.changedMeanwhile) {
                try keychain.replace(reference, change(to: "4"), unlessChangedSince: seen)
            }
            // The same of whoever asks for the item of that date.
            var query = KeychainQuery(reference)
            query.attributes[.modificationDate] = .date(seen)
            #expect(throws: KeychainError.itemNotFound) { try keychain.update(query, change(to: "4")) }
        }
        #expect(try keychain.text("a") == "2")
    }

    /// What is put back takes the place of nothing but what somebody saw there.
    @Test(arguments: [false, true])
    func whatAnotherHasChangedIsNotPutBackOver(_ throughAgent: Bool) async throws {
        let served = try await AgentTests.Served()
        let keychain = try keychain(served, throughAgent: throughAgent)
        let reference = try keychain.add(password("a", "service", "one"))
        try keychain.replace(reference, change(to: "two"))
        let former = try #require(try keychain.past(of: reference).first?.number)
        let modified = try #require(try keychain.item(KeychainQuery(reference)).attributes.date(.modificationDate))
        // Another program has changed it, or put it back.
        let (earlier, gone): (Int64?, Int64?) = (modified - 1, nil)
        for seen in [earlier, gone] {
            #expect(throws: KeychainError.changedMeanwhile) {
                try keychain.restore(former, unlessChangedSince: seen)
            }
        }
        #expect(try keychain.text("a") == "two" && keychain.past(of: nil).map(\.number) == [former])
        // Or has removed it.
        let last = try keychain.trash(reference).number
        #expect(throws: KeychainError.changedMeanwhile) {
            try keychain.restore(former, unlessChangedSince: modified)
        }
        #expect(throws: KeychainError.itemNotFound) { try keychain.text("a") }
        #expect(try keychain.past(of: nil).map(\.number) == [former, last])

        #expect(try keychain.restore(last, unlessChangedSince: nil) == reference)
        let now = try keychain.item(KeychainQuery(reference)).attributes.date(.modificationDate)
        try keychain.restore(former, unlessChangedSince: now)
        #expect(try keychain.text("a") == "one" && secrets(keychain, of: reference) == ["two"])
        #expect(try served.fixture.keychain.verify().isSound)
    }

    @Test func aChangeThatIsRefusedKeepsNothing() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let reference = try keychain.add(password("a"))
        try keychain.add(password("b"))
        var clash = change(to: "new")
        clash.attributes[.account] = "b"
        #expect(throws: KeychainError.duplicateItem) { try keychain.replace(reference, clash) }
        #expect(throws: KeychainError.self) { try keychain.replace(reference, ItemChange()) }
        let missing = ItemReference(keychain: keychain.identifier, number: 9)
        #expect(throws: KeychainError.itemNotFound) { try keychain.replace(missing, change(to: "new")) }
        #expect(throws: KeychainError.itemNotFound) {
            try keychain.trash(ItemReference(keychain: KeychainIdentifier(), number: 1))
        }
        #expect(try keychain.past().isEmpty && keychain.text("a") == "secret")
        #expect(try keychain.verify().isSound)
    }

    @Test func whatIsRemovedGoesAfterAMonth() async throws {
        let calendar = Calendar()
        let fixture = try await Fixture(options: calendar.options)
        let keychain = fixture.keychain
        let stays = try keychain.add(password("stays"))
        try keychain.replace(stays, change(to: "new"))
        let reference = try keychain.add(password("a"))
        try keychain.replace(reference, change(to: "new"))
        try keychain.trash(reference)
        // A clock that is set back takes nothing, and one that is a day ahead does not, either.
        for (account, days) in [("b", -10), ("c", 40), ("d", 1)] as [(String, Int64)] {
            calendar.pass(days: days)
            try keychain.add(password(account))
            #expect(try keychain.past().count == 3, "\(account)")
        }
        calendar.pass(days: 1)
        #expect(try keychain.past().count == 3, "reading changes nothing")
        try keychain.add(password("e"))
        #expect(try keychain.past().map(\.item.reference) == [stays], "with its former values; those of others stay")
        #expect(try fixture.sqlite("SELECT count(*) FROM past") == "1\n")
        #expect(try keychain.verify().isSound)
        #expect(try await fixture.another(options: calendar.options).text("stays") == "new")
    }

    /// What says that a clock is behind.
    enum Witness: CaseIterable {
        case item
        case trash
        case log
        case lineBeforeTheLast
        case copy
    }

    @Test(arguments: Witness.allCases)
    func aClockThatIsBehindDatesNothingBack(_ witness: Witness) async throws {
        let calendar = Calendar()
        let fixture = try await Fixture(options: calendar.options)
        let keychain = fixture.keychain
        let reference = try keychain.add(password("a"))
        let other = try keychain.add(password("b"))
        calendar.pass(days: 50)
        switch witness {
        case .item: try keychain.update(KeychainQuery(reference), ItemChange([.label: "late"]))
        case .trash: try keychain.trash(other)
        case .log, .lineBeforeTheLast: try keychain.grant(AccessGrant(.own, "group"))
        case .copy: try keychain.add(password("c"))
        }
        if witness != .copy { try LocalKeychain.removeCopies(of: fixture.path) }
        calendar.pass(days: -40)
        if witness == .lineBeforeTheLast { try keychain.grant(AccessGrant(.own, "another")) }
        let past = try keychain.trash(reference)
        calendar.pass(days: 40)
        try keychain.add(password("d"))
        #expect(try keychain.past(of: reference).map(\.number) == [past.number])
    }

    /// Which values an item had is known without another look at the table: never from a change that was taken back.
    @Test func whatWasTakenBackCountsForNothing() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let reference = try keychain.add(password("a", "service", "0"))
        try keychain.add(password("b"))
        for number in 1...5 { try keychain.replace(reference, change(to: "\(number)")) }
        var clash = change(to: "6")
        clash.attributes[.account] = "b"
        #expect(throws: KeychainError.duplicateItem) { try keychain.replace(reference, clash) }
        try keychain.replace(reference, change(to: "6"))
        #expect(try secrets(keychain, of: reference) == ["1", "2", "3", "4", "5"])
        #expect(try keychain.verify().isSound)
    }

    @Test func whatAnotherProgramKeepsCounts() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let other = try await fixture.another()
        let reference = try keychain.add(password("a", "service", "0"))
        for number in 1...3 { try keychain.replace(reference, change(to: "\(number)")) }
        for number in 4...6 { try other.replace(reference, change(to: "\(number)")) }
        try keychain.replace(reference, change(to: "7"))
        #expect(try secrets(keychain, of: reference) == ["2", "3", "4", "5", "6"])
        try other.erase(reference)
        #expect(try keychain.past().isEmpty && keychain.verify().isSound)
    }

    @Test func aLockedKeychainRemovesAndListsAndGivesNothingBack() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let locked = try keychain.add(password("a"))
        var item = password("b")
        item.accessibility = .afterFirstUnlock
        let readable = try keychain.add(item)
        keychain.lock()
        #expect(throws: KeychainError.locked) { try keychain.replace(locked, change(to: "new")) }
        let past = [try keychain.trash(locked), try keychain.trash(readable)]
        #expect(try keychain.past().map(\.number) == past.map(\.number))
        #expect(throws: KeychainError.locked) { try keychain.pastSecret(past[0].number) }
        #expect(throws: KeychainError.locked) { try keychain.restore(past[0].number) }
        #expect(try keychain.restore(past[1].number) == readable)
        #expect(try keychain.text("b") == "secret" && keychain.past().count == 1)
        try await keychain.unlock(Fixture.passphrase)
        #expect(try keychain.restore(past[0].number) == locked)
        #expect(try keychain.text("a") == "secret" && keychain.verify().isSound)
        let closed = try LocalKeychain(path: fixture.path)
        #expect(throws: KeychainError.locked) { try closed.past() }
    }

    @Test func whatOnlyAPasscodeOpensGoesWithTheLastPasscode() async throws {
        let fixture = try await Fixture()
        var guarded = password("guarded")
        guarded.accessibility = .whenPasscodeSetThisDeviceOnly
        let past = try fixture.keychain.trash(fixture.keychain.add(guarded))
        try fixture.keychain.trash(fixture.keychain.add(password("a")))
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        let other = try await fixture.another(.recoveryCode(code))
        #expect(throws: KeychainError.needsPassphrase) { try other.restore(past.number) }
        #expect(try other.past().count == 2)
        await #expect(throws: KeychainError.needsPassphrase) {
            try await other.removeSlot(1, authorizedBy: .recoveryCode(code))
        }
        #expect(try await other.removeSlot(1, authorizedBy: .recoveryCode(code), loss: 1) == 1)
        #expect(try other.past().map { $0.item.attributes.text(.account) } == ["a"])
        #expect(try other.verify().isSound)
    }

    @Test func anotherProgramsItemsAreNotKnown() async throws {
        let fixture = try await Fixture()
        var options = LocalKeychain.Options()
        options.program = ProgramIdentity(executable: "/usr/bin/mail", user: 1000)
        let mail = try await fixture.another(options: options)
        let reference = try fixture.keychain.add(password("a"))
        try fixture.keychain.replace(reference, change(to: "new"))
        #expect(throws: KeychainError.itemNotFound) { try mail.trash(reference) }
        #expect(throws: KeychainError.itemNotFound) { try mail.replace(reference, change(to: "theirs")) }
        let past = try fixture.keychain.trash(reference)
        #expect(try mail.past().isEmpty && mail.past(of: reference).isEmpty)
        #expect(throws: KeychainError.itemNotFound) { try mail.pastSecret(past.number) }
        #expect(throws: KeychainError.itemNotFound) { try mail.restore(past.number) }
        #expect(throws: KeychainError.itemNotFound) { try mail.forget(past.number) }
        #expect(try mail.forget() == 0 && fixture.keychain.past().count == 2)
        let own = try mail.trash(mail.add(password("b")))
        #expect(try mail.pastSecret(own.number).text == "secret")
        #expect(try mail.auditLog().contains { $0.event == .readPastAgent && $0.group == "program:/usr/bin/mail" })
        #expect(try mail.forget() == 1 && fixture.keychain.past().count == 2)
    }

    @Test func aNameThatIsTakenIsNotTakenAway() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        let past = try keychain.trash(keychain.add(password("a", "service", "old")))
        let new = try keychain.add(password("a", "service", "new"))
        #expect(new != past.item.reference, "no number is given out twice")
        #expect(throws: KeychainError.duplicateItem) { try keychain.restore(past.number) }
        #expect(try keychain.text("a") == "new" && keychain.past().count == 1)
        try keychain.trash(new)
        try keychain.restore(past.number)
        #expect(try keychain.text("a") == "old" && keychain.past().count == 1)
        #expect(try keychain.verify().isSound)
    }

    @Test func whatIsForgottenIsGoneAsItWasSealed() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.trash(fixture.keychain.add(password("a")))
        let sealed = try fixture.sqlite("SELECT lower(hex(secret)) FROM past")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let bytes = Data(try Hex.decode(sealed))
        func places() throws -> [String] {
            try [fixture.path, fixture.path + "-wal"].filter {
                try Data(contentsOf: URL(fileURLWithPath: $0)).range(of: bytes) != nil
            }
        }
        #expect(try !places().isEmpty, "the search is for what is there")
        #expect(try fixture.keychain.forget() == 1)
        #expect(try places().isEmpty)
    }

    /// Whoever restores an item makes a version of it that there never was: none can take its place.
    @Test func noVersionComesTwice() async throws {
        let fixture = try await Fixture()
        let reference = try fixture.keychain.add(password("a"))
        var versions: [String] = []
        for text in ["b", "c"] {
            try fixture.keychain.replace(reference, change(to: text))
            versions.append(try fixture.sqlite("SELECT version FROM item"))
            try fixture.keychain.restore(try fixture.keychain.trash(reference).number)
            versions.append(try fixture.sqlite("SELECT version FROM item"))
        }
        #expect(Set(versions).count == 4)
    }

    // MARK: Limits

    @Test func whatIsTooMuchForOneAnswerIsRefused() async throws {
        let fixture = try await Fixture()
        let socket = fixture.folder.file("agent/socket")
        let server = try AgentServer(fixture.keychain, at: socket, maximumReply: 2000)
        defer { server.stop() }
        MildamSystem.Thread.detach(named: "agent") { try? server.run() }
        let client = try AgentClient(at: socket)
        var references: [ItemReference] = []
        for number in 0..<20 {
            references.append(try client.add(password("user\(number)")))
            try client.trash(references[number])
        }
        let error = #expect(throws: KeychainError.self) { try client.past() }
        #expect(error?.description.contains("2000 bytes") ?? false, "\(String(describing: error))")
        for reference in references { #expect(try client.past(of: reference).count == 1) }
    }

    @Test func secretsOfTheLargestSizeAreKeptAndNoLarger() async throws {
        let served = try await AgentTests.Served()
        let client = try served.client()
        let bytes = (0..<SecretValue.maximumSize).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        let reference = try client.add(password("a"))
        try client.replace(reference, ItemChange(secret: SecretValue(copying: bytes)))
        try client.replace(reference, change(to: "new"))
        let past = try #require(try client.past(of: reference).last)
        #expect(try client.pastSecret(past.number).bytes == bytes)
        try client.restore(past.number)
        #expect(try client.item(KeychainQuery(reference)).secret?.bytes == bytes)
        let large = ItemChange(secret: SecretValue(copying: bytes + [0]))
        for keychain in [client, served.fixture.keychain] as [any KeychainWithPast] {
            #expect(throws: KeychainError.self) { try keychain.replace(reference, large) }
        }
        #expect(try client.past(of: reference).count == 2)
    }
}
