import Foundation
import HouseSupport
import MildamClientCore
import MildamContent
import MildamIdentity
import MildamProfile
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("Rooms that are MLS groups: a relay whose answers are not what they have to be")
struct LyingRelayTests {
    enum Lie: CaseIterable, Sendable {
        case mailboxBackwards, mailboxCut, pageBackwards, pageWithoutIDs, pageBeyondItsEnd, treeCut

        /// The answer that this lie is about, as it is then; `nil` for others.
        func answer(to path: String, _ answer: HTTPResponse) throws -> HTTPResponse? {
            guard answer.status == 200 else { return nil }
            switch (self, path) {
            case (.mailboxBackwards, Routes.mailbox):
                return try answer.changing(MailboxPage.self) { $0.items.reverse() }
            case (.pageBackwards, Routes.messages):
                return try answer.changing(MessagePage.self) { $0.messages.reverse() }
            case (.pageWithoutIDs, Routes.messages):
                return try answer.changing(MessagePage.self) { page in
                    for place in page.messages.indices { page.messages[place].id = nil }
                }
            case (.pageBeyondItsEnd, Routes.messages):
                return try answer.changing(MessagePage.self) { $0.next = $0.first }
            case (.mailboxCut, Routes.mailbox), (.treeCut, Routes.groupTree):
                var cut = answer
                cut.body.removeLast(cut.body.count / 2)
                return cut
            default: return nil
            }
        }
    }

    /// What no honest relay says where it refuses something: each text too long, or no text.
    enum WrongError: CaseIterable, Sendable {
        case longestRule, longRule, ruleOfLines, ruleThatIsANumber, noRule
        case longMessage, messageThatIsAList, longCode, codeThatIsANumber
        case numberThatIsAText, negativeNumber, epochThatIsAText, missedThatIsAText, everythingLong

        /// The answer's body.
        var body: String {
            let long = String(repeating: "r", count: 65_600)
            return switch self {
            case .longestRule: WrongError.error(rule: "\"\(long)\"")
            case .longRule: WrongError.error(rule: "\"\(long.prefix(49))\"")
            case .ruleOfLines: WrongError.error(rule: "\"one\\ntwo\"")
            case .ruleThatIsANumber: WrongError.error(rule: "7")
            case .noRule: WrongError.error(rule: "\"\"")
            case .longMessage: WrongError.error(code: "\"unavailable\"", message: "\"\(long)\"")
            case .messageThatIsAList: WrongError.error(message: "[]")
            case .longCode: WrongError.error(code: "\"\(long)\"")
            case .codeThatIsANumber: WrongError.error(code: "400")
            case .numberThatIsAText: WrongError.error(rule: "\"mls\",\"number\":\"1\"")
            case .negativeNumber: WrongError.error(rule: "\"mls\",\"number\":-1")
            case .epochThatIsAText: WrongError.error(rule: "\"mls\",\"epoch\":\"\(long)\"")
            case .missedThatIsAText:
                "{\"error\":{\"code\":\"stale_epoch\",\"message\":\"\"},\"missed\":\"\(long)\"}"
            case .everythingLong:
                WrongError.error(code: "\"\(long)\"", message: "\"\(long)\"", rule: "\"\(long)\"")
            }
        }

        private static func error(
            code: String = "\"invalid_commit\"",
            message: String = "\"\"",
            rule: String = "\"mls\""
        ) -> String {
            "{\"error\":{\"code\":\(code),\"message\":\(message),\"rule\":\(rule)}}"
        }
    }

    @Test(
        "an error that is none ends nothing, and what was typed goes out once",
        arguments: Cases.drawn(5, of: WrongError.allCases, for: "wrong errors")
    )
    func wrongErrors(_ wrong: WrongError) async throws {
        let house = try RoomHouse()
        let proxy = try TamperingProxy.start(before: house.url)
        defer { proxy.stop() }
        let profile = OpenProfile(folder: house.folder.file("alice"))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle("alice"), at: proxy.url, password: RoomHouse.password)
        let alice = try await RoomPerson(Handle("alice"), profile, TestRoomStore())
        let garden = try await alice.makeRoom("garden")
        let lies = Lock(0)
        proxy.tamperLive { event in
            if case .message = event { [] } else { [event] }
        }
        proxy.tamper { path, _, answer in
            guard Routes.sendToGroup ~= path else { return answer }
            lies.withLock { $0 += 1 }
            return HTTPResponse(status: 400, body: Array(wrong.body.utf8))
        }
        let typed = Wish.say(try TextContent("typed").part, inReplyTo: nil, blobs: [])
        let id = try await alice.begin(typed, in: garden)
        try await until { lies.withLock { $0 } > 1 }
        let lied = try #require(await alice.overview(of: garden))
        #expect(lied.wishes.map(\.id) == [id] && lied.unsaid.isEmpty)
        let form = try #require(lied.wishes.first).storedForm
        #expect(try Intent(storedForm: form).id == id)

