import Foundation
import HouseSupport
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

/// What travels between client and relay: each request and its answer, as a method, a path, a status, and the names, kinds and
/// lengths of what is in both.
@Suite("What client and relay say to each other")
struct ExchangeTests {
    private static let path = Vectors.packageFolder + "/Tests/mildam/Transcripts/exchanges.log"

    /// `MILDAM_UPDATE_TRANSCRIPTS=1` writes down what travels now.
    @Test func travelsTheSame() async throws {
        let house = try await House.open(isEmpty: true)
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let exchanges = Lock<[String]>([])
        var said: [String] = []
        proxy.tamper { _, request, answer in
            exchanges.withLock { $0.append(Self.line(request, answer)) }
            return answer
        }
        let people = ["alice", "bob"].map { house.person($0, at: proxy.url) }
        let (alice, bob) = (people[0], people[1])
        let file = house.folder.file("note.txt")
        try "a note\n".write(toFile: file, atomically: true, encoding: .utf8)
        // Clients end with a step, so that nothing of it travels in the next. Requests of one moment come in any order.
        func step(_ words: String, _ run: () async throws -> Void) async throws {
            exchanges.withLock { $0 = [] }
            try await run()
            for person in people where FileManager.default.fileExists(atPath: person.folder) {
                try await person.done("client", "stop")
            }
            said += ["# \(words)"] + Set(exchanges.withLock { $0 }).sorted()
        }
        try await step("account create alice") { try await alice.create() }
        try await step("account create bob") { try await bob.create() }
        try await step("room create") { try await alice.done("room", "create", "kitchen") }
        try await step("room invite") { try await alice.done("room", "invite", "kitchen", "bob") }
        try await step("request accept --join") { try await bob.done("request", "accept", "alice", "--join") }
        try await step("send") { try await alice.done("send", "kitchen", "soup tonight") }
        try await step("send --file") { try await bob.done("send", "kitchen", "--file", file) }
        var number: UInt64?
        try await step("read") {
            number = try await alice.messages("kitchen").last { $0.kind == "file" }?.number
        }
        let place = try #require(number)
        try await step("save") {
            try await alice.done("save", "kitchen", "\(place)", "-o", house.folder.file("copy.txt"))
        }
        try await step("account sessions") { try await alice.done("account", "sessions") }
        try await step("account log") { try await alice.done("account", "log") }
        try await step("account second-factor") { try await alice.done("account", "second-factor") }
        try await step("account renew-keys") { try await alice.done("account", "renew-keys") }
        try await step("room remove") { try await alice.done("room", "remove", "kitchen", "bob") }
        try await step("read, by somebody who was put out") { try await bob.run("read", "kitchen") }
        try await step("room leave") { try await alice.done("room", "leave", "kitchen") }
        try await step("account logout") { try await alice.done("account", "logout") }
        try await step("account login") { _ = try await alice.logIn() }
        try await step("account delete") {
            try await bob.done("account", "delete", "--yes", "--password-file", "-", input: bob.password + "\n")
        }

        if ProcessInfo.processInfo.environment["MILDAM_UPDATE_TRANSCRIPTS"] != nil {
            try (said.joined(separator: "\n") + "\n").write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOfFile: Self.path, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(said.count == kept.count)
        for (now, before) in zip(said, kept) where now != before {
            Issue.record("kept \"\(before)\", travels \"\(now)\"")
            return
        }
    }

    private static func line(_ request: HTTPRequest, _ answer: HTTPResponse) -> String {
        let target = masked("\(request.target)")
        return
            "\(request.method.rawValue) \(target) \(shape(of: request.body)) → \(answer.status) \(shape(of: answer.body))"
    }

    private static func masked(_ text: String) -> String {
        text.replacing(#/\b[a-z2-7]{26}\b/#, with: "ID")
    }

    private static func shape(of body: [UInt8]) -> String {
        guard !body.isEmpty else { return "–" }
        if let value = try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed) {
            return shape(of: value)
        }
        let form = String(decoding: body, as: UTF8.self).split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1)
        }
        if form.allSatisfy({ $0.count == 2 && $0[0].allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") } }) {
            return "form " + form.map { "\($0[0])=\($0[1].count)" }.joined(separator: "&")
        }
        return "bytes(\(body.count))"
    }

    /// JSON escapes the slashes of base64: what holds a key or a digest is not always as long.
    private static func length(of text: String) -> String {
        text.utf8.count < 600 ? "\(text.utf8.count)" : "to \((text.utf8.count + 127) / 128 * 128)"
    }

    private static func shape(of value: Any) -> String {
        switch value {
        case let object as [String: Any]:
            "{" + object.sorted { $0.key < $1.key }.map { "\($0.key):\(shape(of: $0.value))" }.joined(separator: ",")
                + "}"
        case let list as [Any]: "[" + list.map(shape).joined(separator: ",") + "]"
        case let text as String: text.wholeMatch(of: #/[a-z2-7]{26}/#) != nil ? "ID" : "text(\(length(of: text)))"
        case let number as NSNumber: number.int64Value > 1_000_000_000 ? "time" : "\(number)"
        default: "null"
        }
    }
}
