import Foundation
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

/// A relay and people around it, in a folder that is gone afterwards.
package final class House: Sendable {
    package let folder: TemporaryFolder
    private let running: Lock<RelayProcess>
    private let turn: Turn

    private init(_ folder: TemporaryFolder, _ relay: RelayProcess, _ turn: Turn) {
        self.folder = folder
        self.turn = turn
        running = Lock(relay)
    }

    /// A house with a relay that runs.
    ///
    /// - Parameters:
    ///   - options: what it is started with besides.
    ///   - accessLifetime: how many seconds access tokens live, where that is not as long as always.
    ///   - archive: a tar file with the relay's folder and people's home, from which the house begins.
    ///   - url: where that relay was.
    package static func open(
        _ options: [String] = [],
        accessLifetime: Int64? = nil,
        from archive: String? = nil,
        at url: String? = nil
    ) async throws -> House {
        let turn = await Turn.take()
        let folder = try TemporaryFolder()
        if let archive {
            let unpacked = try await Program.result(of: "tar", ["-xzf", archive, "-C", folder.path])
            try #require(unpacked.status == 0, "\(unpacked)")
        }
        let relay = try await RelayProcess.start(
            data: folder.file("relay"),
            options + (url.map { ["--public-url", $0] } ?? []),
            at: url,
            weakened: accessLifetime.map { _ in "FULL" },
            accessLifetime: accessLifetime
        )
        return House(folder, relay, turn)
    }

    /// The relay's data folder.
    package var data: String { folder.file("relay") }

    /// The relay that runs, or ran last.
    package var relay: RelayProcess { running.withLock { $0 } }

    /// Ends the relay without a warning.
    package func kill() async throws {
        try await relay.kill()
    }

    /// Starts the relay again, at the same address.
    package func restart() async throws {
        let new = try await RelayProcess.start(data: data, at: relay.url)
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
        var people: [Person] = []
        for name in names {
            people.append(person(name))
            try await person(name).create()
        }
        return people
    }

    /// A room of the first of these people, which the others have joined.
    package func room(_ name: String, of people: [Person]) async throws {
        guard let owner = people.first else { return }
        try await owner.done("room", "create", name)
        for guest in people.dropFirst() {
            try await owner.done("room", "invite", name, guest.name)
            try await guest.done("room", "join", name)
        }
    }
}
