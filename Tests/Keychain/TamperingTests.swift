import Foundation
import Glibc
import MildamKeychain
import TestSupport
import Testing

@Suite("A file that something else has changed")
struct TamperingTests {
    /// A keychain of ten items, closed.
    private func ten() async throws -> Fixture {
        let fixture = try await Fixture()
        for number in 0..<10 { try fixture.keychain.add(password("user\(number)", "service", "secret \(number)")) }
        return fixture
    }

    /// What opening the file comes to.
    private func opening(_ fixture: Fixture) async throws -> KeychainError? {
        let keychain = try LocalKeychain(path: fixture.path)
        do { try await keychain.unlock(Fixture.passphrase) } catch { return error }
        return nil
    }

    private func isNoticed(_ error: KeychainError?) -> Bool {
        if case .changedFromOutside = error { true } else { false }
    }

    @Test(arguments: [
        "DELETE FROM item WHERE number = 3",
        "UPDATE item SET accessibility = 2 WHERE number = 3",
        "UPDATE item SET class = 2 WHERE number = 3",
        "UPDATE item SET version = 2 WHERE number = 3",
        "UPDATE item SET secret = (SELECT secret FROM item WHERE number = 4) WHERE number = 3",
        "UPDATE item SET key = (SELECT key FROM item WHERE number = 4) WHERE number = 3",
        "UPDATE item SET attributes = (SELECT attributes FROM item WHERE number = 4) WHERE number = 3",
        "INSERT INTO item SELECT number + 100, version, class, accessibility, attributes, key, secret FROM item WHERE number = 3",
        "DELETE FROM item_index WHERE item = 3",
        "INSERT INTO item_index VALUES (zeroblob(16), 3)",
        "UPDATE item_index SET item = 99 WHERE item = 3",
        "DELETE FROM head",
        "UPDATE head SET sealed = zeroblob(100)",
        "INSERT INTO slot SELECT number + 1, parameters, sealed FROM slot",
        "INSERT INTO access VALUES (9, zeroblob(100))",
        "INSERT INTO audit VALUES (9, zeroblob(100))",
    ])
    func isNoticedWhenItIsOpened(_ sql: String) async throws {
        let fixture = try await ten()
        #expect(try await opening(fixture) == nil)
        try fixture.sqlite(sql)
        #expect(isNoticed(try await opening(fixture)), "\(sql)")
        // The keychain that is open notices it, too, and does nothing more.
        #expect(throws: KeychainError.self) { try fixture.keychain.text("user7") }
        #expect(throws: KeychainError.self) { try fixture.keychain.add(password("more")) }
    }

    @Test func aRowOfYesterdayIsNoticed() async throws {
        let fixture = try await ten()
        try fixture.sqlite(
            "VACUUM INTO '\(fixture.folder.file("yesterday.db"))'"
        )
        try fixture.keychain.update(
            .genericPassword(service: "service", account: "user3"),
            ItemChange(secret: SecretValue(text: "changed today"))
        )
        #expect(try await opening(fixture) == nil)
        try fixture.sqlite(
            """
            ATTACH '\(fixture.folder.file("yesterday.db"))' AS old;
            DELETE FROM item WHERE number = 4; INSERT INTO item SELECT * FROM old.item WHERE number = 4;
            """
        )
        #expect(isNoticed(try await opening(fixture)))
    }

    /// Another way to open it, spoiled by who cannot use it, is missed before it is needed.
    @Test(arguments: ["sealed", "parameters"])
    func aSlotThatIsNotUsedIsLookedAtToo(_ column: String) async throws {
        let fixture = try await ten()
        try await fixture.keychain.addSlot(.recoveryCode(RecoveryCode()), authorizedBy: Fixture.passphrase)
        #expect(try await opening(fixture) == nil)
        try fixture.sqlite(
            """
            UPDATE slot SET \(column) = CAST(substr(\(column), 1, length(\(column)) - 1) || x'00' AS BLOB)
                WHERE number = (SELECT max(number) FROM slot)
            """
        )
        #expect(isNoticed(try await opening(fixture)))
    }

    @Test func aSlotOfYesterdayIsNoticed() async throws {
        let fixture = try await ten()
        try fixture.sqlite("VACUUM INTO '\(fixture.folder.file("yesterday.db"))'")
        let new = SlotSecret.passphrase(SecretValue(text: "another one"))
        try await fixture.keychain.replaceSlot(Fixture.passphrase, with: new, costs: .least)
        try fixture.sqlite(
            "ATTACH '\(fixture.folder.file("yesterday.db"))' AS old; INSERT INTO slot SELECT * FROM old.slot"
        )
        #expect(isNoticed(try await opening(fixture)), "the old passphrase must not come back")
    }

