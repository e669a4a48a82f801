import Foundation
import HouseSupport
import MildamIdentity
import TestSupport
import Testing

@Suite("What the disks hold: nothing readable")
struct SilenceTests {
    /// A conversation with much in it; then everything that the relay has written, and the profiles, are searched.
    @Test func aConversationLeavesNothingReadable() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        var needles = Needles()
        for person in people { try await person.addTokens(to: &needles) }

        let room = "the kitchen of the house 부엌"
        needles.add("the room's name", room)
        try await house.room(room, of: people)
        let lines = Texts.lines(200)
        #expect(Set(lines).count == 200)
        for (index, line) in lines.enumerated() { needles.add("line \(index)", line) }
        for (index, start) in stride(from: 0, to: lines.count, by: 20).enumerated() {
            let text = lines[start..<start + 20].joined(separator: "\n") + "\n"
            try await people[index % 3].done("send", room, input: text)
        }

        var random = Seed.generator(for: "silence")
        let name = "confidential-report-기밀.bin"
        let content = random.bytes(300_000)
        needles.add("the file's name", name)
        for offset in stride(from: 0, to: content.count, by: 10_000) {
            needles.add("the file at \(offset)", Array(content[offset..<offset + 16]))
        }
        try Data(content).write(to: URL(fileURLWithPath: house.folder.file(name)))
        let number = try await bob.sendFile(house.folder.file(name), to: room)
        for person in people { try await person.done("read", room) }
        try await carol.done("save", room, "\(number)", "-o", house.folder.file("copy"))

        // Keys change, sessions end and begin, a relay goes and comes.
        try await alice.done("room", "remove", room, "carol")
        try await bob.done("send", room, "and now without her")
        try await alice.done("read", room)
        try await alice.done("account", "logout")
        try await alice.done("account", "login", "--password-file", "-", input: alice.password + "\n")
        try await alice.addTokens(to: &needles)
        try await bob.letAccessEnd()
        try await bob.done("room", "list")
        try await bob.addTokens(to: &needles)
        for person in people { try await person.addSecrets(to: &needles, room: room) }
        for person in people { needles.add("the password of \(person.name)", person.password) }

        // While it runs, with a write-ahead log; and after it has stopped.
        let running = try needles.found(inFolder: house.data)
        #expect(running.finds.isEmpty, "\(running.finds)")
        #expect(running.searched > content.count, "the blobs are among what was searched")
        let end = try await house.relay.stop()
        #expect(end.status == 0)
        let stopped = try needles.found(inFolder: house.data)
        #expect(stopped.finds.isEmpty, "\(stopped.finds)")
        #expect(needles.found(in: Array(end.output.utf8), of: "standard output").isEmpty)
        #expect(needles.found(in: Array(end.errors.utf8), of: "the log").isEmpty)

        // A profile shows nothing, but for the file with the key to it.
        for person in people {
            let profile = try needles.found(inFolder: person.folder, excluding: ["root.key"])
            #expect(profile.finds.isEmpty, "\(person.name): \(profile.finds)")
            #expect(profile.searched > 0)
        }
        #expect(needles.count > 240)
    }

    /// The search finds what was planted, in each form, wherever it lies.
    @Test func theSearchFinds() throws {
        var random = Seed.generator(for: "needles")
        let secret = random.bytes(40)
        var needles = Needles()
        needles.add("planted", secret)
        let noise = random.bytes(5_000)
        #expect(needles.found(in: noise, of: "noise").isEmpty)

        let hex = secret.map { String(format: "%02x", $0) }.joined()
        var planted: [(String, [UInt8])] = [
            ("raw", secret), ("hex", Array(hex.utf8)), ("HEX", Array(hex.uppercased().utf8)),
            ("the first 16", Array(secret.prefix(16))), ("the second 16", Array(secret[16..<32])),
            ("the last 16", Array(secret.suffix(16))),
        ]
        for before in 0..<3 {
            let base64 = Data(noise.prefix(before) + secret + noise.suffix(7)).base64EncodedString()
            planted.append(("base64 at \(before)", Array(base64.utf8)))
            let url = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            planted.append(("base64url at \(before)", Array(url.utf8)))
        }
        for (form, bytes) in planted {
            for place in [0, 1, 2_500, noise.count] {
                let hay = Array(noise[..<place]) + bytes + Array(noise[place...])
                #expect(!needles.found(in: hay, of: form).isEmpty, "\(form) at \(place)")
            }
        }
    }

    /// The same in real places: a row of the relay's database, its write-ahead log, a blob, a name.
    @Test func theSearchFindsInARelaysFolder() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        try await house.room("kitchen", of: people)
        let room = try await people[0].room("kitchen")
        try await people[1].done("send", "kitchen", "hello")
        let caller = try await RelayCaller(people[0])
        var needles = Needles()
        for place in ["a row", "a blob"] { needles.add(place, "a secret that lies in \(place)") }
        // The relay stores what it is given: a client that sends plaintext is found out.
        let row = Array("... a secret that lies in a row ...".utf8)
        _ = try await caller.say(like: try await caller.lastText(of: room), ending: row, in: room)
        let blob = Array("... a secret that lies in a blob ...".utf8)
        _ = try await caller.put(blob, of: .random(), size: blob.count, offset: 0, in: room)
        let found = try needles.found(inFolder: house.data)
        #expect(Set(found.finds.map(\.name)) == ["a row", "a blob"], "\(found.finds)")
    }
}

/// Lines in several languages, each unlike every other.
enum Texts {
    private static let starts = [
        "오늘 회의에서 나온 이야기를 정리하면", "明日の予定について相談したいことがあります", "Was wir gestern besprochen haben, bleibt unter uns",
        "Le rendez-vous est déplacé à une heure plus tardive", "Встреча переносится на другой день",
        "Σήμερα το απόγευμα θα μιλήσουμε πάλι",
        "اجتماعنا القادم سيكون في المكان نفسه", "The password of the old safe has changed again", "今晚的安排有一点变化，请注意",
        "🍲🥖 저녁은 수프와 빵입니다 🎉",
    ]

    static func lines(_ count: Int) -> [String] {
        (0..<count).map { "\($0 * 7_919 % 1_000). \(starts[$0 % starts.count]) (\($0))" }
    }
}
