import MildamIdentity
import MildamRelayAPI
import MildamStorage
import TestSupport
import Testing

@testable import MildamRelay

/// What a relay remembers of its store has a bound, whatever it is asked for.
@Suite("What is known of the store")
struct FactsTests {
    private static let bound = 4096
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func transactor(_ store: TestedStore) throws -> Transactor {
        var quota = RelayQuota()
        quota.accountRooms = 2 * Self.bound
        return try store.transactor(at: folder.file("relay.db"), quota)
    }

    /// How many rooms are known at the beginning of a batch.
    private func roomsKnown(to transactor: Transactor) throws -> Int {
        let counting = Doing { facts, _ throws(Missing) in .success(facts.rooms.count) }
        return try transactor.alone(counting).get()
    }

    @Test("names that somebody made up are forgotten with their batch", arguments: TestedStore.allCases)
    func absent(_ store: TestedStore) throws {
        let transactor = try transactor(store)
        defer { transactor.lane.close() }
        let asking = Doing { facts, _ throws(Missing) in
            for _ in 0..<3 { _ = try facts.room(.random()) }
            return .success(facts.rooms.count)
        }
        try transactor.begin(at: 0)
        // Each look that nobody knows the answer of is a new one: only a store that is at hand answers it at once.
        if store == .sqlite { #expect(try transactor.perform(asking).get() == 3) }
        let made = RoomID.random()
        let once = Doing { facts, _ throws(Missing) in .success(try facts.room(made) == nil && facts.rooms.count > 0) }
        #expect(try transactor.perform(once).get())
        _ = try transactor.commit()
        #expect(try roomsKnown(to: transactor) == 0)
    }

    @Test("rooms are kept from batch to batch, and not without end")
    func rooms() throws {
        let transactor = try transactor(.sqlite)
        defer { transactor.lane.close() }
        let alice = try ScriptPerson("alice")
        _ = try transactor.alone(alice.register(at: 0)).get()
        for _ in 0..<3 { _ = try transactor.alone(ScriptGroup.create(.random(), by: alice.sender)).get() }
        #expect(try roomsKnown(to: transactor) == 3)
        try transactor.begin(at: 0)
        var most = 0
        for _ in 0..<Self.bound + 100 {
            _ = try transactor.perform(ScriptGroup.create(.random(), by: alice.sender)).get()
            let counting = Doing { facts, _ throws(Missing) in .success(facts.rooms.count) }
            most = max(most, try transactor.perform(counting).get())
        }
        _ = try transactor.commit()
        #expect(most == Self.bound)
        #expect(try roomsKnown(to: transactor) < Self.bound)
    }

    @Test("rooms are kept by how many members they have, too")
    func members() throws {
        let transactor = try transactor(.sqlite)
        defer { transactor.lane.close() }
        let members = Dictionary(uniqueKeysWithValues: (0..<1_000).map { _ in (AccountID.random(), UInt64(1)) })
        let counting = Doing { facts, _ throws(Missing) in .success(facts.rooms.weight) }
        try transactor.begin(at: 0)
        var most = 0
        for _ in 0..<400 {
            let learning = Doing<Void> { facts, _ throws(Missing) in
                let room = Room(id: .random(), creator: .random(), members: members)
                facts.rooms.learn(room, of: room.id)
                return .success(())
            }
            try transactor.perform(learning).get()
            most = max(most, try transactor.perform(counting).get())
        }
        transactor.abort()
        #expect(most > Facts.maximumMembers - 1_000 && most <= Facts.maximumMembers)
    }

    @Test("what is known weighs what its values weigh, also once an operation is undone")
    func weight() {
        var known = Known<Int, [Int]>(weighing: { $0.count })
        known.learn([1, 2], of: 1)
        known.learn(nil, of: 2)
        known.set([1, 2, 3], of: 2)
        known.change(1) { $0.append(3) }
        var weights = [known.weight]
        known.settle(.undone)
        weights.append(known.weight)
        known.set(nil, of: 1)
        known.settle(.accepted)
        weights.append(known.weight)
        known.learn([1], of: 3)
        known.unlearn()
        weights.append(known.weight)
        known.settle(.undone)
        weights.append(known.weight)
        known.settle(.forgotten)
        weights.append(known.weight)
        #expect(weights == [6, 2, 0, 0, 1, 0])
    }

    @Test("what is acknowledged is one row for each, and no room is read for it")
    func acknowledged() throws {
        let (alice, room) = (try ScriptPerson("alice"), RoomID.random())
        let first = try transactor(.sqlite)
        _ = try first.alone(alice.register(at: 0)).get()
        _ = try first.alone(ScriptGroup.create(room, by: alice.sender)).get()
        _ = try first.alone(ScriptGroup.say([1], in: room, by: alice.sender)).get()
        first.lane.close()
        let again = try transactor(.sqlite)
        let name = CursorName(room: room, address: alice.address)
        try again.alone(NoteCursors(cursors: [name: 1])).get()
        #expect(try roomsKnown(to: again) == 0)
        again.lane.close()
        #expect(try TestedStore.sqlite.dump(at: folder.file("relay.db")).rows.count { $0.kind == "cursor" } == 1)
    }

    @Test("what accounts have caused is kept from batch to batch, and not without end")
    func usages() throws {
        let transactor = try transactor(.sqlite)
        defer { transactor.lane.close() }
        let alice = try ScriptPerson("alice")
        _ = try transactor.alone(alice.register(at: 0)).get()
        let room = RoomID.random()
        _ = try transactor.alone(ScriptGroup.create(room, by: alice.sender)).get()
        let counting = Doing { facts, _ throws(Missing) in .success(facts.usages.count) }
        #expect(try transactor.alone(counting).get() == 1)
        let asking = Doing<Void> { facts, _ throws(Missing) in
            for _ in 0..<100 { _ = try facts.usage(of: .random()) }
            return .success(())
        }
        try transactor.alone(asking).get()
        #expect(try transactor.alone(counting).get() == 1, "who has caused nothing is forgotten")
        try transactor.begin(at: 0)
        var most = 0
        for _ in 0..<Self.bound / 100 + 2 {
            try transactor.perform(asking).get()
            most = max(most, try transactor.perform(counting).get())
        }
        _ = try transactor.commit()
        #expect(most > Self.bound - 100 && most <= Self.bound)
    }

    @Test("a log that is full is not read for one more line of it", arguments: TestedStore.allCases)
    func audit(_ store: TestedStore) throws {
        let transactor = try transactor(store)
        defer { transactor.lane.close() }
        let alice = try ScriptPerson("alice")
        _ = try transactor.alone(alice.register(at: 0)).get()
        var firstTrimmed: Int64?
        for day in 0..<Int64(AuditRules.lines) {
            let noting = Doing { facts, now throws(Missing) in
                for kind in [AuditEntry.Kind.codeFailed, .loginFailed, .loggedIn] {
                    try AuditRules.note(kind, of: alice.account, &facts, at: now)
                }
                return .success(())
            }
            try transactor.alone(noting, at: day * 86_400_000).get()
            if transactor.lane.hasDeleted, firstTrimmed == nil { firstTrimmed = day }
        }
        // What goes has to leave the store's log as well, and only what goes: two lines of failures come each day.
        #expect(firstTrimmed == Int64(AuditRules.failures / 2))
        let asking = Doing { facts, _ throws(Missing) in
            .success(try facts.audit(of: alice.account).map(\.kind))
        }
        let kinds: [AuditEntry.Kind] = [.codeFailed, .loginFailed, .loggedIn]
        #expect(try transactor.alone(asking).get() == kinds.map(\.rawValue))
    }

    @Test("what one batch knows of accounts is bounded")
    func rows() throws {
        let transactor = try transactor(.sqlite)
        defer { transactor.lane.close() }
        try transactor.begin(at: 0)
        var most = 0
        for _ in 0..<Self.bound + 100 {
            let asking = Doing { facts, _ throws(Missing) in
                _ = try facts.account(.random())
                return .success(facts.accounts.count)
            }
            most = max(most, try transactor.perform(asking).get())
        }
        _ = try transactor.commit()
        // The one over the bound is known until its operation ends.
        #expect(most == Self.bound + 1)
    }
}
