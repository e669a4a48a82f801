import Foundation
import MildamKeychain
import MildamWire
import TestSupport
import Testing

@Suite("What the file shows")
struct LeakTests {
    @Test func neitherFileNorLogNorFreePagesShowASecret() async throws {
        let fixture = try await Fixture()
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        let words = [
            "alice-account-name", "service-of-the-year", "label for people", "the secret itself", "granted-group",
            "correct horse battery staple", try #require(code.text.text),
        ]
        var item = NewItem(
            .genericPassword,
            [.account: .text(words[0]), .service: .text(words[1]), .label: .text(words[2])],
            secret: SecretValue(text: words[3])
        )
        try fixture.keychain.grant(AccessGrant(.own, words[4]))
        item.accessGroup = words[4]
        let reference = try fixture.keychain.add(item)
        for number in 0..<50 {
            try fixture.keychain.update(
                KeychainQuery(reference),
                ItemChange(
                    [.comment: .text(words[2] + " \(number)")],
                    secret: SecretValue(text: words[3] + " \(number)")
                )
            )
        }
        for number in 0..<50 { try fixture.keychain.add(password("\(words[0]) \(number)", words[1], words[3])) }
        #expect(try search(fixture, for: words) == [:])
        try fixture.keychain.delete(KeychainQuery(.genericPassword))
        #expect(try search(fixture, for: words) == [:])
        // What is planted is found.
        try fixture.sqlite("CREATE TABLE planted (t); INSERT INTO planted VALUES ('\(words[3])')")
        #expect(try search(fixture, for: words)[words[3]] ?? 0 > 0)
    }

    /// Nor is what was deleted there as it was sealed, for whoever gets the keys later: not in the log, either.
    @Test func whatIsDeletedIsGoneAsItWasSealed() async throws {
        let fixture = try await Fixture()
        let reference = try fixture.keychain.add(password("a", "service", "the secret itself"))
        let sealed = try fixture.sqlite("SELECT hex(secret) FROM item").trimmingCharacters(in: .whitespacesAndNewlines)
        let bytes = Data(try Hex.decode(sealed.lowercased()))
        func places() throws -> [String] {
            try [fixture.path, fixture.path + "-wal"].filter {
                try Data(contentsOf: URL(fileURLWithPath: $0)).range(of: bytes) != nil
            }
        }
        #expect(try !places().isEmpty, "the search is for what is there")
        try fixture.keychain.delete(KeychainQuery(reference))
        #expect(try places().isEmpty)
    }

    @Test func aSearchFindsWhatLiesInAFreePageAlone() async throws {
        let fixture = try await Fixture()
        let pages = try fixture.sqlite(
            """
            PRAGMA secure_delete = OFF;
            CREATE TABLE planted (t); INSERT INTO planted VALUES ('planted in a free page'); DROP TABLE planted;
            PRAGMA wal_checkpoint(TRUNCATE); PRAGMA freelist_count;
            """
        )
        #expect(pages.hasSuffix("\n0|0|0\n1\n"), "\(pages)")
        #expect(try search(fixture, for: ["planted in a free page"]) == ["planted in a free page": 1])
    }

    @Test func aSearchFindsWhatLiesInTheLogAlone() async throws {
        let fixture = try await Fixture()
        // While somebody has the file open, what is written stays in the log.
        try fixture.sqlite("CREATE TABLE planted (t); INSERT INTO planted VALUES ('planted in the log')")
        let log = try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal"))
        #expect(log.range(of: Data("planted in the log".utf8)) != nil)
        #expect(try search(fixture, for: ["planted in the log"]).count == 1)
    }

    @Test func theFileAndItsCopiesAreTheirOwnersAlone() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let copies = try LocalKeychain.copies(of: fixture.path)
        #expect(copies.count == 1)
        let usual = [(fixture.path, 0o600), (fixture.path + ".copies", 0o700)]
        for (path, wanted) in usual + copies.map({ ($0.path, 0o600) }) {
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(permissions == wanted, "\(path)")
        }
    }

    /// How often each word stands in the file, its log and whatever else is in the folder.
    private func search(_ fixture: Fixture, for words: [String]) throws -> [String: Int] {
        var found: [String: Int] = [:]
        for name in try fixture.folder.files() {
            let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.folder.file(name)))
            #expect(!whole.isEmpty || name.hasSuffix("-wal") || name.hasSuffix("/lock"))
            for word in words where whole.range(of: Data(word.utf8)) != nil { found[word, default: 0] += 1 }
        }
        return found
    }
}
