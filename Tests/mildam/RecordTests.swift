import Foundation
import HouseSupport
import TestSupport
import Testing

/// A login with its fields, and a card, each as one record.
@Suite("Records, at the command line")
struct RecordTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        try await makeKeychain(in: folder.file("home/default"))
    }

    private func keychain(
        _ arguments: String...,
        input: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> Program.Result {
        let home = [
            "MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            "MILDAM_PASSPHRASE": "correct horse", "VISUAL": "",
        ]
        return try await Program.result(
            of: "mildam",
            ["keychain"] + arguments,
            input: input,
            environment: home.merging(environment) { $1 }
        )
    }

    private func list() async throws -> [Substring] { try await keychain("list").output.split(separator: "\n") }

    private func end() async throws {
        let home = ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        expect(try await Program.result(of: "mildam", ["lock", "--stop"], environment: home), 0)
    }

    /// A login with a note and a field, a card, and a note alone.
    private func importRecords() async throws {
        let export = """
            {"encrypted": false, "items": [
                {"type": 1, "name": "Bank", "notes": "ask for Kim", "fields": [{"name": "PIN", "value": "1234", "type": 1}],
                 "login": {"username": "me", "password": "hunter2", "uris": [{"uri": "https://bank.example/"}]}},
                {"type": 3, "name": "Gold card", "card": {"number": "4111111111111111", "code": "987"}},
                {"type": 2, "name": "Diary", "notes": "dear diary", "secureNote": {"type": 0}}
            ]}
            """
        expect(try await keychain("import", "-", "--format", "bitwarden", input: export), 0, "added 6")
    }

    @Test func aLoginAndACardAreOneEach() async throws {
        try await importRecords()
        let lines = try await list()
        #expect(lines.count == 3, "\(lines)")
        #expect(lines.contains("login  bank.example  me  Bank  (note, PIN)"), "\(lines)")
        #expect(lines.contains("record  Gold card  (code, number)"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("note  note  Diary") }, "\(lines)")
        let record = try await keychain("list", "--kind", "record", "--json")
        expect(record, 0, #""kind":"record""#, #""service":"Gold card""#, #""name":"number""#)
        #expect(try await keychain("list", "--kind", "field").output.split(separator: "\n").count == 3)

        #expect(try await keychain("get", "bank.example").output == "hunter2")
        #expect(try await keychain("get", "bank.example", "me", "--field", "PIN").output == "1234")
        #expect(try await keychain("get", "Bank", "--field", "Note").output == "ask for Kim")
        #expect(try await keychain("get", "gold", "--field", "number").output == "4111111111111111")
        expect(try await keychain("get", "Gold card"), 6, "has several fields; say which with --field: code, number")
        expect(try await keychain("get", "Bank", "--field", "CVC"), 4, "there is no field CVC; there is note, PIN")
        expect(try await keychain("get", "Silver card", "--field", "number"), 4, "there is no item Silver card")
        try await end()
    }

    @Test func aFieldIsKeptAndReplaced() async throws {
        try await importRecords()
        expect(try await keychain("set", "Bank", "--field", "PIN", input: "9999"), 0, "in place of")
        #expect(try await keychain("get", "Bank", "--field", "PIN").output == "9999")
        expect(try await keychain("set", "bank.example", "me", "--field", "TAN", input: "55"), 0, "kept")
        #expect(try await list().contains("login  bank.example  me  Bank  (note, PIN, TAN)"))
        #expect(try await keychain("get", "bank.example").output == "hunter2", "the password stays")
        let history = try await keychain("history", "Bank", "--field", "PIN", "--json").output
        #expect(history.contains(#""since""#), "what was replaced is kept: \(history)")
        // One by hand.
        expect(try await keychain("set", "Loyalty", "--field", "number", input: "77"), 0, "kept")
        #expect(try await keychain("get", "Loyalty", "--field", "number").output == "77")
        expect(try await keychain("set", "Loyalty", "--field", "code", input: "88"), 0, "kept")
        expect(try await keychain("set", "Loyalty", "--field", "code", input: "89"), 0, "in place of")
        #expect(try await list().contains("record  Loyalty  (number, code)"))
        expect(try await keychain("set", "Nobody", "me", "--field", "code", input: "1"), 4, "there is no item Nobody")
        expect(try await keychain("set", "Bank", "--field", "", input: "1"), 2, "--field")
        try await end()
    }

    @Test func aRecordIsRemovedAndComesBackWhole() async throws {
        try await importRecords()
        for (name, line, field) in [
            ("Bank", "login  bank.example  me  Bank  (note, PIN)", "note"),
            ("Gold card", "record  Gold card  (code, number)", "number"),
        ] {
            let before = try await keychain("get", name, "--field", field).output
            expect(try await keychain("remove", name), 0, "removed ", " with ", "; kept until 20")
            expect(try await keychain("get", name, "--field", field), 4)
            #expect(try await list().count == 2)
            let trash = try await keychain("trash").output
            #expect(trash.contains("  \(line)  removed 20") && trash.split(separator: "\n").count == 1, "\(trash)")
            let number = try #require(trash.split(separator: " ").first.map(String.init))
            expect(try await keychain("trash", "--restore", number), 0, "restored ")
            #expect(try await list().count == 3)
            #expect(try await keychain("get", name, "--field", field).output == before)
            #expect(try await keychain("trash").output == "nothing\n")
        }
        // A field alone.
        expect(try await keychain("remove", "Bank", "--field", "PIN"), 0, "removed field")
        #expect(try await list().contains("login  bank.example  me  Bank  (note)"))
        expect(try await keychain("remove", "Bank", "--for-good"), 0, " with note for good")
        #expect(try await keychain("trash").output.split(separator: "\n").count == 1)
        try await end()
    }

    @Test func whatIsRenamedKeepsItsFields() async throws {
        try await importRecords()
        let renamed = try await keychain("edit", "Bank", "--new-account", "you", "--label", "Savings")
        expect(renamed, 0, "changed login bank.example me")
        #expect(try await list().contains("login  bank.example  you  Savings  (note, PIN)"))
        #expect(try await keychain("get", "Savings", "--field", "PIN").output == "1234")
        let editor = ["EDITOR": "sh -c 'printf 4321 >\"$0\"'"]
        expect(try await keychain("edit", "Savings", "--field", "PIN", environment: editor), 0, "changed field")
        #expect(try await keychain("get", "Savings", "--field", "PIN").output == "4321")
        expect(try await keychain("verify"), 0, "6 items, 0 damaged")
        try await end()
    }
}
