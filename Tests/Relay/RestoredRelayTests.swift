import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite(
    "A relay that was put back: what members give back",
    .enabled(if: StoreUnderTest.isSQLite("what is put back is a copy of files")),
    .timeLimit(.minutes(2))
)
struct RestoredRelayTests {
    /// What the relay's clock of rates is ahead of the machine's, in nanoseconds.
    private let ahead = Lock<UInt64>(0)

    private func start(in folder: TemporaryFolder) throws -> TestRelay {
        let ahead = ahead
        return try TestRelay(folder: folder) { $0.rateClock = { Monotonic.now() + ahead.withLock { $0 } } }
    }

    private func wait(seconds: UInt64) { ahead.withLock { $0 += seconds * 1_000_000_000 } }

    /// Copies the data of a relay that has stopped, without its mark, as `backup.md` says.
    private func copy(_ folder: TemporaryFolder) throws {
        try FileManager.default.copyItem(atPath: folder.file("data"), toPath: folder.file("copy"))
        try FileManager.default.removeItem(atPath: folder.file("copy/mark"))
    }

    private func putBack(_ folder: TemporaryFolder) throws {
        try FileManager.default.removeItem(atPath: folder.file("data"))
        try FileManager.default.moveItem(atPath: folder.file("copy"), toPath: folder.file("data"))
    }

    /// A message as it is given back: unless said otherwise as it was, and without a GroupInfo.
    private func refilled(
        _ message: RoomMessage,
        _ body: [UInt8]? = nil,
        groupInfo: [UInt8] = [],
        as id: MessageID? = nil
    ) throws -> RefilledMessage {
        let body = body ?? [UInt8](message.body)
        let content: RefilledMessage.Content =
            switch message.kind {
            case .proposal: .proposal(body)
            case .commit: .commit(body, groupInfo: groupInfo)
            case .generation: .generation(body)
            case .application, .membership: .application(body)
            }
        return RefilledMessage(
            number: message.number,
            generation: message.generation,
            epoch: message.epoch,
            account: message.account,
            device: message.device,
            id: try #require(id ?? message.id),
            stored: UInt64(clamping: message.stored),
            content: content
        )
    }

