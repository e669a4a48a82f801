import Foundation
import MildamProfile
import TestSupport
import Testing

@testable import MildamMessenger

/// Somebody at a terminal: a profile, and the relay they were told of.
struct Person: Sendable {
    let name: String
    /// What `MILDAM_HOME` is.
    let home: String
    /// The relay's address.
    let relay: String
    /// Set for every command.
    var environment: [String: String] = [:]

    /// The profile's folder.
    var folder: String { home + "/" + name }

    /// The password of the account.
    var password: String { "the password of \(name), 밀담" }

    /// The profile, as the library opens it.
    var profile: OpenProfile { OpenProfile(folder: folder) }

    /// Runs `mildam`.
    @discardableResult
    func run(
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
    func done(
        _ arguments: String...,
        input: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await Program.result(of: "mildam", arguments, input: input, environment: variables)
        try #require(result.status == 0, "mildam \(arguments): \(result)", sourceLocation: sourceLocation)
        return result.output
    }

    /// Starts `mildam`.
    func start(_ arguments: String...) throws -> Program {
        try Program("mildam", arguments, environment: variables)
    }

    /// Starts `mildam watch`, with what it says on standard error among what it shows.
    func watch() throws -> Program {
        try Program(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" 2>&1", Program.find("mildam"), "watch"],
            environment: variables
        )
    }

    /// Makes the account.
    func create() async throws {
        try await done("account", "create", name, "--password-file", "-", input: password + "\n")
    }

    /// What `mildam read ROOM --json` shows.
    func messages(
        _ room: String,
        _ more: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Message] {
        let result = try await Program.result(
            of: "mildam",
            ["read", room, "--json"] + more,
            environment: variables
        )
        let answer = try? JSONDecoder().decode(ReadAnswer.self, from: Data(result.output.utf8))
        return try #require(answer, "\(result)", sourceLocation: sourceLocation).messages
    }

    /// The texts of a room, in order.
    func texts(_ room: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        try await messages(room, sourceLocation: sourceLocation).compactMap { $0.kind == "text" ? $0.text : nil }
    }

    /// What `mildam account show` says of the account.
    func account() async throws -> AccountSummary {
        try JSONDecoder().decode(AccountSummary.self, from: Data(try await done("account", "show", "--json").utf8))
    }

    /// Set for each program that this person runs.
    var variables: [String: String] {
        ["MILDAM_HOME": home, "MILDAM_PROFILE": name, "MILDAM_RELAY": relay].merging(environment) { $1 }
    }

    /// A message as `mildam read --json` shows it.
    struct Message: Decodable, Sendable {
        var number: UInt64
        var sender: String?
        var kind: String
        var text: String?
        var refused: String?
        var missingBefore: UInt64
        var newKeys: Bool?
    }

    private struct ReadAnswer: Decodable {
        var messages: [Message]
    }
}

/// Holds the end of a command against what it should be: its status, and words that it said.
func expect(
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