    @Test func aWholeFileOfYesterdayIsNoticedByWhoeverSawTodays() async throws {
        let fixture = try await ten()
        let yesterday = fixture.folder.file("yesterday.db")
        try fixture.sqlite("VACUUM INTO '\(yesterday)'")
        try fixture.keychain.add(password("new"))
        // Written into the file itself, as whoever keeps it open sees it.
        try fixture.sqlite(
            """
            ATTACH '\(yesterday)' AS old;
            DELETE FROM item; INSERT INTO item SELECT * FROM old.item;
            DELETE FROM item_index; INSERT INTO item_index SELECT * FROM old.item_index;
            DELETE FROM head; INSERT INTO head SELECT * FROM old.head;
            """
        )
        #expect(throws: KeychainError.rolledBack) { try fixture.keychain.text("user1") }
        // Without a counter outside the file, one that opens it anew cannot know.
        #expect(try await opening(fixture) == nil)
    }

    @Test func aFileThatTakesItsPlaceIsNoticed() async throws {
        let fixture = try await ten()
        let yesterday = fixture.folder.file("yesterday.db")
        try fixture.sqlite("VACUUM INTO '\(yesterday)'")
        try fixture.keychain.add(password("new"))
        let today = fixture.folder.file("today.db")
        #expect(unsafe link(fixture.path, today) == 0)
        #expect(unsafe rename(yesterday, fixture.path) == 0)
        func noticed(_ body: () throws -> Void) -> Bool {
            do { try body() } catch KeychainError.replaced(path: _) { return true } catch {}
            return false
        }
        #expect(noticed { _ = try fixture.keychain.text("new") })
        #expect(noticed { try fixture.keychain.add(password("more")) })
        // When the right one is back, nothing is amiss.
        #expect(unsafe rename(today, fixture.path) == 0)
        try await fixture.keychain.unlock(Fixture.passphrase)
        #expect(try fixture.keychain.text("new") == "secret")
        #expect(throws: KeychainError.itemNotFound) { try fixture.keychain.text("more") }
    }

