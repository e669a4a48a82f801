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

    /// What was kept: by the words of a step, what travels in it for certain, and what may, as its client was sooner or later than
    /// the relay ("? " before it).
    private struct Kept {
        var steps: [String] = []
        var certain: [String: Set<String>] = [:]
        var possible: [String: Set<String>] = [:]

        init(_ text: String) {
            for line in text.split(separator: "\n").map(String.init) {
                if line.hasPrefix("# ") {
                    steps.append(line)
                } else if let step = steps.last {
                    if line.hasPrefix("? ") {
                        possible[step, default: []].insert(String(line.dropFirst(2)))
                    } else {
                        certain[step, default: []].insert(line)
                    }
                }
            }
        }

        var text: String {
            steps.map { step in
                let may = possible[step, default: []].map { "? " + $0 }
                return ([step] + certain[step, default: []].sorted() + may.sorted()).joined(separator: "\n") + "\n"
            }.joined()
        }

        /// Takes over what travelled: what was not always so is possible from here on.
        mutating func take(_ said: Set<String>, in step: String) {
            let before = certain[step] ?? said
            if !steps.contains(step) { steps.append(step) }
            certain[step] = before.intersection(said).filter { !ExchangeTests.isHouseKeeping($0) }
            possible[step, default: []].formUnion(before.union(said).subtracting(certain[step, default: []]))
        }
    }

    /// What a client asks beside what it is told to do, one after another: it may be ended before any of them. A mailbox in which
    /// something is, is what a step is about.
    private static let houseKeeping = [
        "GET /v1/key-packages ", "GET /v1/mailbox?from=N – → 200 {first:place,items:[],", "GET /v1/rooms ",
        "GET /v1/rooms?",
    ]

    private static func isHouseKeeping(_ line: String) -> Bool { houseKeeping.contains { line.hasPrefix($0) } }

    /// `MILDAM_UPDATE_TRANSCRIPTS=1` writes down what travels now, beside what was kept; without a file, afresh.
    @Test func travelsTheSame() async throws {
        let house = try await House.open(isEmpty: true)
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let exchanges = Lock<[String]>([])
        var said: [(step: String, lines: Set<String>)] = []
        proxy.tamper { _, request, answer in
            exchanges.withLock { $0.append(Self.line(request, answer)) }
            return answer
        }
        let people = ["alice", "bob"].map { house.person($0, at: proxy.url) }
        let (alice, bob) = (people[0], people[1])
        let file = house.folder.file("note.txt")
        try "a note\n".write(toFile: file, atomically: true, encoding: .utf8)
        var kept = Kept((try? String(contentsOfFile: Self.path, encoding: .utf8)) ?? "")
        // Clients end with a step, so that nothing of it travels in the next: once what is certain has travelled, which they may ask
        // by themselves. Requests of one moment come in any order.
        func step(_ words: String, _ run: () async throws -> Void) async throws {
            exchanges.withLock { $0 = [] }
            try await run()
            let certain = kept.certain["# \(words)", default: []]
            for _ in 0..<2000 where !exchanges.withLock({ certain.isSubset(of: $0) }) {
                try await Task.sleep(for: .milliseconds(10))
            }
            for person in people where FileManager.default.fileExists(atPath: person.folder) {
                try await person.done("client", "stop")
            }
            said.append(("# \(words)", Set(exchanges.withLock { $0 })))
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
            for (step, lines) in said { kept.take(lines, in: step) }
            try kept.text.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
        #expect(said.map(\.step) == kept.steps)
        for (step, lines) in said {
            let certain = kept.certain[step, default: []]
            #expect(certain.subtracting(lines).isEmpty, "\(step): does not travel any more")
            let known = certain.union(kept.possible[step, default: []])
            #expect(lines.subtracting(known).isEmpty, "\(step): did not travel before")
        }
        for question in Self.houseKeeping {
            #expect(said.contains { $0.lines.contains { $0.hasPrefix(question) } }, "\(question): nobody asks")
        }
    }

    private static func line(_ request: HTTPRequest, _ answer: HTTPResponse) -> String {
        let target = masked("\(request.target)")
        return
            "\(request.method.rawValue) \(target) \(shape(of: request.body)) → \(answer.status) \(shape(of: answer.body))"
    }

    private static func masked(_ text: String) -> String {
        text.replacing(#/\b[a-z2-7]{26}\b/#, with: "ID").replacing(#/\bfrom=[0-9]+/#, with: "from=N")
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

    /// Where a room is, and how far somebody has read, is as who was first has it.
    private static let places: Set<String> = ["epoch", "first", "next", "number"]

    private static func shape(of value: Any, named name: String) -> String {
        places.contains(name) && value is NSNumber ? "place" : shape(of: value)
    }

    private static func shape(of value: Any) -> String {
        switch value {
        case let object as [String: Any]:
            "{"
                + object.sorted { $0.key < $1.key }
                .map { "\($0.key):\(shape(of: $0.value, named: $0.key))" }.joined(separator: ",") + "}"
        case let list as [Any]: "[" + Set(list.map(shape)).sorted().joined(separator: ",") + "]"
        case let text as String: text.wholeMatch(of: #/[a-z2-7]{26}/#) != nil ? "ID" : "text(\(length(of: text)))"
        case let number as NSNumber: number.int64Value > 1_000_000_000 ? "time" : "\(number)"
        default: "null"
        }
    }
}
