import Foundation
import TestSupport
import Testing

/// A relay's data and the profiles of some who have accounts there, made once and copied for each house: to make an
/// account takes a fifth of a second, by intention (Argon2id).
actor MadeAccounts {
    /// One relay's data in "relay", and a profile for each name in "home".
    struct Edition {
        let folder: TemporaryFolder
        fileprivate let made: ContinuousClock.Instant
    }

    /// Who has an account.
    static let names: Set = ["alice", "bob", "carol", "dave", "mallory"]
    static let shared = MadeAccounts()

    /// A session's access token lives five minutes: it must outlive the test that gets a copy.
    private static let age = Duration.seconds(120)
    private var last: Edition?

    /// What is to be copied.
    func edition() async throws -> Edition {
        if let last, last.made.duration(to: .now) < Self.age { return last }
        let edition = Edition(folder: try TemporaryFolder(), made: .now)
        let relay = try await RelayProcess.start(data: edition.folder.file("relay"))
        for name in Self.names {
            try await Person(name: name, home: edition.folder.file("home"), relay: relay.url).create()
        }
        try await Self.expectKeyPackages(in: edition.folder)
        let end = try await relay.stop()
        try #require(end.status == 0, "\(end)")
        last = edition
        return edition
    }

    /// That the relay has key packages of all of them: whom others invite comes in by those.
    private static func expectKeyPackages(in folder: TemporaryFolder) async throws {
        let count = ["-readonly", folder.file("relay/relay.db"), "SELECT count(DISTINCT account) FROM key_packages"]
        let found = try await Program.result(of: "sqlite3", count)
        try #require(found.output == "\(names.count)\n", "\(found)")
    }
}