    @Test("each message has its number again, and what is new begins behind them")
    func givenBack() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var (alice, bob) = (try await GroupMember("alice", on: first), try await GroupMember("bobby", on: first))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let added = try alice.commit(&group, adding: [bob.bundle().keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        let none = try await alice.giveBack([], showing: 1, in: room)
        #expect(none.apiError?.code == .badRequest, "it was not put back")
        await first.server.stop()
        try copy(folder)

        // Alice says something and commits, then bob says something: the relay cannot see who has sealed it.
        let second = try start(in: folder)
        (alice.person.relay, bob.person.relay) = (second, second)
        #expect(try await alice.say("one", in: &group, room, epoch: 1).status == 201)
        let path = try alice.commit(&group)
        #expect(try await alice.send(path, to: room, epoch: 1).status == 201)
        try group.mergeStagedCommit()
        let (words, id) = (GroupSendRequest.Content.application(try group.protect([2]).wireBytes), MessageID.random())
        #expect(try await bob.send(words, to: room, epoch: 2, id: id).status == 201)
        let before = try await alice.page(of: room, from: 2)
        #expect(before.messages.map(\.number) == [2, 3, 4] && before.epoch == 2)
        await second.server.stop()
        try putBack(folder)

        let third = try start(in: folder)
        (alice.person.relay, bob.person.relay) = (third, third)
        let lost = try before.messages.map { try refilled($0) }
        let shown = try await alice.page(of: room, from: 5)
        #expect(shown.incarnation != before.incarnation && shown.next == 2 && shown.epoch == 1)
        let socket = try await Socket(alice.person)
        let incarnation = try #require(shown.incarnation)
        #expect(socket.hello == .hello(incarnation: incarnation))
        let early = try await alice.say("early", in: &group, room, epoch: 2)
        #expect(early.apiError?.code == .unavailable && early.fields["Retry-After"] == "5", "bob was not heard")

        let foreign = try await bob.giveBack([lost[0]], showing: 4, in: room)
        #expect(foreign.apiError?.code == .badRequest, "what alice has said is hers to give back")
        let one: MessagePage = try await alice.giveBack([lost[0]], showing: 4, in: room).value()
        #expect(one.next == 3 && one.incarnation == shown.incarnation)
        var body = [UInt8](before.messages[1].body)
        body[body.count / 2] ^= 1
        let forged = try await bob.giveBack([refilled(before.messages[1], body)], showing: 4, in: room)
        #expect(forged.apiError?.code == .invalidCommit)
        // What bob has said is not due before the commit, which anybody gives back.
        let later: MessagePage = try await bob.giveBack([lost[2]], showing: 4, in: room).value()
        #expect(later.next == 3)
        let rest: MessagePage = try await bob.giveBack(lost, showing: 4, in: room).value()
        #expect(rest.next == 5 && rest.epoch == 2 && rest.lost == nil)

        let after = try await alice.page(of: room, from: 2)
        // Which key the commit's GroupInfo had, nobody has given back.
        var known = before.messages
        known[1].externalPub = nil
        #expect(after.messages == known)
        let again = try await bob.send(words, to: room, epoch: 2, id: id)
        #expect(try again.value(SendReceipt.self).number == 4, "a retry has its number")
        let new = try await alice.say("new", in: &group, room, epoch: 2)
        #expect(try new.value(SendReceipt.self).number == 5)
        await third.server.stop()
    }

    @Test("a commit comes back with its committer's GroupInfo or none; under a false id it answers for nothing else")
    func committers() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var (alice, bob) = (try await GroupMember("alice", on: first), try await GroupMember("bobby", on: first))
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        var his = try await bob.join(room, with: bundle)
        await first.server.stop()
        try copy(folder)

        let second = try start(in: folder)
        (alice.person.relay, bob.person.relay) = (second, second)
        let path = try alice.commit(&hers)
        guard case .commit(let commit, let groupInfo, _) = path else { throw CancellationError() }
        #expect(try await alice.send(path, to: room, epoch: 1).status == 201)
        try hers.mergeStagedCommit()
        _ = try his.process(MLSMessage(wireBytes: commit))
        let (words, id) = (GroupSendRequest.Content.application(try hers.protect([1]).wireBytes), MessageID.random())
        #expect(try await alice.send(words, to: room, epoch: 2, id: id).status == 201)
        let lost = try await alice.page(of: room, from: 2).messages
        #expect(lost.map(\.number) == [2, 3])
        await second.server.stop()
        try putBack(folder)

        let third = try start(in: folder)
        (alice.person.relay, bob.person.relay) = (third, third)
        let foreign = MLSMessage.groupInfo(try his.groupInfo(sendsTree: false)).wireBytes
        let wrong = try await bob.giveBack([refilled(lost[0], groupInfo: foreign, as: id)], showing: 3, in: room)
        #expect(wrong.apiError?.rule == RoomRule.senderIsDeviceOfLeaf.rawValue)
        let right = try refilled(lost[0], groupInfo: groupInfo, as: id)
        let taken: MessagePage = try await bob.giveBack([right], showing: 3, in: room).value()
        #expect(taken.next == 3 && taken.epoch == 2)
        // Hers is not stored, and she does not hear that it were.
        let again = try await alice.send(words, to: room, epoch: 2, id: id)
        #expect(again.apiError?.code == .idReused)
        #expect(try await alice.page(of: room, from: 3).messages.isEmpty)
        await third.server.stop()
    }

    @Test("a commit may come back without its GroupInfo, which a member puts up; then the next group comes back")
    func groups() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var alice = try await GroupMember("alice", on: first)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        await first.server.stop()
        try copy(folder)

        let second = try start(in: folder)
        alice.person.relay = second
        let path = try alice.commit(&group)
        #expect(try await alice.send(path, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        var next = try alice.group(after: group)
        #expect(try await alice.renew(room, by: next, epoch: 1).status == 201)
        let before = try await alice.page(of: room, from: 1)
        #expect(before.messages.map(\.kind) == [.commit, .generation])
        await second.server.stop()
        try putBack(folder)

        let third = try start(in: folder)
        alice.person.relay = third
        let lost = try before.messages.map { try refilled($0) }
        let one: MessagePage = try await alice.giveBack([lost[0]], showing: 2, in: room).value()
        #expect(one.next == 2 && one.epoch == 1)
        let none = try await alice.person.ask(.get, Routes.group.at(room).text)
        #expect(none.apiError?.code == .unavailable && none.fields["Retry-After"] == "5")
        let info = try group.groupInfo(sendsTree: false)
        #expect(try await alice.put(info, of: room, epoch: 1).status == 204)
        let kept = try await alice.state(of: room)
        #expect(kept.epoch == 1 && kept.groupInfos.map(\.groupInfo) == [MLSMessage.groupInfo(info).wireBytes])
        let other = try await alice.renew(room, by: alice.group(after: group), epoch: 1)
        #expect(other.apiError?.code == .unavailable, "the number is that of the group which members know")

