import Foundation
import MildamMessenger
import MildamProfile
import TestSupport
import Testing

/// Somebody at a terminal: a profile, and the relay they were told of.
package struct Person: Sendable {
    package let name: String
    /// What `MILDAM_HOME` is.
    package let home: String
    /// The relay's address.
    package let relay: String
    /// Set for every command.
    package var environment: [String: String]

    /// - Parameter environment: what is set for every command.
    package init(name: String, home: String, relay: String, environment: [String: String] = [:]) {
        self.name = name
        self.home = home
        self.relay = relay
        self.environment = environment
    }

    /// The profile's folder.
    package var folder: String { home + "/" + name }

    /// The password of the account.
    package var password: String { "the password of \(name), 밀담" }

    /// The profile, as the library opens it.
    package var profile: OpenProfile { OpenProfile(folder: folder) }

    /// Runs `mildam`.
    @discardableResult
    package func run(
        _ arguments: String...,
        input: String? = nil,
        environment more: [String: String] = [:],
        folder: String? = nil
    ) async throws -> Program.Result {
        try await Program.result(
            of: "mildam",
            arguments,
            input: input,
            environment: variables.merging(more) { $1 },
            folder: folder
        )
    }

    /// Runs `mildam`, and wants it done.
    @discardableResult
    package func done(
        _ arguments: String...,
        input: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await Program.result(of: "mildam", arguments, input: input, environment: variables)
        try #require(result.status == 0, "mildam \(arguments): \(result)", sourceLocation: sourceLocation)
        return result.output
    }

    /// Starts `mildam`.
    package func start(_ arguments: String...) throws -> Program {
        try Program("mildam", arguments, environment: variables)
    }

    /// Starts `mildam watch`, with what it says on standard error among what it shows.
    package func watch() throws -> Program {
        try Program(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" 2>&1", Program.find("mildam"), "watch"],
            environment: variables
        )
    }

    /// Ends the profile's client without a warning, where one runs.
    package func killClient() { RunningClients.end(of: folder) }

    /// Makes the account.
    package func create() async throws {
        try await done("account", "create", name, "--password-file", "-", input: password + "\n")
        // Others can invite this person from here on; tests look into the profile by themselves.
        try await done("client", "stop")
    }

    /// What `mildam read ROOM --json` shows.
    package func messages(
        _ room: String,
        since number: UInt64? = nil,
        _ more: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Message] {
        let since = number.map { ["--since", "\($0)"] } ?? []
        let result = try await Program.result(
            of: "mildam",
            ["read", room, "--json"] + since + more,
            environment: variables
        )
        let answer = try? JSONDecoder().decode(ReadAnswer.self, from: Data(result.output.utf8))
        return try #require(answer, "\(result)", sourceLocation: sourceLocation).messages
    }

    /// The texts of a room, in order.
    package func texts(
        _ room: String,
        since number: UInt64? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        try await messages(room, since: number, sourceLocation: sourceLocation)
            .compactMap { $0.kind == "text" ? $0.text : nil }
    }

    /// The texts in the outbox, in order.
    package func outboxTexts() async throws -> [String] {
        let output = try await done("outbox", "list", "--json")
        return try JSONDecoder().decode(Outbox.self, from: Data(output.utf8)).waiting.map { $0.text ?? "" }
    }

    /// What `mildam account show` says of the account.
    package func account() async throws -> AccountSummary {
        try JSONDecoder().decode(AccountSummary.self, from: Data(try await done("account", "show", "--json").utf8))
    }

    /// Set for each program that this person runs.
    package var variables: [String: String] {
        ["MILDAM_HOME": home, "MILDAM_PROFILE": name, "MILDAM_RELAY": relay].merging(environment) { $1 }
    }

    /// A message as `mildam read --json` shows it.
    package struct Message: Decodable, Sendable {
        package var number: UInt64
        package var sender: String?
        package var kind: String
        package var text: String?
        package var refused: String?
        package var missingBefore: UInt64
        package var newKeys: Bool?
    }

    private struct Outbox: Decodable {
        struct Entry: Decodable {
            var text: String?
        }

        var waiting: [Entry]
    }

    private struct ReadAnswer: Decodable {
        var messages: [Message]
    }
}

/// Holds the end of a command against what it should be: its status, and words that it said.
package func expect(
    _ result: Program.Result,
    _ status: Int32,
    _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(result.status == status, "\(result)", sourceLocation: sourceLocation)
    for word in words {
        #expect(
            (result.output + result.errors).contains(word),
            "\"\(word)\" is missing: \(result)",
            sourceLocation: sourceLocation
        )
    }
    guard status != 0, status != 2 else { return }
    // What failed is said in one line; a changed key adds the two fingerprints.
    let lines = result.errors.split(separator: "\n").filter { !$0.hasPrefix("  ") }
    #expect(lines.count <= 1, "one line: \(result)", sourceLocation: sourceLocation)
    #expect(!result.errors.contains("Fatal error"), "\(result)", sourceLocation: sourceLocation)
}