        proxy.behave()
        try await until { try await alice.texts(in: garden) == ["typed"] }
        guard case .done = await alice.rooms.outcome(of: id) else {
            Issue.record("it is not done")
            return
        }
        #expect(await alice.overview(of: garden)?.unsaid.isEmpty == true)
        await house.stop()
    }

    @Test(
        "nothing is shown that was not so, and when it is honest again everything is there",
        arguments: Cases.drawn(3, of: Lie.allCases, for: "lies of a relay")
    )
    func lying(_ lie: Lie) async throws {
        let house = try RoomHouse()
        let proxy = try TamperingProxy.start(before: house.url)
        defer { proxy.stop() }
        let alice = try await house.person("alice")
        let profile = OpenProfile(folder: house.folder.file("bobby"))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle("bobby"), at: proxy.url, password: RoomHouse.password)
        let bob = try await RoomPerson(Handle("bobby"), profile, TestRoomStore())
        try await until { try await bob.rooms.stock() > 0 }
        let garden = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: garden)
        await bob.goOffline()

        let texts = ["one", "two", "three"]
        for text in texts { try await alice.say(text, in: garden) }
        let shed = try await alice.makeRoom("shed")
        let found = try await alice.rooms.find(bob.handle)
        try await alice.get(.invite(found.account, found.identity), in: shed)
        // A mailbox goes backwards when there are two Welcomes in it.
        let attic = try await lie == .mailboxBackwards ? alice.makeRoom("attic") : nil
        if let attic { try await alice.get(.invite(found.account, found.identity), in: attic) }
        let (lies, drops) = (Lock(0), Lock(0))
        proxy.tamper { path, request, answer in
            if Routes.dropMailbox ~= path, request.method == .delete { drops.withLock { $0 += 1 } }
            guard let changed = try lie.answer(to: path, answer) else { return answer }
            lies.withLock { $0 += 1 }
            return changed
        }
        bob.comeBack()
        try await until { lies.withLock { $0 } > 0 }
        let shown = try await bob.texts(in: garden)
        #expect(Array(texts.prefix(shown.count)) == shown)
        if lie == .mailboxBackwards || lie == .mailboxCut {
            await #expect(throws: MessengerError.self) { try await bob.rooms.readMail() }
            #expect(drops.withLock { $0 } == 0, "what was not read stays in the mailbox")
        }

        proxy.behave()
        try await until { try await bob.texts(in: garden) == texts }
        try await until { await bob.standing(in: shed) == .invited }
        if let attic { try await until { await bob.standing(in: attic) == .invited } }
        try await bob.get(.accept, in: shed)
        try await expectSame([alice, bob], in: shed)
        try await expectSame([alice, bob], in: garden)
        await house.stop()
    }

    @Test("a room of which the relay does not say who brought somebody in is not shown to them")
    func seatOfNobody() async throws {
        let house = try RoomHouse()
        let proxy = try TamperingProxy.start(before: house.url)
        defer { proxy.stop() }
        let alice = try await house.person("alice")
        let profile = OpenProfile(folder: house.folder.file("bobby"))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle("bobby"), at: proxy.url, password: RoomHouse.password)
        let garden = try await alice.makeRoom("garden")
        let found = try await alice.rooms.find(try Handle("bobby"))
        try await alice.get(.invite(found.account, found.identity), in: garden)
        let looks = Lock(0)
        proxy.tamper { path, _, answer in
            guard Routes.messages ~= path else { return answer }
            looks.withLock { $0 += 1 }
            return HTTPResponse(status: 404, body: Array(#"{"error":{"code":"gone","message":""}}"#.utf8))
        }
        let bob = try await RoomPerson(Handle("bobby"), profile, TestRoomStore())
        try await until { looks.withLock { $0 } > 0 }
        try await bob.rooms.readRooms()
        #expect(await bob.rooms.rooms().isEmpty)
        #expect(await bob.rooms.waitingRequests() == 0)

        proxy.behave()
        try await bob.rooms.readRooms()
        try await until { await bob.standing(in: garden) == .requested }
        await house.stop()
    }

    @Test("no tree is asked for before a person has accepted, and one longer than any keeps nobody from the relay")
    func longTree() async throws {
        let house = try RoomHouse()
        let proxy = try TamperingProxy.start(before: house.url)
        defer { proxy.stop() }
        let trees = Lock(0)
        proxy.tamper { path, _, answer in
            if Routes.groupTree ~= path { trees.withLock { $0 += 1 } }
            return answer
        }
        let alice = try await house.person("alice")
        let profile = OpenProfile(folder: house.folder.file("bobby"))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle("bobby"), at: proxy.url, password: RoomHouse.password)
        let bob = try await RoomPerson(Handle("bobby"), profile, TestRoomStore())
        try await until { try await bob.rooms.stock() > 0 }
        let garden = try await alice.makeRoom("garden")
        let found = try await alice.rooms.find(bob.handle)
        try await alice.get(.invite(found.account, found.identity), in: garden)
        try await until { await bob.standing(in: garden) == .requested }
        #expect(trees.withLock { $0 } == 0)
        let wish = try #require(try await bob.rooms.acceptRequest("\(garden)", joining: true).wish)
        guard case .done = await bob.rooms.outcome(of: wish) else {
            Issue.record("he is not in")
            return
        }

        await bob.goOffline()
        let shed = try await alice.makeRoom("shed")
        try await alice.get(.invite(found.account, found.identity), in: shed)
        try await alice.say("on", in: garden)
        proxy.tamper { path, _, answer in
            guard Routes.groupTree ~= path, answer.status == 200 else { return answer }
            var long = answer
            long.body = [UInt8](repeating: 0, count: 17 << 20)
            return long
        }
        bob.comeBack()
        try await until { try await bob.texts(in: garden) == ["on"] }
        try await until { await bob.standing(in: shed) != nil }

        proxy.behave()
        try await bob.get(.accept, in: shed)
        try await expectSame([alice, bob], in: shed)
        await house.stop()
    }

    @Test("a tree that is cut costs who asked nothing: the request waits on, and is accepted once the relay is honest")
    func cutTree() async throws {
        let house = try RoomHouse()
        let proxy = try TamperingProxy.start(before: house.url)
        defer { proxy.stop() }
        let alice = try await house.person("alice")
        let profile = OpenProfile(folder: house.folder.file("bobby"))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle("bobby"), at: proxy.url, password: RoomHouse.password)
        let bob = try await RoomPerson(Handle("bobby"), profile, TestRoomStore())
        try await until { try await bob.rooms.stock() > 0 }
        let garden = try await alice.makeRoom("garden")
        let found = try await alice.rooms.find(bob.handle)
        try await alice.get(.invite(found.account, found.identity), in: garden)
        try await until { await bob.standing(in: garden) == .requested }
        proxy.tamper { path, _, answer in try Lie.treeCut.answer(to: path, answer) ?? answer }
        await #expect(throws: RoomFault.self) { _ = try await bob.rooms.acceptRequest("\(garden)", joining: true) }
        #expect(await bob.rooms.waitingRequests() == 1)
        proxy.behave()
        let wish = try #require(try await bob.rooms.acceptRequest("\(garden)", joining: true).wish)
        guard case .done = await bob.rooms.outcome(of: wish) else {
            Issue.record("he is not in")
            return
        }
        try await expectSame([alice, bob], in: garden)
        await house.stop()
    }

    @Test("that a room was accepted is told until the relay has heard it, by the next process too")
    func acceptedUnheard() async throws {
        let house = try RoomHouse()
        let proxy = try TamperingProxy.start(before: house.url)
        defer { proxy.stop() }
        let alice = try await house.person("alice")
        let profile = OpenProfile(folder: house.folder.file("bobby"))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle("bobby"), at: proxy.url, password: RoomHouse.password)
        let bob = try await RoomPerson(Handle("bobby"), profile, TestRoomStore())
        try await until { try await bob.rooms.stock() > 0 }
        let unheard = Lock(0)
        proxy.tamper { path, _, answer in
            guard Routes.acceptRoom ~= path else { return answer }
            unheard.withLock { $0 += 1 }
            return HTTPResponse(status: 503)
        }
        let garden = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: garden)
        try await until { unheard.withLock { $0 } > 0 }
        await bob.goOffline()
        #expect(try await messenger.untoldRooms() == [garden])
        proxy.behave()
        let later = try await bob.restarted()
        try await until { await later.rooms.untold.isEmpty }
        #expect(try await messenger.untoldRooms().isEmpty)
        await house.stop()
    }
}
