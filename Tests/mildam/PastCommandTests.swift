import Foundation
import HouseSupport
import TestSupport
import Testing

/// What is removed and replaced, and how somebody gets it back.
@Suite("Trash and history of the keychain, at the command line")
struct PastCommandTests {
    /// With the agent, and without.
    static let ways: [[String]] = [[], ["--no-agent"]]
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        try await makeKeychain(in: folder.file("home/default"))
    }

    private var variables: [String: String] {
        [
            "MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
            "MILDAM_PASSPHRASE": "correct horse", "VISUAL": "",
        ]
    }

    private func mildam(
        _ arguments: [String],
        input: String? = nil,
        editor: String? = nil
    ) async throws -> Program.Result {
        try await Program.result(
            of: "mildam",
            arguments,
            input: input,
            environment: variables.merging(editor.map { ["EDITOR": $0] } ?? [:]) { $1 }
        )
    }

    private func keychain(
        _ way: [String],
        _ arguments: String...,
        input: String? = nil
    ) async throws -> Program.Result {
        try await mildam(["keychain"] + arguments + way, input: input)
    }

    private func end() async throws { expect(try await mildam(["lock", "--stop"]), 0) }

    /// What `--json` says of what is kept.
    private struct Kept: Decodable {
        struct Item: Decodable {
            var service: String
            var kind: String
        }
        var number: Int
        var item: Item
        var since: Date
        var keptUntil: Date?
    }

    private func kept(_ arguments: [String]) async throws -> [Kept] {
        let result = try await mildam(["keychain"] + arguments + ["--json"])
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let answer = try decoder.decode([String: [Kept]].self, from: Data(result.output.utf8))
        return try #require(answer.values.first, "\(result)")
    }

    @Test(arguments: ways)
    func whatIsRemovedIsKeptAMonth(_ way: [String]) async throws {
        expect(try await keychain(way, "set", "example.org", "alice", input: "one"), 0)
        let removed = try await keychain(way, "remove", "example.org", "alice")
        expect(removed, 0, "removed password example.org alice (#1); kept until 20")
        expect(try await keychain(way, "get", "example.org"), 4)
        expect(try await keychain(way, "list"), 0, "nothing")
        let trash = try await kept(["trash"] + way)
        let past = try #require(trash.first)
        #expect(trash.count == 1 && past.item.service == "example.org")
        let kept = try #require(past.keptUntil?.timeIntervalSince(past.since))
        #expect(kept.rounded() == 30 * 86_400)
        #expect(removed.output.contains("--restore \(past.number)`"), "\(removed)")
        let line = try await keychain(way, "trash").output
        #expect(line.hasPrefix("\(past.number)  password  example.org  alice  removed 20"), "\(line)")
        #expect(line.contains(", kept until 20") && !line.contains("one"))

        expect(try await keychain(way, "trash", "--restore", "99"), 4, "nothing of the number 99 is kept")
        expect(try await keychain(way, "trash", "--restore", "1", "--empty"), 2, "--restore")
        let restored = try await keychain(way, "trash", "--restore", "\(past.number)")
        expect(restored, 0, "restored password example.org alice (#1)")
        #expect(try await keychain(way, "get", "example.org", "alice").output == "one")
        #expect(try await keychain(way, "trash").output == "nothing\n")
        try await end()
    }

    /// For thirty days, and a day more in case a clock is off; it goes with the first change after that.
    @Test func whatIsRemovedGoesAfterThat() async throws {
        let alone = ["--no-agent"]
        func keep(_ account: String, days: Int64) async throws {
            let result = try await Program.result(
                of: "mildam",
                ["keychain", "set", "other", account] + alone,
                input: "x",
                environment: variables.merging(try ShiftedClock.environment(seconds: days * 86_400)) { $1 }
            )
            expect(result, 0, "kept")
        }
        expect(try await keychain(alone, "set", "mail", "me", input: "one"), 0)
        expect(try await keychain(alone, "remove", "mail", "me"), 0, "kept until")
        for days in [-1, 1, 29, 30] as [Int64] {
            try await keep("after \(days) days", days: days)
            #expect(try await kept(["trash"] + alone).count == 1, "\(days)")
        }
        try await keep("after 32 days", days: 32)
        #expect(try await keychain(alone, "trash").output == "nothing\n")
        expect(try await keychain(alone, "verify"), 0, "5 items, 0 damaged")
    }

    /// What is removed by a clock that is more than a month behind is still there when the clock is right.
    @Test func aClockThatIsBehindTakesNothing() async throws {
        let way = ["--no-agent"]
        expect(try await keychain(way, "set", "mail", "me", input: "one"), 0)
        let removed = try await Program.result(
            of: "mildam",
            ["keychain", "remove", "mail", "me"] + way,
            environment: variables.merging(try ShiftedClock.environment(seconds: -40 * 86_400)) { $1 }
        )
        expect(removed, 0, "kept until 20")
        // The first change by a clock that is right.
        expect(try await keychain(way, "set", "other", input: "x"), 0)
        let number = try #require(try await kept(["trash"] + way).first?.number)
        expect(try await keychain(way, "trash", "--restore", "\(number)"), 0)
        #expect(try await keychain(way, "get", "mail").output == "one")
    }

    @Test(arguments: ways)
    func whatTookTheNameStays(_ way: [String]) async throws {
        expect(try await keychain(way, "set", "example.org", "alice", input: "one"), 0)
        expect(try await keychain(way, "remove", "example.org", "alice"), 0)
        expect(try await keychain(way, "set", "example.org", "alice", input: "two"), 0)
        let number = try #require(try await kept(["trash"] + way).first?.number)
        let refused = try await keychain(way, "trash", "--restore", "\(number)")
        expect(refused, 6, "there is another example.org alice by now")
        #expect(try await keychain(way, "get", "example.org").output == "two")
        // What is removed for good is not kept, and takes nothing else along.
        let gone = try await keychain(way, "remove", "example.org", "alice", "--for-good")
        expect(gone, 0, "removed password example.org alice (#2) for good")
        #expect(try await kept(["trash"] + way).count == 1)
        expect(try await keychain(way, "trash", "--restore", "\(number)"), 0)
        #expect(try await keychain(way, "get", "example.org").output == "one")
        // What is given up, somebody has to agree to.
        expect(try await keychain(way, "remove", "example.org"), 0)
        expect(try await keychain(way, "trash", "--empty"), 6, "--yes")
        #expect(try await kept(["trash"] + way).count == 1)
        expect(try await keychain(way, "trash", "--empty", "--yes"), 0, "gave up 1 item")
        #expect(try await keychain(way, "trash").output == "nothing\n")
        expect(try await keychain(way, "verify"), 0, "0 items, 0 damaged")
        try await end()
    }

    @Test(arguments: ways)
    func theLastValuesAreKept(_ way: [String]) async throws {
        for number in 1...7 { expect(try await keychain(way, "set", "mail", "me", input: "value \(number)"), 0) }
        let values = try await kept(["history", "mail"] + way)
        #expect(values.count == 5 && values.allSatisfy { $0.keptUntil == nil && $0.item.service == "mail" })
        #expect(values.map(\.number) == values.map(\.number).sorted(by: >), "the newest first")
        let newest = "\(values[0].number)"
        let listed = try await keychain(way, "history", "mail", "me").output
        #expect(listed.hasPrefix("\(newest)  replaced 20") && listed.split(separator: "\n").count == 5, "\(listed)")
        #expect(!listed.contains("value"))
        #expect(try await keychain(way, "history", "mail", "--show", newest).output == "value 6")
        expect(try await keychain(way, "history", "mail", "--show", newest, "--json"), 0, #"{"secret":"value 6"}"#)
        let oldest = "\(values[4].number)"
        #expect(try await keychain(way, "history", "mail", "--show", oldest).output == "value 2")

        expect(try await keychain(way, "history", "mail", "--restore", newest, "--show", newest), 2, "one at a time")
        expect(try await keychain(way, "history", "mail", "--restore", "99"), 4, "nothing of the number 99 is kept")
        expect(try await keychain(way, "history", "mai", "--restore", newest), 4, "there is no item mai")
        expect(try await keychain(way, "history", "nothing"), 4, "there is no item nothing")
        // The number of another item's value is none of this one's.
        expect(try await keychain(way, "set", "other", input: "x"), 0)
        expect(try await keychain(way, "history", "other", "--restore", newest), 4)
        #expect(try await keychain(way, "history", "other").output == "no other value is kept\n")

        let restored = try await keychain(way, "history", "mail", "--restore", newest)
        expect(restored, 0, "password mail me (#1) has that value again; the one that it had is kept")
        #expect(try await keychain(way, "get", "mail").output == "value 6")
        let now = try await kept(["history", "mail"] + way)
        #expect(try await keychain(way, "history", "mail", "--show", "\(now[0].number)").output == "value 7")
        expect(try await keychain(way, "history", "mail", "--forget", "\(now[0].number)"), 0, "gave up a value of")
        #expect(try await kept(["history", "mail"] + way).count == now.count - 1)
        try await end()
    }

    @Test func whatIsEditedAndMadeKeepsTheValueBefore() async throws {
        expect(try await keychain([], "set", "mail", "me", input: "typed"), 0)
        expect(try await mildam(["keychain", "edit", "mail"], editor: "sh -c 'printf edited >\"$0\"'"), 0, "changed")
        expect(try await keychain([], "generate", "mail", "me"), 0, "in place of")
        // What is said of it is no value.
        expect(try await keychain([], "edit", "mail", "--label", "Letters"), 0)
        let values = try await kept(["history", "mail"])
        var shown: [String] = []
        for value in values {
            shown.append(try await keychain([], "history", "mail", "--show", "\(value.number)").output)
        }
        #expect(shown == ["edited", "typed"])
        try await end()
    }

    @Test func aTokenIsKeptToo() async throws {
        // RFC 4226, appendix D.
        let uri = "otpauth://hotp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=0&issuer=ACME"
        expect(try await mildam(["otp", "add"], input: uri), 0)
        #expect(try await mildam(["otp", "code", "bob"]).output == "755224\n")
        let removed = try await mildam(["otp", "remove", "bob"])
        expect(removed, 0, "removed ACME:bob; kept until 20", "`mildam keychain trash --restore ")
        expect(try await mildam(["otp", "code", "bob"]), 4)
        let trash = try await kept(["trash"])
        #expect(trash.map(\.item.kind) == ["one-time-code"], "its earlier counters are not kept")
        expect(try await keychain([], "trash", "--restore", "\(trash[0].number)"), 0)
        #expect(try await mildam(["otp", "code", "bob"]).output == "287082\n", "no code comes twice")
        let json = try await mildam(["otp", "remove", "bob", "--json"]).output
        #expect(json.contains(#""removed":"ACME:bob""#) && json.contains(#""keptUntil":"20"#), "\(json)")
        try await end()
    }
}
