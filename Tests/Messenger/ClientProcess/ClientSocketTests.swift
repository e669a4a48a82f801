import Glibc
import MildamClientAPI
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("The socket of a profile's client")
struct ClientSocketTests {
    // MARK: Changes

    @Test func aWindowHearsWhatAnotherOneDoes() async throws {
        let served = try ServedRooms()
        let (one, two) = (try served.link(), try served.link())
        let room = try await one.made("kitchen")
        let events = try await two.subscribe()
        let key = try await one.wished(.send(room: room, text: "soup"))
        var last: UInt64?
        for await event in events {
            guard case .changes(let rev, let changes) = event else {
                Issue.record("\(event)")
                break
            }
            if let last { #expect(rev == last + 1) }
            last = rev
            let isThere = changes.contains { change in
                guard case .items(room, let items, _) = change else { return false }
                return items.contains { $0.key == key && $0.number == 1 && $0.text == "soup" }
            }
            if isThere { break }
        }
        #expect(last != nil)
    }

    /// What a window does not read costs it the changes, and nobody else anything.
    @Test func aWindowThatDoesNotReadIsTold() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let slow = try served.raw()
        _ = try await slow.line()
        try await slow.say("{\"id\":1,\"ask\":{\"subscribe\":{}}}\n")
        #expect(try await slow.line() == #"{"id":1,"ok":{"subscribed":{"rev":0}}}"#)
        let text = String(repeating: "a", count: 30_000)
        // What comes at once is told at once, by a line that has its end: so it comes in parts, and another window hears of each.
        let quick = try served.link()
        var told = try await quick.subscribe().makeAsyncIterator()
        for _ in 0..<20 {
            for _ in 0..<35 { try await served.rooms.hear(text, from: served.carol, in: room) }
            #expect(await told.next() != nil)
        }
        #expect(try await link.row(room)?.unread == 700)
        var line = try await slow.line()
        while let said = line, said != #"{"resync":{}}"# { line = try await slow.line() }
        #expect(line != nil)
        // From here on it is told again.
        try await served.rooms.hear("new", from: served.carol, in: room)
        line = try await slow.line()
        while let said = line, !said.contains(#""text":"new""#) { line = try await slow.line() }
        #expect(line != nil)
    }

    @Test func theLineOfAResyncIsWhatAFrameIs() throws {
        #expect(try ClientLine.bytes(of: .resync) == LineQueue.resync)
    }

    // MARK: Bad lines

    @Test(arguments: [
        ("{\"id\":3,\"ask\":{\"unlock\":{}}}", #"{"error":{"code":"unknown-ask","parameters":{}},"id":3}"#),
        (
            "{\"id\":3,\"ask\":{\"stop\":{\"now\":1}}}",
            #"{"error":{"code":"bad-line","parameters":{"field":"ask.stop.now"}},"id":3}"#
        ),
        ("nonsense", #"{"error":{"code":"bad-line","parameters":{}},"id":0}"#),
        ("", #"{"error":{"code":"bad-line","parameters":{}},"id":0}"#),
        ("{\"resync\":{}}", #"{"error":{"code":"bad-line","parameters":{}},"id":0}"#),
        ("{\"id\":3,\"ok\":{\"done\":{}}}", #"{"error":{"code":"bad-line","parameters":{}},"id":0}"#),
    ])
    func aLineThatIsNoAskIsRefusedAndTheNextIsAnswered(_ line: String, _ refusal: String) async throws {
        let served = try ServedRooms()
        let window = try served.raw()
        #expect(try await window.line()?.hasPrefix(#"{"hello":{"#) == true)
        try await window.say(line + "\n")
        #expect(try await window.line() == refusal)
        try await window.say("{\"id\":4,\"ask\":{\"rooms\":{}}}\n")
        #expect(try await window.line() == #"{"id":4,"ok":{"rooms":{"hasMore":false,"rows":[]}}}"#)
    }

    @Test func aLineThatIsTooLongEndsItsOwnConnection() async throws {
        let served = try ServedRooms()
        let (window, link) = (try served.raw(), try served.link())
        _ = try await window.line()
        // Who hung up does not take the rest.
        try? await window.say([UInt8](repeating: UInt8(ascii: "a"), count: LineLimits.line + 1))
        let refusal = #"{"error":{"code":"too-long","parameters":{"most":"1048576"}},"id":0}"#
        #expect(try await window.line() == refusal)
        let rest = try? await window.line()
        #expect(rest == nil)
        #expect(try await link.ask(.status) != .done)
    }

    @Test func halfALineCostsWhoSendsIt() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let windows = try (0..<8).map { _ in try served.raw() }
        for window in windows {
            _ = try await window.line()
            try await window.say("{\"id\":1,\"ask\":")
        }
        #expect(try await link.row(.random()) == nil)
        for window in windows.prefix(4) { window.hangUp() }
        // The rest of a line may come later.
        for window in windows.suffix(4) {
            try await window.say("{\"rooms\":{}}}\n{\"id\":2")
            #expect(try await window.line()?.contains(#""id":1,"ok""#) == true)
        }
    }

    @Test func aFloodOfLinesCostsWhoSendsIt() async throws {
        let served = try ServedRooms()
        let (window, link) = (try served.raw(), try served.link())
        _ = try await window.line()
        let count = Count.of(few: 5_000, full: 1_000_000)
        let flood = Task {
            let part = Array(String(repeating: "x\n", count: 1_000).utf8)
            for _ in 0..<(count / 1_000) { try await window.say(part) }
        }
        for _ in 0..<20 { #expect(try await link.row(.random()) == nil) }
        for _ in 0..<count { #expect(try await window.line()?.hasPrefix(#"{"error":{"#) == true) }
        try await flood.value
    }

    // MARK: Coming and going

    @Test func tooManyWindowsTakeThePlaceOfTheIdlest() async throws {
        let served = try ServedRooms()
        let first = try served.link()
        var windows: [ClientLink] = []
        for _ in 0..<ClientServer.maximumWindows { windows.append(try served.link()) }
        await #expect(throws: ClientLinkError.self) { try await first.ask(.status) }
        for window in [windows.first, windows.last] {
            #expect(try await window?.ask(.rooms()) == .rooms(rows: [], hasMore: false))
        }
    }

    /// Nobody is idle: who comes then is told why, and the others go on.
    @Test func oneMoreThanAllWhoListenIsToldSo() async throws {
        let served = try ServedRooms()
        var windows: [ClientLink] = []
        for _ in 0..<ClientServer.maximumWindows {
            let window = try served.link()
            _ = try await window.subscribe()
            windows.append(window)
        }
        let refusal = ClientLinkError.refused(ClientError(.tooManyWindows))
        #expect(throws: refusal) { try served.link() }
        let raw = try served.raw()
        #expect(try await raw.line() == #"{"error":{"code":"too-many-windows","parameters":{}},"id":0}"#)
        #expect(try await raw.line() == nil)
        #expect(try await windows.last?.ask(.rooms()) == .rooms(rows: [], hasMore: false))
        windows.removeLast()
        var next: ClientLink?
        for _ in 0..<200 where next == nil {
            next = try? served.link()
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await next?.ask(.rooms()) == .rooms(rows: [], hasMore: false))
    }

    /// A client that is ending says so in the place of its greeting: another one may be had in a moment.
    @Test func oneThatIsEndingSaysSo() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.file("agent/client")
        let listener = try UnixListener(at: socket)
        let line = try ClientLine.bytes(of: .error(id: 0, ClientError(.ending)))
        async let told: Void = Blocking.run {
            let connection = try listener.accept()
            try connection?.send(line.span, within: .seconds(20))
        }
        await #expect(throws: ClientLinkError.ended) { try await Blocking.run { _ = try ClientLink(at: socket) } }
        try await told
        listener.close()
    }

    @Test func stoppedItAnswersAndEnds() async throws {
        let served = try ServedRooms()
        let (one, two) = (try served.link(), try served.link())
        #expect(try await one.ask(.stop) == .done)
        for await _ in served.stops {}
        await served.server.drain(within: .seconds(5))
        await #expect(throws: ClientLinkError.self) { try await two.ask(.status) }
        let gone = #expect(throws: ClientLinkError.self) { try served.link() }
        guard case .system(let error)? = gone else {
            Issue.record("\(String(describing: gone))")
            return
        }
        #expect(error.code == ENOENT || error.code == ECONNREFUSED)
    }

    @Test func itEndsByItselfWhenThereIsNothingToDo() async throws {
        let served = try ServedRooms()
        var link: ClientLink? = try served.link()
        let room = try #require(try await link?.made("kitchen"))
        await served.rooms.set(away: true)
        _ = try await link?.ask(.send(room: room, text: "later"))
        let watch = served.server.endingWhenIdle(for: .milliseconds(200))
        defer { watch.cancel() }
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await link?.ask(.rooms()) != nil, "somebody is connected")
        link = nil
        try await Task.sleep(for: .milliseconds(500))
        link = try served.link()
        #expect(try await link?.row(room)?.name == "kitchen", "something waits")
        await served.rooms.set(away: false)
        link = nil
        for await _ in served.stops {}
        #expect(throws: ClientLinkError.self) { try served.link() }
    }

    /// How what is done once is asked again, by what became of the answer.
    @Test func whoIsAskedAgain() throws {
        let code = try #require(ClientError.Code(rawValue: "no-member"))
        let system = SystemError("write to", "a", code: ETIMEDOUT)
        let recourses: [(ClientLinkError, ClientLinkError.Recourse)] = [
            (.late(.seconds(1)), .sameClient), (.ended, .nextClient), (.system(system), .nextClient),
            (.refused(ClientError(.lent)), .later), (.refused(ClientError(.notLent)), .later),
            (.refused(ClientError(code)), .never), (.misunderstood(.unknown), .never),
        ]
        for (error, recourse) in recourses { #expect(error.recourse == recourse, "\(error)") }
    }

    /// A line that only a part of could be sent is the last one: the connection ends, and so does what is followed.
    @Test func halfALineEndsTheConnection() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.file("agent/client")
        let listener = try UnixListener(at: socket)
        let hello = ClientGreeting(version: "1", build: "2", boot: "3", profile: "4", stage: .ready)
        let line = try ClientLine.bytes(of: .hello(hello))
        async let accepted = Blocking.run { () throws -> UnixConnection? in
            let connection = try listener.accept()
            try connection?.send(line.span, within: .seconds(20))
            return connection
        }
        let link = try await Blocking.run { try ClientLink(at: socket) }
        let client = try #require(try await accepted)
        let ask = ClientAsk.send(room: .random(), text: String(repeating: "a", count: LineLimits.text))
        var failure = ClientLinkError.late(.zero)
        for _ in 0..<100 {
            guard case .late = failure else { break }
            do throws(ClientLinkError) {
                _ = try await link.ask(ask, within: .milliseconds(200))
            } catch {
                failure = error
            }
        }
        #expect(failure.recourse == .nextClient, "\(failure)")
        let hasEnded = try await Blocking.run {
            let deadline = SuspendingClock.now + .seconds(10)
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                var span = piece.mutableSpan
                guard let count = try? client.receive(into: &span, until: deadline) else { return false }
                if count == 0 { return true }
            }
        }
        #expect(hasEnded)
        listener.close()
    }

    @Test func whatIsNotAnsweredInTimeIsLate() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        await served.rooms.set(away: true)
        guard case .wished(let id) = try await link.ask(.send(room: room, text: "later")) else {
            throw ClientLinkError.ended
        }
        await #expect(throws: ClientLinkError.late(.milliseconds(100))) {
            try await link.ask(.outcome(of: id, seconds: 2), within: .milliseconds(100))
        }
        // The late answer is nobody's; the next ask has its own.
        #expect(try await link.ask(.rooms()) != .done)
    }
}
