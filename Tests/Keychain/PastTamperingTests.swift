import Foundation
import MildamSystem
import TestSupport
import Testing

@testable import MildamKeychain

/// What is kept of removed and replaced items, in a file that something else has changed, or that another version wrote.
@Suite("The trash of a file that something else has changed")
struct PastTamperingTests {
    /// A keychain with three items, of which the first two are in the trash, and a former value of the third.
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture()
        for account in ["a", "b"] { try fixture.keychain.trash(fixture.keychain.add(password(account))) }
        let reference = try fixture.keychain.add(password("c", "service", "old"))
        try fixture.keychain.replace(reference, ItemChange(secret: SecretValue(text: "new")))
        return fixture
    }

    /// What opening a file comes to.
    private func opening(_ path: String) async throws -> KeychainError? {
        let keychain = try LocalKeychain(path: path)
        do { try await keychain.unlock(Fixture.passphrase) } catch { return error }
        return nil
    }

    private func isNoticed(_ error: KeychainError?) -> Bool {
        if case .changedFromOutside = error { true } else { false }
    }

    @Test(arguments: [
        "DELETE FROM past WHERE item = 1",
        "UPDATE past SET secret = (SELECT secret FROM past WHERE item = 2) WHERE item = 1",
        "UPDATE past SET key = zeroblob(60) WHERE item = 1",
        "UPDATE past SET attributes = zeroblob(99) WHERE item = 1",
        "UPDATE past SET note = (SELECT note FROM past WHERE item = 2) WHERE item = 1",
        "UPDATE past SET item = 2 WHERE item = 1",
        "UPDATE past SET number = number + 100 WHERE item = 1",
        "UPDATE past SET version = 9 WHERE item = 1",
        "UPDATE past SET class = 2 WHERE item = 1",
        "UPDATE past SET accessibility = 2 WHERE item = 1",
        """
        INSERT INTO past SELECT number + 100, item, version, class, accessibility, attributes, key, secret, note
            FROM past WHERE item = 1
        """,
        "INSERT INTO item SELECT item, version, class, accessibility, attributes, key, secret FROM past WHERE item = 1",
    ])
    func isNoticedWhenItIsOpened(_ sql: String) async throws {
        let fixture = try await fixture()
        #expect(try await opening(fixture.path) == nil)
        try fixture.sqlite(sql)
        #expect(isNoticed(try await opening(fixture.path)), "\(sql)")
        #expect(throws: KeychainError.self) { try fixture.keychain.past() }
        #expect(throws: KeychainError.self) { try fixture.keychain.forget() }
    }

    @Test func whatWasForgottenDoesNotComeBack() async throws {
        let fixture = try await fixture()
        let yesterday = fixture.folder.file("yesterday.db")
        try fixture.sqlite("VACUUM INTO '\(yesterday)'")
        try fixture.keychain.forget()
        #expect(try await opening(fixture.path) == nil)
        try fixture.sqlite("ATTACH '\(yesterday)' AS old; INSERT INTO past SELECT * FROM old.past WHERE item < 3")
        #expect(isNoticed(try await opening(fixture.path)))
    }

    @Test func aRepairKeepsWhatOpens() async throws {
        let fixture = try await fixture()
        try fixture.sqlite(
            """
            UPDATE past SET secret = zeroblob(99) WHERE item = 1; UPDATE past SET note = zeroblob(60) WHERE item = 2;
            INSERT INTO past VALUES (\(Int64.max), 7, 1, 1, 1, zeroblob(99), zeroblob(99), zeroblob(99), zeroblob(99))
            """
        )
        let keychain = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
        try await keychain.repair()
        let kept = try keychain.past()
        #expect(kept.map(\.item.reference.number) == [2, 3] && kept.map(\.isRemoved) == [true, false])
        #expect(try keychain.verify().isSound)
        for past in kept { try keychain.restore(past.number) }
        #expect(try keychain.text("b") == "secret" && keychain.text("c") == "old")
        #expect(try keychain.add(password("d")).number == 4, "no number is given out twice")
        #expect(try await opening(fixture.path) == nil)
    }

    /// Which is damaged and was accepted as such is told, and never put back as something else.
    @Test func whatIsDamagedIsToldAndNotPutBack() async throws {
        let fixture = try await Fixture()
        var guarded = password("a")
        guarded.accessibility = .whenPasscodeSetThisDeviceOnly
        let past = try fixture.keychain.trash(fixture.keychain.add(guarded))
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        try fixture.sqlite("UPDATE past SET secret = zeroblob(99)")
        // Who has not the key of it cannot tell.
        let other = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.self) { try await other.unlock(.recoveryCode(code)) }
        try await other.repair()
        #expect(try other.past().count == 1)
        let keychain = try await fixture.another()
        #expect(throws: KeychainError.damagedPast(number: past.number)) { try keychain.restore(past.number) }
        #expect(throws: KeychainError.damagedPast(number: past.number)) { try keychain.pastSecret(past.number) }
        #expect(try keychain.verify().problem == .damagedPast(number: past.number))
        try await keychain.repair()
        #expect(try keychain.past().isEmpty && keychain.verify().isSound)
    }

    @Test func aDamagedItemLeavesTheValuesThatItHad() async throws {
        let fixture = try await fixture()
        try fixture.sqlite("UPDATE item SET secret = zeroblob(99) WHERE number = 3")
        let keychain = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
        #expect(try await keychain.repair().damaged == [3])
        try keychain.discardDamaged(3)
        let past = try #require(try keychain.past().last)
        #expect(past.isRemoved && past.item.reference.number == 3)
        try keychain.restore(past.number)
        #expect(try keychain.text("c") == "old" && keychain.verify().isSound)
    }

    // MARK: Other versions

    @Test func aFileOfTheFirstVersionOpensAndGetsATrash() async throws {
        let fixture = try await Fixture()
        let reference = try fixture.keychain.add(password("a"))
        let path = fixture.folder.file("earlier.db")
        try fixture.sqlite("VACUUM INTO '\(path)'")
        let made = try Program.run("sqlite3", [path, "DROP TABLE past; PRAGMA user_version = 1"])
        #expect(made.status == 0, "\(made)")
        // Whoever looks at the slots brings it to this version, without a key.
        #expect(try LocalKeychain(path: path).slots().count == 1)
        #expect(try Program.run("sqlite3", [path, "PRAGMA user_version"]).output == "2\n")
        let keychain = try LocalKeychain(path: path)
        try await keychain.unlock(Fixture.passphrase)
        #expect(try keychain.text("a") == "secret" && keychain.past().isEmpty)
        try keychain.restore(try keychain.trash(reference).number)
        #expect(try keychain.text("a") == "secret" && keychain.verify().isSound)
    }

    /// It ends the connection: nothing is removed where nothing would be kept.
    @Test func anAgentThatKeepsNothingIsNotAskedToRemove() async throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(at: folder.file("agent/socket"))
        defer { listener.close() }
        MildamSystem.Thread.detach(named: "agent") {
            for _ in 0..<6 {
                guard let connection = try? listener.accept() else { return }
                _ = try? AgentFrame.receive(
                    AgentRequest.self,
                    from: connection,
                    maximum: AgentFrame.maximumRequest,
                    within: .seconds(5)
                )
                connection.shutdown()
            }
        }
        let client = try AgentClient(at: listener.path)
        let reference = ItemReference(keychain: KeychainIdentifier(), number: 1)
        let error = try await Blocking.run { () -> KeychainError? in
            do throws(KeychainError) { try client.trash(reference) } catch { return error }
            return nil
        }
        guard case .agent(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("another version") && reason.contains("mildam lock --stop"))
    }
}
