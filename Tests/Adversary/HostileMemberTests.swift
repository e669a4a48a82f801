import Foundation
import HouseSupport
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

/// A member who knows every key of the room, and says what no honest client says.
@Suite("A hostile member")
struct HostileMemberTests {
    /// What is said, when, and the status with which it is read; for files also the one with which it is saved.
    struct Nonsense: Sendable {
        let event: RoomContent.Event
        var written: Int64 = 0
        let read: Int32
        var save: Int32?
    }

    static let nonsense = [
        Nonsense(event: .text(body: "in the far future"), written: .max, read: 0),
        Nonsense(event: .text(body: "in the far past"), written: .min, read: 0),
        Nonsense(event: .text(body: ""), read: 0),
        Nonsense(
            event: .text(body: "\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m\u{0}\u{202e}reversed"),
            written: 1_700_000_000_000,
            read: 0
        ),
        Nonsense(event: .created(name: "a second beginning"), read: 5),
        Nonsense(event: .removed(account: .random()), read: 5),
        Nonsense(event: .renewed, read: 5),
        Nonsense(event: .attachment(file: attachment(size: -1)), read: 0, save: 5),
        Nonsense(event: .attachment(file: attachment(size: Int.max)), read: 0, save: 6),
        Nonsense(event: .attachment(file: attachment(size: 100)), read: 0, save: 6),
        // Whoever says to leave and stays makes the two lists of members differ, and is found out.
        Nonsense(event: .left, read: 6),
    ]

    static func attachment(size: Int) -> MildamGroupKey.Attachment {
        MildamGroupKey.Attachment(
            blob: .random(),
            identity: "AGE-SECRET-KEY-1NONSENSE",
            size: size,
            digest: Data([1, 2, 3]),
            name: "../../../etc/\u{1b}[31mpasswd\n",
            type: "text/\u{1b}[31mplain"
        )
    }

    @Test func saysNonsense() async throws {
        let house = try await House.open()
        let people = try await house.people("mallory", "bob")
        let (mallory, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let room = try await bob.room("kitchen")
        var saves = 0
        for nonsense in Self.nonsense {
            let event = nonsense.event
            let number = try await bob.messages("kitchen").last?.number ?? 0
            try await mallory.say(event, written: nonsense.written, in: room)
            let result = try await bob.run("read", "kitchen", "--since", "\(number + 1)")
            #expect(result.status == nonsense.read, "\(event): \(result)")
            for acting in ["\u{1b}", "\u{9b}", "\u{202e}", "\u{7}", "\0"] {
                #expect(!result.output.contains(acting) && !result.errors.contains(acting), "\(event): \(result)")
            }
            let json = try await bob.run("read", "kitchen", "--json")
            #expect((try? JSONSerialization.jsonObject(with: Data(json.output.utf8))) != nil, "\(event): \(json)")
            guard let status = nonsense.save else { continue }
            let target = house.folder.file("target")
            let last = try #require(try await bob.messages("kitchen").last)
            #expect(last.kind == "file")
            let saved = try await bob.run("save", "kitchen", "\(last.number)", "-o", target)
            #expect(saved.status == status, "\(event): \(saved)")
            #expect(!FileManager.default.fileExists(atPath: target))
            saves += 1
        }
        #expect(saves == 3)
        // bob's own room stays usable.
        expect(try await bob.run("room", "create", "attic"), 0)
        expect(try await bob.run("send", "attic", "still here"), 0)
    }

    /// A message in alice's name by another member, who has the key of the room but not hers.
    @Test func speaksInAnothersName() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "mallory", "bob")
        let (alice, mallory, bob) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: people)
        let room = try await bob.room("kitchen")
        // Only a relay that helps can bring it among alice's messages: here it swaps the sender.
        let proxy = try TamperingProxy.start(before: house.relay.url)
        try await bob.move(to: proxy.url)
        let (account, device) = (try await alice.account().account, try await alice.account().device)
        try await mallory.say(.text(body: "I, alice, resign"), written: 0, in: room, as: (account, device))
        proxy.tamper { route, _, answer in
            guard case Routes.messages = route else { return answer }
            return try answer.changing(MessagePage.self) { page in
                for index in page.messages.indices where page.messages[index].number == 4 {
                    (page.messages[index].account, page.messages[index].device) = (account, device)
                }
            }
        }
        let result = try await bob.run("read", "kitchen")
        expect(result, 5, "not signed by the device it is from")
        #expect(!result.output.contains("resign"))
    }
}
