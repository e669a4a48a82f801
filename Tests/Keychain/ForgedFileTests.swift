import Foundation
import MildamKeychain
import TestSupport
import Testing

/// What whoever writes to the file can do beyond SQL: pages whose rows contradict what the tables promise.
@Suite("A file that is forged byte by byte")
struct ForgedFileTests {
    private func isNoticed(_ error: KeychainError?) -> Bool {
        if case .changedFromOutside = error { true } else { false }
    }

    /// What opening a file comes to.
    private func opening(_ path: String, _ secret: SlotSecret = Fixture.passphrase) async throws -> KeychainError? {
        let keychain = try LocalKeychain(path: path)
        do { try await keychain.unlock(secret) } catch { return error }
        return nil
    }

    private func sqlite(_ path: String, _ sql: String) throws -> String {
        let result = try Program.run("sqlite3", [path, sql])
        guard result.status == 0 else { throw StringError(result.description) }
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func root(_ path: String, _ table: String) throws -> Int {
        try #require(Int(try sqlite(path, "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")))
    }

    /// A copy of today's file, and one of yesterday's.
    private func copies(_ today: (Fixture) async throws -> Void) async throws -> (Fixture, today: String, old: String) {
        let fixture = try await Fixture()
        for number in 0..<5 { try fixture.keychain.add(password("user\(number)", "service", "secret \(number)")) }
        let old = fixture.folder.file("yesterday.db")
        try fixture.sqlite("VACUUM INTO '\(old)'")
        try await today(fixture)
        let copy = fixture.folder.file("today.db")
        try fixture.sqlite("VACUUM INTO '\(copy)'")
        return (fixture, copy, old)
    }

    @Test func aSlotThatIsThereTwiceDoesNotCancelOut() async throws {
        let new = SlotSecret.passphrase(SecretValue(text: "another one"))
        let (fixture, path, old) = try await copies { fixture in
            try await fixture.keychain.replaceSlot(Fixture.passphrase, with: new, costs: .least)
        }
        defer { withExtendedLifetime(fixture) {} }
        #expect(try await opening(path, new) == nil)
        #expect(try await opening(path) == .wrongSecret)
        _ = try sqlite(
            path,
            """
            ATTACH '\(old)' AS old; INSERT INTO slot SELECT * FROM old.slot;
            INSERT INTO slot SELECT 99, parameters, sealed FROM old.slot
            """
        )
        var file = try SQLiteFile(path)
        let isForged = file.renumber(99, to: 1, root: try root(path, "slot"))
        #expect(isForged)
        try file.write()
        #expect(isNoticed(try await opening(path)), "a passphrase that was changed opens")
    }

    @Test func anOldRowThatIsThereTwiceDoesNotCancelOut() async throws {
        let (fixture, path, old) = try await copies { fixture in
            try fixture.keychain.update(
                .genericPassword(service: "service", account: "user3"),
                ItemChange(secret: SecretValue(text: "changed today"))
            )
        }
        defer { withExtendedLifetime(fixture) {} }
        _ = try sqlite(
            path,
            """
            ATTACH '\(old)' AS old;
            INSERT INTO item SELECT 98, version, class, accessibility, attributes, key, secret
                FROM old.item WHERE number = 4;
            INSERT INTO item SELECT 99, version, class, accessibility, attributes, key, secret
                FROM old.item WHERE number = 4
            """
        )
        var file = try SQLiteFile(path)
        let root = try root(path, "item")
        let areForged = [file.renumber(98, to: 4, root: root), file.renumber(99, to: 4, root: root)]
        #expect(areForged == [true, true])
        try file.write()
        #expect(isNoticed(try await opening(path)))
    }

    @Test(arguments: ["item_index", "item", "slot", "audit", "past"])
    func rowsOutOfOrderAreNoticed(_ table: String) async throws {
        let (fixture, path, _) = try await copies { fixture in
            try await fixture.keychain.addSlot(.recoveryCode(RecoveryCode()), authorizedBy: Fixture.passphrase)
            for group in ["a", "b", "c"] { try fixture.keychain.grant(AccessGrant(.own, group)) }
            for number in 0..<2 { try fixture.keychain.trash(fixture.keychain.reference(of: "user\(number)")) }
        }
        defer { withExtendedLifetime(fixture) {} }
        var file = try SQLiteFile(path)
        file.reverseLeaves(root: try root(path, table))
        try file.write()
        // A search would pass by what is there, and call it missing.
        #expect(isNoticed(try await opening(path)), "\(table)")
    }

    @Test(arguments: ["item", "past"])
    func aRowThatOnlyAScanFindsIsNoticed(_ table: String) async throws {
        let (fixture, path, _) = try await copies { fixture in
            for number in 0..<30 {
                try fixture.keychain.add(password("more\(number)"))
                try fixture.keychain.trash(fixture.keychain.add(password("removed\(number)")))
            }
        }
        defer { withExtendedLifetime(fixture) {} }
        var file = try SQLiteFile(path)
        let isForged = file.misguide(root: try root(path, table))
        #expect(isForged)
        try file.write()
        #expect(isNoticed(try await opening(path)))
    }

    @Test func aRowOfTheHighestNumberDoesNotStopARepair() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        for table in ["item", "access", "audit", "slot", "past"] {
            let values = [
                "item": "1, 1, 1, zeroblob(99), zeroblob(99), zeroblob(99)", "access": "zeroblob(99)",
                "audit": "zeroblob(99)", "slot": "zeroblob(99), zeroblob(99)",
                "past": "1, 1, 1, 1, zeroblob(99), zeroblob(99), zeroblob(99), zeroblob(99)",
            ]
            try fixture.sqlite("INSERT INTO \(table) VALUES (\(Int64.max), \(values[table] ?? ""))")
        }
        let keychain = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.self) { try await keychain.unlock(Fixture.passphrase) }
        #expect(try await keychain.repair().damaged == [.max])
        try keychain.discardDamaged(.max)
        try keychain.add(password("b"))
        try keychain.grant(AccessGrant(.own, "group"))
        #expect(try keychain.text("a") == "secret")
        #expect(try await opening(fixture.path) == nil)
    }

    @Test func aDamagedSlotLeavesTheOthers() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        let second = SlotSecret.passphrase(SecretValue(text: "second"))
        try await fixture.keychain.addSlot(second, costs: .least, authorizedBy: Fixture.passphrase)
        for damage in ["x'0101'", "x'01'", "x'0104'", "x''"] {
            try fixture.sqlite("UPDATE slot SET parameters = \(damage) WHERE number = 1")
            let keychain = try LocalKeychain(path: fixture.path)
            #expect(Set(try keychain.slots().map(\.kind)) == [.recoveryCode, .passphrase], "\(damage)")
            for secret in [SlotSecret.recoveryCode(code), second] {
                #expect(isNoticed(try await opening(fixture.path, secret)), "\(damage) \(secret.kind)")
            }
            try await keychain.openForRepair(.recoveryCode(code))
            try await keychain.repair()
            #expect(try keychain.text("a") == "secret")
        }
    }

    @Test func moreSlotsThanAnyoneNeedsAreNotTried() async throws {
        let fixture = try await Fixture()
        try fixture.sqlite(
            """
            WITH RECURSIVE n (i) AS (VALUES (100) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO slot SELECT i, parameters, sealed FROM n, slot WHERE number = 1
            """
        )
        guard case .storage(.damaged) = try await opening(fixture.path) else {
            Issue.record("a hundred slots are tried one after the other")
            return
        }
    }

    @Test(arguments: ["sqlite_stat_x", "sqlite_stat1"])
    func aTriggerOrAnIndexUnderANameOfSQLitesIsNoticed(_ name: String) async throws {
        for definition in [
            ("trigger", "CREATE TRIGGER planted AFTER DELETE ON slot BEGIN INSERT INTO slot SELECT * FROM slot; END"),
            ("index", "CREATE INDEX planted ON item_index (item, hash)"),
            ("view", "CREATE VIEW planted AS SELECT * FROM item"),
        ] {
            let fixture = try await Fixture()
            let copy = fixture.folder.file("copy.db")
            try fixture.sqlite("VACUUM INTO '\(copy)'")
            _ = try sqlite(
                copy,
                """
                \(definition.1); PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET name = '\(name)', sql = replace(sql, 'planted', '\(name)')
                    WHERE name = 'planted'
                """
            )
            #expect(throws: KeychainError.self, "\(definition)") { try LocalKeychain(path: copy) }
            // Planted while the file is open, it is noticed, too.
            #expect(throws: Never.self) { try fixture.keychain.add(password("a")) }
            try fixture.sqlite(definition.1)
            #expect(throws: KeychainError.self, "\(definition)") { try fixture.keychain.text("a") }
        }
    }
}

extension LocalKeychain {
    /// Takes the keys of a file that something is wrong with.
    func openForRepair(_ secret: SlotSecret) async throws {
        do { try await unlock(secret) } catch {
            guard case .changedFromOutside = error else { throw error }
        }
    }
}