        let rest: MessagePage = try await alice.giveBack(lost, showing: 2, in: room).value()
        #expect(rest.next == 3 && rest.epoch == 0)
        let state = try await alice.state(of: room)
        #expect(state.generation == 1 && state.treeHash == next.publicGroup.context.treeHash)
        #expect(state.groupInfos.map(\.groupInfo) == [[UInt8](before.messages[1].body)])
        #expect(try await alice.page(of: room, from: 2).messages == [before.messages[1]])
        let words = GroupSendRequest.Content.application(try next.protect([1]).wireBytes)
        let said = try await alice.send(words, to: room, epoch: 0, generation: 1)
        #expect(try said.value(SendReceipt.self).number == 3)
        await third.server.stop()
    }

    @Test("what is given back is counted; once something new is said, words are not taken back, and changes are")
    func goneOn() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var alice = try await GroupMember("alice", on: first)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.say("kept", in: &group, room, epoch: 0).status == 201)
        await first.server.stop()
        #expect(throws: Never.self) { try RelayRestore(dataFolder: folder.file("data")).perform() }

        let second = try start(in: folder)
        alice.person.relay = second
        let (account, device) = (alice.person.account, alice.person.device)
        func back(_ number: UInt64, _ content: RefilledMessage.Content) -> RefilledMessage {
            RefilledMessage(
                number: number,
                generation: 0,
                epoch: 0,
                account: account,
                device: device,
                id: .random(),
                stored: 1,
                content: content
            )
        }
        let short = back(2, .application(try group.protect([1]).wireBytes))
        let long = back(3, .application(try group.protect([UInt8](repeating: 1, count: 4_000)).wireBytes))
        let one: MessagePage = try await alice.giveBack([short], showing: 2, in: room).value()
        #expect(one.next == 3)
        let rest = Int(RateRule.refilledBytes.rate.burst) - short.cost
        try second.server.parts.gate.admit(.refilledBytes, .account(account), cost: rest)
        let limited = try await alice.giveBack([long], showing: 3, in: room)
        #expect(limited.status == 429 && limited.apiError?.code == .rateLimited)

        wait(seconds: 61)
        let new = try await alice.say("new", in: &group, room, epoch: 0)
        #expect(try new.value(SendReceipt.self).number == 4)
        let words = back(5, .application(try group.protect([2]).wireBytes))
        guard case .commit(let bytes, _, _) = try alice.commit(&group) else { throw CancellationError() }
        let commit = back(6, .commit(bytes, groupInfo: []))
        let none: MessagePage = try await alice.giveBack([words, commit], showing: 6, in: room).value()
        #expect(none.next == 5)
        wait(seconds: 61)
        let taken: MessagePage = try await alice.giveBack([words, commit], showing: 6, in: room).value()
        #expect(taken.next == 7 && taken.epoch == 1)
        let lost = try await alice.page(of: room, from: 1).lost
        #expect(lost == [LostNumbers(first: 3, last: 3), LostNumbers(first: 5, last: 5)])
        await second.server.stop()
    }

    @Test("what nobody gives back is a gap with a name, and no number is given again")
    func lost() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var (alice, bob) = (try await GroupMember("alice", on: first), try await GroupMember("bobby", on: first))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let added = try alice.commit(&group, adding: [bob.bundle().keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        await first.server.stop()
        try copy(folder)

        let second = try start(in: folder)
        (alice.person.relay, bob.person.relay) = (second, second)
        let words = GroupSendRequest.Content.application(try group.protect([1]).wireBytes)
        #expect(try await bob.send(words, to: room, epoch: 1).status == 201)
        let path = try alice.commit(&group)
        #expect(try await alice.send(path, to: room, epoch: 1).status == 201)
        try group.mergeStagedCommit()
        let before = try await alice.page(of: room, from: 2)
        await second.server.stop()
        try putBack(folder)

        // Bob does not come, and nobody else has what he said.
        let third = try start(in: folder)
        (alice.person.relay, bob.person.relay) = (third, third)
        let commit = try refilled(before.messages[1])
        let offered: MessagePage = try await alice.giveBack([commit], showing: 3, in: room).value()
        #expect(offered.next == 2 && offered.lost == nil)
        wait(seconds: 240)
        #expect(try await alice.page(of: room, from: 4).next == 2, "it is waited for")
        wait(seconds: 61)
        let given = try await alice.page(of: room, from: 4)
        #expect(given.next == 4 && given.epoch == 2, "what she has given back was held")
        let again: MessagePage = try await alice.giveBack([commit], showing: 3, in: room).value()
        #expect(again.next == 4)
        #expect(try await alice.page(of: room, from: 1).lost == [LostNumbers(first: 2, last: 2)])
        #expect(
            try await alice.page(of: room, from: 4).lost == [LostNumbers(first: 2, last: 2)],
            "who reads on from above hears of it, too"
        )
        // Bob is not waited for once more.
        let new = try await alice.say("new", in: &group, room, epoch: 2)
        #expect(try new.value(SendReceipt.self).number == 4)

        var socket = try await Socket(alice.person)
        try await socket.say(.subscribe(room: room, from: 1))
        #expect(try await socket.numbers(1) == [1])
        #expect(try await socket.next() == .lost(room: room, first: 2, last: 2))
        #expect(try await socket.numbers(2) == [3, 4])
        await third.server.stop()
    }

    @Test("what all members have lost is passed over by the next message; a day later nothing is taken back")
    func late() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var alice = try await GroupMember("alice", on: first)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.say("kept", in: &group, room, epoch: 0).status == 201)
        await first.server.stop()
        #expect(throws: Never.self) { try RelayRestore(dataFolder: folder.file("data")).perform() }

        let second = try start(in: folder)
        alice.person.relay = second
        // As if there had been messages up to the ninth.
        #expect(try await alice.page(of: room, from: 10).next == 2)
        let far = try await alice.page(of: room, from: 1 << 40)
        #expect(far.next == 2, "what nobody can have lost is not believed")
        #expect(try await alice.say("held", in: &group, room, epoch: 0).apiError?.code == .unavailable)
        wait(seconds: 61)
        let new = try await alice.say("new", in: &group, room, epoch: 0)
        #expect(try new.value(SendReceipt.self).number == 10)
        #expect(try await alice.page(of: room, from: 1).lost == [LostNumbers(first: 2, last: 9)])
        second.advance(seconds: 86_401)
        alice.person.tokens = try await alice.person.refresh(alice.person.tokens.refresh).value()
        #expect(try await alice.giveBack([], showing: 10, in: room).apiError?.code == .badRequest)
        await second.server.stop()
    }

    @Test("what a member offers is not given up by its own coming, however late that is")
    func offeredLate() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var alice = try await GroupMember("alice", on: first)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.say("kept", in: &group, room, epoch: 0).status == 201)
        await first.server.stop()
        #expect(throws: Never.self) { try RelayRestore(dataFolder: folder.file("data")).perform() }

        let second = try start(in: folder)
        alice.person.relay = second
        #expect(try await alice.page(of: room, from: 4).next == 2)
        wait(seconds: 61)
        let words = RefilledMessage(
            number: 2,
            generation: 0,
            epoch: 0,
            account: alice.person.account,
            device: alice.person.device,
            id: .random(),
            stored: 1,
            content: .application(try group.protect([1]).wireBytes)
        )
        let taken: MessagePage = try await alice.giveBack([words], showing: 3, in: room).value()
        #expect(taken.next == 3 && taken.lost == nil)
        await second.server.stop()
    }

    @Test("who has logged out gives nothing back by what it had offered before")
    func loggedOut() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var alice = try await GroupMember("alice", on: first)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.say("kept", in: &group, room, epoch: 0).status == 201)
        await first.server.stop()
        #expect(throws: Never.self) { try RelayRestore(dataFolder: folder.file("data")).perform() }

        let second = try start(in: folder)
        alice.person.relay = second
        let words = RefilledMessage(
            number: 3,
            generation: 0,
            epoch: 0,
            account: alice.person.account,
            device: alice.person.device,
            id: .random(),
            stored: 1,
            content: .application(try group.protect([1]).wireBytes)
        )
        let offered: MessagePage = try await alice.giveBack([words], showing: 3, in: room).value()
        #expect(offered.next == 2)
        #expect(try await alice.person.ask(.delete, "/v1/sessions/current").status == 204)
        alice.person.tokens = try await second.ask(alice.person.loginRequest()).value()
        wait(seconds: 61)
        #expect(try await alice.page(of: room, from: 4).next == 4)
        let page = try await alice.page(of: room, from: 1)
        #expect(page.messages.map(\.number) == [1] && page.lost == [LostNumbers(first: 2, last: 3)])
        await second.server.stop()
    }

    @Test("key packages that are claimed once go, since some were claimed meanwhile; that of last resort stays")
    func keyPackages() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var bob = try await GroupMember("bobby", on: first)
        let published: KeyPackageCount = try await bob.publish([bob.bundle(), bob.bundle(isLastResort: true)]).value()
        #expect(published == KeyPackageCount(left: 1, hasLastResort: true))
        await first.server.stop()
        try copy(folder)
        try putBack(folder)

        let second = try start(in: folder)
        bob.person.relay = second
        let left: KeyPackageCount = try await bob.person.ask(.get, Routes.keyPackages.path).value()
        #expect(left == KeyPackageCount(left: 0, hasLastResort: true))
        let again: KeyPackageCount = try await bob.publish([bob.bundle()]).value()
        #expect(again == KeyPackageCount(left: 1, hasLastResort: true))
        await second.server.stop()

        let third = try start(in: folder)
        bob.person.relay = third
        let kept: KeyPackageCount = try await bob.person.ask(.get, Routes.keyPackages.path).value()
        #expect(kept == again, "once")
        await third.server.stop()
    }

    @Test("whoever comes in by a commit that is given back hears of the room again")
    func broughtInAgain() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var (alice, bob) = (try await GroupMember("alice", on: first), try await GroupMember("bobby", on: first))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        await first.server.stop()
        try copy(folder)

        let second = try start(in: folder)
        (alice.person.relay, bob.person.relay) = (second, second)
        let added = try alice.commit(&group, adding: [bob.bundle().keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        let before = try await alice.page(of: room, from: 1)
        #expect(before.messages.map(\.kind) == [.commit])
        await second.server.stop()
        try putBack(folder)

        let third = try start(in: folder)
        (alice.person.relay, bob.person.relay) = (third, third)
        var socket = try await Socket(bob.person)
        #expect(try await bob.person.ask(.get, Routes.group.at(room).text).status != 200, "the relay has lost him")
        let lost = try before.messages.map { try refilled($0) }
        let taken: MessagePage = try await alice.giveBack(lost, showing: 1, in: room).value()
        #expect(taken.next == 2 && taken.epoch == 1)
        // His Welcome does not come again.
        #expect(try await socket.next() == .generation(room: room))
        #expect(try await bob.page(of: room, from: 1).messages.map(\.number) == [1])
        await third.server.stop()
    }

    @Test("what is given up after five minutes holds nothing up for another five, though a member is missing")
    func givenUpOnce() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var alice = try await GroupMember("alice", on: first)
        let bob = try await GroupMember("bobby", on: first)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let added = try alice.commit(&group, adding: [bob.bundle().keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        await first.server.stop()
        #expect(throws: Never.self) { try RelayRestore(dataFolder: folder.file("data")).perform() }

        // Alice shows that there were messages up to the ninth. Bob does not come.
        let second = try start(in: folder)
        alice.person.relay = second
        #expect(try await alice.page(of: room, from: 10).next == 2)
        wait(seconds: 240)
        #expect(try await alice.page(of: room, from: 10).next == 2, "it is waited for")
        wait(seconds: 61)
        #expect(try await alice.page(of: room, from: 10).next == 10)
        let new = try await alice.say("new", in: &group, room, epoch: 1)
        #expect(try new.value(SendReceipt.self).number == 10)
        #expect(try await alice.page(of: room, from: 1).lost == [LostNumbers(first: 2, last: 9)])
        await second.server.stop()
    }

    /// A room that is begun since has lost nothing: nobody is waited for there.
    @Test func begunSince() async throws {
        let folder = try TemporaryFolder()
        let first = try start(in: folder)
        var alice = try await GroupMember("alice", on: first)
        await first.server.stop()
        #expect(throws: Never.self) { try RelayRestore(dataFolder: folder.file("data")).perform() }

        let second = try start(in: folder)
        alice.person.relay = second
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let new = try await alice.say("new", in: &group, room, epoch: 0)
        #expect(try new.value(SendReceipt.self).number == 1)
        await second.server.stop()
    }
}
