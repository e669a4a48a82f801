import Foundation
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

/// A relay and people around it, in a folder that is gone afterwards.
package final class House: Sendable {
    package let folder: TemporaryFolder
    private let running: Lock<RelayProcess>
    private let accounts: MadeAccounts.Edition?
    private let turn: Turn

    private init(
        _ folder: TemporaryFolder,
        _ relay: RelayProcess,
        _ accounts: MadeAccounts.Edition?,
        _ turn: Turn
    ) {
        self.folder = folder
        self.accounts = accounts
        self.turn = turn
        running = Lock(relay)
    }

    /// A house with a relay that runs.
    ///
    /// - Parameters:
    ///   - options: what it is started with besides.
    ///   - isEmpty: whether nobody has an account there; otherwise `people` and `settle` need not make them.
    package static func open(_ options: [String] = [], isEmpty: Bool = false) async throws -> House {
        let accounts = isEmpty ? nil : try await MadeAccounts.shared.edition()
        let turn = await Turn.take()
        let folder = try TemporaryFolder()
        if let accounts {
            try FileManager.default.copyItem(atPath: accounts.folder.file("relay"), toPath: folder.file("relay"))
        }
        let relay = try await RelayProcess.start(data: folder.file("relay"), options)
        return House(folder, relay, accounts, turn)
    }

    /// A house with a relay whose access tokens live so many seconds only; nobody has an account there.
    package static func open(accessLifetime: Int64) async throws -> House {
        let turn = await Turn.take()
        let folder = try TemporaryFolder()
        let relay = try await RelayProcess.start(
            data: folder.file("relay"),
            weakened: "FULL",
            accessLifetime: accessLifetime
        )
        return House(folder, relay, nil, turn)
    }

    /// A house that was kept: a relay, and its people.
    ///
    /// - Parameters:
    ///   - archive: a tar file with the relay's folder and people's home.
    ///   - url: where the relay was; `nil` for a free port, where people have to be told of it.
    package static func open(from archive: String, at url: String? = nil) async throws -> House {
        let turn = await Turn.take()
        let folder = try TemporaryFolder()
        let unpacked = try await Program.result(of: "tar", ["-xzf", archive, "-C", folder.path])
        try #require(unpacked.status == 0, "\(unpacked)")
        // A session ends 90 days after it was used: these were used just now, whenever that is. The log stays as it was kept.
        let used = try await Program.result(
            of: "sqlite3",
            [
                folder.file("relay/relay.db"), ".dbconfig no_ckpt_on_close on",
                "UPDATE sessions SET used = unixepoch()",
            ]
        )
        try #require(used.status == 0, "\(used)")
        let options = url.map { ["--public-url", $0] } ?? []
        let relay = try await RelayProcess.start(data: folder.file("relay"), options, at: url)
        return House(folder, relay, nil, turn)
    }

    deinit { RunningClients.end(in: folder.file("home")) }

    /// The relay's data folder.
    package var data: String { folder.file("relay") }

    /// The relay that runs, or ran last.
    package var relay: RelayProcess { running.withLock { $0 } }

    /// Ends the relay without a warning.
    package func kill() async throws {
        try await relay.kill()
    }

    /// Starts the relay again, at the same address.
    ///
    /// - Parameter options: what it is started with besides.
    package func restart(_ options: [String] = []) async throws {
        let new = try await RelayProcess.start(data: data, options, at: relay.url)
        running.withLock { $0 = new }
    }

    /// A person who has no account yet.
    ///
    /// - Parameter address: what they believe to be the relay.
    package func person(_ name: String, at address: String? = nil) -> Person {
        Person(name: name, home: folder.file("home"), relay: address ?? relay.url)
    }

    /// People with accounts.
    package func people(_ names: String...) async throws -> [Person] {
        let people = names.map { person($0) }
        for person in people { try await settle(person) }
        return people
    }

    /// Gives people accounts, wherever they have their profile and whatever they believe to be the relay.
    package func settle(_ people: Person...) async throws {
        for person in people {
            guard let accounts, MadeAccounts.names.contains(person.name) else {
                try await person.create()
                continue
            }
            try FileManager.default.createDirectory(atPath: person.home, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: accounts.folder.file("home/" + person.name),
                toPath: person.folder
            )
            try await person.move(to: person.relay)
        }
    }

    /// A room of the first of these people, which the others have joined.
    package func room(_ name: String, of people: [Person]) async throws {
        guard let owner = people.first else { return }
        try await owner.done("room", "create", name)
        for guest in people.dropFirst() {
            try await owner.done("room", "invite", name, guest.name)
            try await guest.join(name)
        }
    }
}
