import Foundation
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

/// A relay that gives messages to who may not read them: that they cannot is not by its leave.
@Suite("A relay that serves who was put out, and who came late", .timeLimit(.minutes(5)))
struct ServedOnTests {
    /// alice honest, another one behind a proxy.
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let alice: Person
        let reader: Person

        init(_ name: String) async throws {
            house = try await House.open()
            proxy = try TamperingProxy.start(before: house.relay.url)
            alice = house.person("alice")
            reader = house.person(name, at: proxy.url)
            try await house.settle(alice, reader)
        }
    }

    enum Served: CaseIterable, Sendable {
        case everything, everythingButTheCommit
    }

    /// The relay goes on giving bob the room's messages, as if nobody had put him out.
    @Test(arguments: Cases.drawn(1, of: Served.allCases, for: "served on"))
    func whoWasPutOut(_ served: Served) async throws {
        let scene = try await Scene("bob")
        let (proxy, alice, bob) = (scene.proxy, scene.alice, scene.reader)
        // What it answers to a member.
        let lists = Lock<HTTPResponse?>(nil)
        proxy.tamper { route, request, answer in
            if case Routes.rooms = route, Self.isFirstPage(request), answer.status == 200 {
                lists.withLock { $0 = answer }
            }
            return answer
        }
        try await scene.house.room("kitchen", of: [alice, bob])
        try await alice.done("send", "kitchen", "among us")
        try await bob.done("client", "stop")
        #expect(try await bob.texts("kitchen") == ["among us"])
        try await bob.done("client", "stop")
        let list = try #require(lists.withLock { $0 })
        let room = try await alice.room("kitchen")
        try await alice.done("room", "remove", "kitchen", "bob")
        try await alice.done("send", "kitchen", "without bob")

        let messages = try await RelayCaller(alice).messages(of: room)
        let last = try #require(messages.last { $0.kind == .application })
        let commit = try #require(messages.last { $0.kind == .commit && $0.number < last.number })
        let isHidden = served == .everythingButTheCommit
        let given = Lock(0)
        proxy.tamper { route, request, answer in
            switch route {
            case Routes.rooms where Self.isFirstPage(request):
                return try list.changing(RoomList.self) { list in
                    for place in list.rooms.indices {
                        list.rooms[place].epoch = last.epoch
                        list.rooms[place].next = last.number + 1
                    }
                }
            case Routes.messages where request.method == .get:
                let from = Self.first(in: request)
                let page = MessagePage(
                    first: 1,
                    next: last.number + 1,
                    messages: messages.filter { message in
                        message.number >= from && message.number <= last.number
                            && !(isHidden && message.number == commit.number)
                    },
                    epoch: last.epoch,
                    lost: isHidden ? [LostNumbers(first: commit.number, last: commit.number)] : nil
                )
                if page.messages.contains(where: { $0.number == last.number }) { given.withLock { $0 += 1 } }
                return HTTPResponse(
                    status: 200,
                    fields: ["Content-Type": "application/json"],
                    body: Array(try JSONEncoder().encode(page))
                )
            default: return answer
            }
        }
        proxy.tamperLive { event in
            switch event {
            case .removed, .refused: return []
            default: return [event]
            }
        }
        for _ in 0..<20 where given.withLock({ $0 }) == 0 {
            try await bob.run("read", "kitchen")
            try await Task.sleep(for: .milliseconds(200))
        }
        let times = given.withLock { $0 }
        #expect(times > 0, "he was given what was said without him")
        for format in [[], ["--json"]] {
            let read = try await Program.result(
                of: "mildam",
                ["read", "kitchen"] + format,
                environment: bob.variables
            )
            #expect(read.output.contains("among us") && !read.output.contains("without bob"), "\(read)")
        }
        // Nor does he say anything that anybody hears.
        let sent = try await bob.run("send", "kitchen", "still here?")
        #expect(sent.status != 0, "\(sent)")
        #expect(try await alice.texts("kitchen") == ["among us", "without bob"])
        try await bob.run("client", "stop")
        proxy.stop()
        withExtendedLifetime(scene) {}
    }

    /// What was said before carol came in is given to her in the place of what is said to her.
    @Test func whoCameLate() async throws {
        let scene = try await Scene("carol")
        let (proxy, alice, carol) = (scene.proxy, scene.alice, scene.reader)
        try await alice.done("room", "create", "kitchen")
        try await alice.done("send", "kitchen", "before carol")
        let room = try await alice.room("kitchen")
        let early = try await RelayCaller(alice).lastText(of: room)
        try await alice.done("room", "invite", "kitchen", "carol")
        try await carol.join("kitchen")
        try await carol.done("client", "stop")
        for text in ["one", "two"] { try await alice.done("send", "kitchen", text) }
        let numbers = try await alice.messages("kitchen").filter { $0.kind == "text" }.map(\.number)
        try #require(numbers.count == 3)
        let given = Lock(0)
        proxy.tamper { route, request, answer in
            guard case Routes.messages = route, request.method == .get else { return answer }
            return try answer.changing(MessagePage.self) { page in
                page.first = 1
                guard let place = page.messages.firstIndex(where: { $0.number == numbers[1] }) else { return }
                page.messages[place].body = early.body
                page.messages[place].epoch = early.epoch
                page.messages[place].id = early.id
                given.withLock { $0 += 1 }
            }
        }
        let read = try await carol.run("read", "kitchen")
        let times = given.withLock { $0 }
        #expect(times > 0, "she was given what was said before her")
        #expect(!read.output.contains("before carol"), "\(read)")
        proxy.behave()
        try await alice.done("send", "kitchen", "three")
        let texts = try await carol.texts("kitchen")
        #expect(!texts.contains("before carol") && texts.last == "three", "\(texts)")
        try await carol.run("client", "stop")
        proxy.stop()
        withExtendedLifetime(scene) {}
    }

    /// Whether a request wants rooms from the first one on.
    private static func isFirstPage(_ request: HTTPRequest) -> Bool {
        !(request.target.query?.contains("after=") ?? false)
    }

    /// From which number on a request wants messages.
    private static func first(in request: HTTPRequest) -> UInt64 {
        let fields = request.target.query?.split(separator: "&") ?? []
        let from = fields.first { $0.hasPrefix("from=") }
        return from.flatMap { UInt64($0.dropFirst("from=".count)) } ?? 1
    }
}
