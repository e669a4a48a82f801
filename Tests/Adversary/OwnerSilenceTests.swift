import Foundation
import HouseSupport
import MildamOTP
import MildamSystem
import MildamWire
import TestSupport
import Testing

/// What an account's owner types or is shown once, and what a session rests on: after a life with all of it, it lies
/// nowhere but where it is meant to be.
@Suite("What the disks hold: nothing of an owner's secrets")
struct OwnerSilenceTests {
    @Test func aGuardedAccountLeavesNothingReadable() async throws {
        let house = try await House.open(["--log-requests"])
        let alice = try await house.people("alice")[0]
        var life = try OwnerLife(of: alice)
        let (old, new) = (alice.password, "a battery, and a staple, 둘째")
        for password in [old, new] { try await alice.addAuthenticator(of: password, to: &life.needles) }
        life.needles.add("the new password", new)
        try await alice.addTokens(to: &life.needles)

        try await life.takeSecondFactor()
        let codes = life.recovery
        try #require(codes.count == 10)
        try await life.logIn(6, old)
        try await life.logIn(3, "wrong")
        try await life.logIn(3, old, code: "000000")
        try await life.logIn(0, old, code: codes[0])
        try await alice.addTokens(to: &life.needles)
        try await life.logIn(3, old, code: codes[0])

        try await life.changePassword(3, from: "wrong", to: new, code: codes[1])
        try await life.changePassword(0, from: old, to: new, code: codes[1])
        try await life.logIn(3, old, code: codes[2])
        try await life.logIn(0, new, code: codes[2])
        try await alice.addTokens(to: &life.needles)
        try await alice.letAccessEnd()
        for command in ["show", "sessions", "log", "second-factor"] {
            try await life.run(0, ["account", command])
            try await life.run(0, ["account", command, "--json"])
        }
        try await life.run(0, ["doctor"])
        try await alice.addTokens(to: &life.needles)
        life.needles.add("the password before", old)
        // Two passwords and their authenticators, a secret and ten codes in three forms each, four keys and eight tokens.
        #expect(life.needles.secrets.count == 49, "\(life.needles.secrets.map(\.name))")

        try life.search(house.data, "the relay that runs")
        let end = try await house.relay.stop()
        try life.search(house.data, "the relay that has stopped")
        try life.search(alice.folder, "the profile", excluding: ["root.key"])
        life.search(Array((end.output + end.errors).utf8), "what the relay said")
        #expect(end.errors.contains("token"), "the requests are not among what was searched")
        life.search(Array(life.said.utf8), "what mildam said")
        #expect(life.said.contains("wrong"))
    }
}

/// What an owner does with an account, everything that `mildam` says to it, and the secrets that come of it.
private struct OwnerLife {
    let person: Person
    var needles = Needles()
    /// What was said where no secret is to be shown.
    private(set) var said = ""
    /// The recovery codes.
    private(set) var recovery: [String] = []
    private let folder: TemporaryFolder

    init(of person: Person) throws {
        self.person = person
        folder = try TemporaryFolder()
    }

    /// A file, outside of what is searched, that holds a text.
    func file(_ text: String) throws -> String {
        let path = folder.file(String(text.utf8.reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) }))
        try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Runs a command, and wants it to end so.
    @discardableResult
    mutating func run(_ status: Int32, _ arguments: [String]) async throws -> Program.Result {
        let result = try await Program.result(of: "mildam", arguments, environment: person.variables)
        #expect(result.status == status, "\(arguments): \(result)")
        said += result.output + result.errors
        return result
    }

    /// Logs in, and wants it to end so.
    mutating func logIn(_ status: Int32, _ password: String, code: String? = nil) async throws {
        let more = try code.map { ["--code-file", try file($0)] } ?? []
        try await run(status, ["account", "login", "--password-file", file(password)] + more)
    }

    /// Changes the password, and wants it to end so.
    mutating func changePassword(_ status: Int32, from old: String, to new: String, code: String) async throws {
        let passwords = ["--password-file", try file(old), "--new-password-file", try file(new)]
        try await run(status, ["account", "password", "--code-file", file(code)] + passwords)
    }

    /// Takes a second factor. The secret and the recovery codes are shown where they are meant to be, and nowhere else.
    mutating func takeSecondFactor() async throws {
        struct Added: Decodable { var uri: String }
        struct Confirmed: Decodable { var recoveryCodes: [String] }
        let added = try await shown(
            Added.self,
            ["account", "add-second-factor", "--password-file", file(person.password), "--json"]
        )
        let token = try OneTimePassword(uri: added.uri)
        let secret = token.secret.secret
        let letters = Base32.encode(secret)
        #expect(added.uri.uppercased().contains(letters.uppercased()))
        needles.add("the second factor's secret", secret)
        needles.add("the second factor's secret in letters", letters.uppercased())
        needles.add("the second factor's secret in small letters", letters.lowercased())

        try await run(3, ["account", "confirm-second-factor", "--code-file", file("000000")])
        let code = token.code(at: UInt64(WallClock.system.seconds))
        let confirmed = try await shown(
            Confirmed.self,
            ["account", "confirm-second-factor", "--code-file", file(code), "--json"]
        )
        recovery = confirmed.recoveryCodes
        for (number, code) in recovery.enumerated() {
            let letters = code.replacingOccurrences(of: "-", with: "")
            needles.add("recovery code \(number)", code)
            needles.add("recovery code \(number) without dashes", letters)
            needles.add("recovery code \(number), its bytes", try Base32.decode(letters))
        }
    }

    /// What a command shows that is meant to show secrets.
    private mutating func shown<Answer: Decodable>(_ type: Answer.Type, _ arguments: [String]) async throws -> Answer {
        let result = try await Program.result(of: "mildam", arguments, environment: person.variables)
        try #require(result.status == 0, "\(result)")
        said += result.errors
        return try JSONDecoder().decode(type, from: Data(result.output.utf8))
    }

    /// Wants no secret in a folder, and each to be found there once it is planted.
    func search(_ path: String, _ place: String, excluding: Set<String> = []) throws {
        let found = try needles.found(inFolder: path, excluding: excluding)
        #expect(found.finds.isEmpty, "\(place): \(found.finds)")
        #expect(found.searched > 10_000, "\(place)")
        let planted = path + "/planted"
        try Data(needles.planted).write(to: URL(fileURLWithPath: planted))
        defer { try? FileManager.default.removeItem(atPath: planted) }
        expectAll(try needles.found(inFolder: path, excluding: excluding).finds, place)
    }

    /// Wants no secret in these bytes, and each to be found there once it is planted.
    func search(_ bytes: [UInt8], _ place: String) {
        let finds = needles.found(in: bytes, of: place)
        #expect(finds.isEmpty, "\(place): \(finds)")
        expectAll(needles.found(in: bytes + needles.planted + bytes, of: place), place)
    }

    private func expectAll(_ finds: Set<Needles.Find>, _ place: String) {
        let missing = Set(needles.secrets.map(\.name)).subtracting(finds.map(\.name))
        #expect(missing.isEmpty, "\(place): planted, and not found: \(missing)")
    }
}