    @Test func aNewerFileIsLeftAsItIs() async throws {
        let fixture = try await ten()
        try fixture.sqlite("PRAGMA user_version = 3")
        #expect(throws: KeychainError.storage(.newerVersion(path: fixture.path, found: 3, known: 2))) {
            _ = try LocalKeychain(path: fixture.path)
        }
        #expect(try fixture.sqlite("PRAGMA user_version") == "3\n")
        try fixture.sqlite("PRAGMA user_version = 2; PRAGMA application_id = 1")
        #expect(throws: KeychainError.storage(.notOurs(path: fixture.path))) {
            _ = try LocalKeychain(path: fixture.path)
        }
    }

    @Test func aDamagedItemIsReportedKeptAndNeverMissing() async throws {
        let fixture = try await ten()
        try fixture.sqlite("UPDATE item SET attributes = zeroblob(128) WHERE number = 4")
        let keychain = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
        let report = try keychain.verify()
        #expect(report.items == 10)
        #expect(report.damaged == [4])
        #expect(isNoticed(report.problem))
        #expect(try await keychain.repair().damaged == [4])
        #expect(try keychain.text("user5") == "secret 5")
        #expect(throws: KeychainError.damagedItem(number: 4)) { try keychain.text("user3") }
        #expect(throws: KeychainError.damagedItem(number: 4)) {
            try keychain.copyMatching(KeychainQuery(.genericPassword), limit: .all)
        }
        #expect(throws: KeychainError.self) { try keychain.discardDamaged(5) }
        try keychain.discardDamaged(4)
        #expect(throws: KeychainError.itemNotFound) { try keychain.text("user3") }
        #expect(try keychain.copyMatching(KeychainQuery(.genericPassword), limit: .all).count == 9)
        #expect(try await opening(fixture) == nil)
        #expect(try keychain.auditLog().contains { $0.event == .repaired })
    }

    /// What was planted among the grants and in the log goes with a repair, and what is genuine stays.
    @Test func plantedRecordsDoNotOutliveARepair() async throws {
        let fixture = try await ten()
        let grant = AccessGrant(.own, "group")
        try fixture.keychain.grant(grant)
        try fixture.sqlite(
            "INSERT INTO audit VALUES (99, zeroblob(100)); INSERT INTO access VALUES (99, zeroblob(100))"
        )
        let keychain = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
        _ = try await keychain.repair()
        #expect(try keychain.auditLog().map(\.event) == [.granted, .repaired])
        #expect(try keychain.grants() == [grant])
        #expect(try await opening(fixture) == nil)
    }

    /// A repair takes the file for what it should be. It does not take one item's secret for another's.
    @Test(arguments: [
        "secret = (SELECT secret FROM item WHERE number = 4)",
        "key = (SELECT key FROM item WHERE number = 4)",
        "key = (SELECT key FROM item WHERE number = 4), secret = (SELECT secret FROM item WHERE number = 4)",
        "attributes = (SELECT attributes FROM item WHERE number = 4)",
        """
        attributes = (SELECT attributes FROM item WHERE number = 4), key = (SELECT key FROM item WHERE number = 4), \
        secret = (SELECT secret FROM item WHERE number = 4)
        """,
        "version = 2", "class = 2", "accessibility = 2", "accessibility = 5", "class = 99", "accessibility = 0",
    ])
    func whatWasExchangedStaysDamagedAfterARepair(_ change: String) async throws {
        let fixture = try await ten()
        try fixture.sqlite("UPDATE item SET \(change) WHERE number = 3")
        let keychain = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
        #expect(try await keychain.repair().damaged == [3])
        #expect(try keychain.verify().damaged == [3])
        #expect(try keychain.text("user3") == "secret 3")
        #expect(throws: KeychainError.damagedItem(number: 3)) {
            try keychain.item(KeychainQuery(ItemReference(keychain: keychain.identifier, number: 3)))
        }
        #expect(throws: KeychainError.damagedItem(number: 3), "a listing passes it by") {
            try keychain.copyMatching(KeychainQuery(.genericPassword), limit: .all)
        }
    }

    /// One version of a row takes no other's place, even where both are genuine.
    @Test func aRowOfYesterdayUnderTodaysVersionStaysDamaged() async throws {
        let fixture = try await ten()
        let yesterday = fixture.folder.file("yesterday.db")
        try fixture.sqlite("VACUUM INTO '\(yesterday)'")
        let query = KeychainQuery.genericPassword(service: "service", account: "user3")
        try fixture.keychain.update(query, ItemChange(secret: SecretValue(text: "changed today")))
        for columns in ["key, secret", "attributes, key, secret"] {
            try fixture.sqlite(
                """
                ATTACH '\(yesterday)' AS old;
                UPDATE item SET (\(columns)) = (SELECT \(columns) FROM old.item WHERE number = 4) WHERE number = 4
                """
            )
            let keychain = try LocalKeychain(path: fixture.path)
            await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
            #expect(try await keychain.repair().damaged == [4], "\(columns)")
        }
    }

    @Test func everyFlippedBitIsNoticedOrHarmless() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("alice", "service", "the secret"))
        let whole = try Data(contentsOf: URL(fileURLWithPath: try closedCopy(fixture)))
        var generator = Seed.generator(for: "bits")
        var noticed = 0
        let count = Count.of(few: 100, full: 3000)
        for _ in 0..<count {
            let folder = try TemporaryFolder()
            var bytes = whole
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try bytes.write(to: URL(fileURLWithPath: folder.file("k.db")))
            do {
                let keychain = try LocalKeychain(path: folder.file("k.db"))
                try await keychain.unlock(Fixture.passphrase)
                #expect(try keychain.text("alice") == "the secret", "bit at \(position)")
            } catch {
                noticed += 1
            }
        }
        #expect(noticed > 0)
    }

    @Test func everyCutIsNoticed() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("alice", "service", "the secret"))
        let whole = try Data(contentsOf: URL(fileURLWithPath: try closedCopy(fixture)))
        var noticed = 0
        for size in stride(from: 0, to: whole.count, by: 509) {
            let folder = try TemporaryFolder()
            try whole.prefix(size).write(to: URL(fileURLWithPath: folder.file("k.db")))
            do {
                let keychain = try LocalKeychain(path: folder.file("k.db"))
                try await keychain.unlock(Fixture.passphrase)
                // Of the last page nothing is missing but the zeros at its end.
                #expect(size > whole.count - 4096, "cut at \(size)")
                #expect(try keychain.text("alice") == "the secret", "cut at \(size)")
            } catch {
                noticed += 1
            }
        }
        #expect(noticed > 50)
    }

    /// The file alone, with nothing left in a log.
    private func closedCopy(_ fixture: Fixture) throws -> String {
        let copy = fixture.folder.file("copy.db")
        try fixture.sqlite("VACUUM INTO '\(copy)'")
        return copy
    }
}
