import Foundation
import Glibc
import MildamKeychain
import MildamSystem
import TestSupport
import Testing

/// A file that SQLite no longer reads, or not all of: damaged in earnest, byte by byte and page by page.
@Suite("What is saved of a damaged file")
struct KeychainSalvageTests {
    private static let pageSize = 4096

    /// The bytes of a keychain of forty items, of which some take several pages, and what each item holds.
    private func made() async throws -> (bytes: [UInt8], secrets: [String: String]) {
        let fixture = try await Fixture()
        var secrets: [String: String] = [:]
        for number in 0..<40 {
            secrets["user\(number)"] =
                "secret \(number)" + String(repeating: "x", count: number.isMultiple(of: 10) ? 9000 : number * 10)
        }
        for (account, text) in secrets { try fixture.keychain.add(password(account, "service", text)) }
        let copy = fixture.folder.file("copy.db")
        try fixture.sqlite("VACUUM INTO '\(copy)'")
        defer { withExtendedLifetime(fixture) {} }
        return (try bytes(copy), secrets)
    }

    private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(unsafe chmod(path, 0o600) == 0)
    }

    /// Lays a damaged file into a folder, with a copy of what it was beside it where that is said.
    private func lay(_ damaged: [UInt8], copy: [UInt8]? = nil) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try write(damaged, folder.file("k.db"))
        if let copy {
            try FileManager.default.createDirectory(
                atPath: folder.file("k.db.copies"),
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            try write(copy, folder.file("k.db.copies/1700000000000-40.db"))
        }
        return folder
    }

    /// What each item of a keychain holds that opens.
    private func secrets(_ keychain: LocalKeychain) -> [String: String] {
        var found: [String: String] = [:]
        let query = KeychainQuery(.genericPassword)
        for item in (try? keychain.copyMatching(query, limit: .all, returningSecrets: false)) ?? [] {
            let account = item.attributes.text(.account) ?? ""
            guard let whole = try? keychain.item(KeychainQuery(item.reference)) else { continue }
            found[account] = whole.secret?.text
        }
        return found
    }

    /// A file that opens, and is whole as a database, stays as it is; of any other the items are saved. So does a repair: to
    /// a page of which something else is wrong, nothing may be written.
    private func opened(_ path: String) async throws -> LocalKeychain {
        do {
            let keychain = try LocalKeychain(path: path)
            try await keychain.unlock(Fixture.passphrase)
            _ = try keychain.verify()
            return keychain
        } catch {
            return try await LocalKeychain.salvage(path, secret: Fixture.passphrase).keychain
        }
    }

    @Test func withoutAHeaderEveryItemIsSaved() async throws {
        let (whole, secrets) = try await made()
        var damaged = whole
        damaged.replaceSubrange(0..<Self.pageSize, with: [UInt8](repeating: 0, count: Self.pageSize))
        let folder = try lay(damaged)
        defer { withExtendedLifetime(folder) {} }
        let path = folder.file("k.db")
        #expect(throws: KeychainError.self) { try LocalKeychain(path: path) }
        await #expect(throws: KeychainError.wrongSecret) {
            _ = try await LocalKeychain.salvage(path, secret: .passphrase(SecretValue(text: "another one")))
        }
        #expect(try bytes(path) == damaged, "a wrong passphrase changes nothing")
        let (keychain, report) = try await LocalKeychain.salvage(path, secret: Fixture.passphrase)
        #expect(report.items == 40 && report.lost.isEmpty && report.damaged.isEmpty, "\(report)")
        #expect(self.secrets(keychain) == secrets)
        #expect(try keychain.verify().isSound)
        #expect(try keychain.auditLog().contains { $0.event == .repaired })
        #expect(try keychain.add(password("new")).number > 40)
        // The damaged file is kept as it was.
        let aside = try #require(report.damagedFile)
        #expect(report.damagedLog == nil)
        #expect(try bytes(aside) == damaged)
        for file in [path, aside] {
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        }
        // And opens again, for whoever comes next.
        try await LocalKeychain(path: path).unlock(Fixture.passphrase)
    }

    /// Each page lost by itself costs the rows in it, and no other; with a copy, nothing at all.
    @Test func aLostPageCostsWhatLayInIt() async throws {
        let (whole, secrets) = try await made()
        let pages = whole.count / Self.pageSize
        #expect(pages > 15)
        var saved = 0
        for page in 0..<pages {
            var damaged = whole
            let range = page * Self.pageSize..<(page + 1) * Self.pageSize
            damaged.replaceSubrange(range, with: [UInt8](repeating: 0xa5, count: Self.pageSize))
            let alone = try lay(damaged)
            defer { withExtendedLifetime(alone) {} }
            // The page may be that of the slots, or of the keychain's name.
            if let keychain = try? await opened(alone.file("k.db")) {
                let found = self.secrets(keychain)
                #expect(found.allSatisfy { secrets[$0.key] == $0.value }, "page \(page)")
                saved += found.count
            }
            let copied = try lay(damaged, copy: whole)
            defer { withExtendedLifetime(copied) {} }
            let keychain = try await opened(copied.file("k.db"))
            _ = try keychain.restoreItems(withMissing: true)
            #expect(self.secrets(keychain) == secrets, "page \(page)")
            #expect(try keychain.verify().isSound, "page \(page)")
        }
        #expect(saved > 30 * (pages - 5), "most of it is saved without a copy, too")
    }

    @Test func aFileThatWasCutGivesWhatIsLeft() async throws {
        let (whole, secrets) = try await made()
        for eighth in 0..<8 {
            let damaged = [UInt8](whole[..<(whole.count * eighth / 8)])
            let alone = try lay(damaged)
            defer { withExtendedLifetime(alone) {} }
            if let keychain = try? await opened(alone.file("k.db")) {
                #expect(self.secrets(keychain).allSatisfy { secrets[$0.key] == $0.value }, "cut at \(eighth)")
            }
            let copied = try lay(damaged, copy: whole)
            defer { withExtendedLifetime(copied) {} }
            let keychain = try await opened(copied.file("k.db"))
            _ = try keychain.restoreItems(withMissing: true)
            #expect(self.secrets(keychain) == secrets, "cut at \(eighth)")
        }
    }

    @Test func aFlippedBitCostsNoMoreThanAnItem() async throws {
        let (whole, secrets) = try await made()
        var generator = Seed.generator(for: "salvaged bits")
        for _ in 0..<Count.of(few: 40, full: 1000) {
            var damaged = whole
            let place = Int.random(in: 0..<whole.count, using: &generator)
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            let folder = try lay(damaged, copy: whole)
            defer { withExtendedLifetime(folder) {} }
            // A bit of the header can make it a file of a newer program's, which is left as it is.
            guard let keychain = try? await opened(folder.file("k.db")) else {
                #expect(place < 100, "bit at \(place)")
                continue
            }
            _ = try keychain.restoreItems(withMissing: true)
            #expect(self.secrets(keychain) == secrets, "bit at \(place)")
        }
    }

    /// Where a page says that its free room is elsewhere, all of it is read, and the next row is written over others.
    @Test func freeRoomInTheWrongPlaceCostsNothing() async throws {
        let (whole, secrets) = try await made()
        for page in 1..<whole.count / Self.pageSize {
            var damaged = whole
            damaged[page * Self.pageSize + 2] ^= 64
            let folder = try lay(damaged, copy: whole)
            defer { withExtendedLifetime(folder) {} }
            let keychain = try await opened(folder.file("k.db"))
            _ = try keychain.restoreItems(withMissing: true)
            #expect(self.secrets(keychain) == secrets, "page \(page)")
        }
    }

    @Test func whatIsInTheLogAloneIsSavedAndTheLogIsKept() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a", "service", "in the log"))
        var file = try bytes(fixture.path)
        let log = try bytes(fixture.path + "-wal")
        withExtendedLifetime(fixture) {}
        #expect(!log.isEmpty)
        file.replaceSubrange(0..<Self.pageSize, with: [UInt8](repeating: 0, count: Self.pageSize))
        let folder = try lay(file)
        defer { withExtendedLifetime(folder) {} }
        let path = folder.file("k.db")
        try write(log, path + "-wal")
        let (keychain, report) = try await LocalKeychain.salvage(path, secret: Fixture.passphrase)
        #expect(report.items == 1)
        #expect(self.secrets(keychain) == ["a": "in the log"])
        #expect(try keychain.verify().isSound)
        let aside = try #require(report.damagedFile)
        #expect(try bytes(aside) == file)
        #expect(report.damagedLog == aside + "-wal")
        #expect(try bytes(aside + "-wal") == log)
    }

    /// As where one page is from before an item was removed, and another from after its name was given to another.
    @Test(arguments: [false, true])
    func ofTwoWithOneNameTheNewerHasIt(_ isInTheTrash: Bool) async throws {
        let now = Lock<Int64>(1_700_000_000_000)
        var options = LocalKeychain.Options()
        options.clock = WallClock { now.withLock { $0 } }
        let fixture = try await Fixture(options: options)
        let newer = try fixture.keychain.add(password("b", "service", "new"))
        let older = try fixture.keychain.add(password("a", "service", "old"))
        let rows = fixture.folder.file("rows.db")
        try fixture.sqlite(
            "ATTACH '\(rows)' AS kept; CREATE TABLE kept.item AS SELECT * FROM item WHERE number = \(older.number)"
        )
        if isInTheTrash {
            try fixture.keychain.trash(older)
        } else {
            try fixture.keychain.delete(KeychainQuery(older))
        }
        now.withLock { $0 += 1000 }
        try fixture.keychain.update(KeychainQuery(newer), ItemChange([.account: "a"]))
        try fixture.sqlite("ATTACH '\(rows)' AS kept; INSERT INTO item SELECT * FROM kept.item")
        let copy = fixture.folder.file("copy.db")
        try fixture.sqlite("VACUUM INTO '\(copy)'")
        var damaged = try bytes(copy)
        withExtendedLifetime(fixture) {}
        damaged.replaceSubrange(0..<100, with: [UInt8](repeating: 0, count: 100))
        let folder = try lay(damaged)
        defer { withExtendedLifetime(folder) {} }
        let (keychain, report) = try await LocalKeychain.salvage(folder.file("k.db"), secret: Fixture.passphrase)
        #expect(report.items == 1 && report.damaged.isEmpty && report.lost.isEmpty, "\(report)")
        #expect(report.trashed.map(\.reference.number) == [older.number], "\(report)")
        #expect(secrets(keychain) == ["a": "new"])
        // The other one is kept, and once.
        let past = try keychain.past(of: nil)
        #expect(past.map(\.isRemoved) == [true] && past.map(\.item.reference.number) == [older.number])
        let kept = try #require(past.first)
        #expect(try keychain.pastSecret(kept.number).text == "old")
        #expect(try keychain.verify().isSound)
    }

    @Test func aFileThatIsGoneComesBackFromItsCopies() async throws {
        let (whole, secrets) = try await made()
        let folder = try lay([], copy: whole)
        defer { withExtendedLifetime(folder) {} }
        let path = folder.file("k.db")
        try FileManager.default.removeItem(atPath: path)
        #expect(try LocalKeychain.slotKinds(ofDamaged: path) == [.passphrase])
        let (keychain, report) = try await LocalKeychain.salvage(path, secret: Fixture.passphrase)
        #expect(report.items == 0 && report.damagedFile == nil)
        #expect(try keychain.restoreItems(withMissing: true).count == 40)
        #expect(self.secrets(keychain) == secrets)
        #expect(try keychain.verify().isSound)
    }

    /// Whoever wrote to a copy chose its numbers.
    @Test func aSlotOfACopyHasNoNumberThatNoKeychainGetsTo() async throws {
        let (whole, secrets) = try await made()
        let folder = try lay([], copy: whole)
        defer { withExtendedLifetime(folder) {} }
        let sql = "INSERT INTO slot SELECT \(Int64.max), parameters, sealed FROM slot"
        let forged = try Program.run("sqlite3", [folder.file("k.db.copies/1700000000000-40.db"), sql])
        #expect(forged.status == 0, "\(forged)")
        let (keychain, _) = try await LocalKeychain.salvage(folder.file("k.db"), secret: Fixture.passphrase)
        #expect(try keychain.slots().map(\.number) == [1])
        #expect(try keychain.restoreItems(withMissing: true).count == 40)
        #expect(self.secrets(keychain) == secrets)
        #expect(try keychain.add(password("new")).number > 40)
    }

    /// Slots by the thousand, which somebody has put into a file, are neither all kept nor all tried.
    @Test func ofForgedSlotsSomeAreLookedAt() async throws {
        let fixture = try await Fixture()
        try fixture.sqlite(
            """
            INSERT INTO slot WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            SELECT i, parameters, randomblob(64) FROM slot, n
            """
        )
        let copy = fixture.folder.file("copy.db")
        try fixture.sqlite("VACUUM INTO '\(copy)'")
        var damaged = try bytes(copy)
        withExtendedLifetime(fixture) {}
        damaged.replaceSubrange(0..<100, with: [UInt8](repeating: 0, count: 100))
        let folder = try lay(damaged)
        defer { withExtendedLifetime(folder) {} }
        let path = folder.file("k.db")
        #expect(try LocalKeychain.slotKinds(ofDamaged: path).count == 256)
        await #expect(throws: KeychainError.wrongSecret) {
            _ = try await LocalKeychain.salvage(path, secret: .passphrase(SecretValue(text: "another one")))
        }
    }

    /// A damaged file gives only what was sealed under its own keys.
    @Test func nothingForeignIsTakenIn() async throws {
        let (mine, secrets) = try await made()
        let other = try await Fixture()
        try other.keychain.add(password("foreign"))
        let copy = other.folder.file("copy.db")
        try other.sqlite("VACUUM INTO '\(copy)'")
        var damaged = mine + (try bytes(copy))
        withExtendedLifetime(other) {}
        damaged.replaceSubrange(0..<100, with: [UInt8](repeating: 0, count: 100))
        let folder = try lay(damaged)
        defer { withExtendedLifetime(folder) {} }
        let kept = try await LocalKeychain.salvage(folder.file("k.db"), secret: Fixture.passphrase)
        #expect(self.secrets(kept.keychain) == secrets)
        #expect(throws: KeychainError.itemNotFound) { try kept.keychain.text("foreign") }
    }
}
