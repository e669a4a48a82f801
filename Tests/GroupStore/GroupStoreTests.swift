import MildamCrypto
import MildamMLS
import MildamStorage
import TestSupport
import Testing

@testable import MildamGroupStore

@Suite("Groups in a database")
struct GroupStoreTests {
    private let text = Array("good morning".utf8)

    @Test(
        "What was saved is what is loaded, in every suite",
        arguments: [
            CipherSuite.x25519AES128, .p256AES128, .x25519ChaChaPoly, .x448AES256, .p521AES256, .x448ChaChaPoly,
            .p384AES256,
        ]
    )
    func savedAndLoaded(_ suite: CipherSuite) throws {
        let household = try Household()
        var groups = try Household.group(["alice", "bob", "carol"], suite)
        let id = groups[0].publicGroup.context.groupID
        try household.database.transaction { () throws(StorageError) in
            try household.store.save(groups[0], replacing: nil)
        }
        // Everything that a group keeps: late messages, a proposal of one's own and one of another's, a commit that waits.
        let late = try groups[1].protect(text)
        let commit = try groups[1].commit()
        for place in groups.indices where place != 1 { _ = try groups[place].process(commit.commit) }
        try groups[1].mergeStagedCommit()
        var alice = try #require(try household.store.load(id, environment: Household.environment))
        _ = try household.store.change(&alice) { (group) throws(MLSError) in try group.process(commit.commit) }
        let proposal = try groups[2].proposeUpdate()
        _ = try household.store.change(&alice) { (group) throws(MLSError) in try group.process(proposal.message) }
        let own = try household.store.change(&alice) { (group) throws(MLSError) in try group.proposeUpdate() }
        for place in 1...2 { _ = try groups[place].process(own.message) }
        _ = try groups[1].process(proposal.message)
        let sent = try household.store.change(&alice) { (group) throws(MLSError) in try group.commit() }

        let again = try Household(household.rootKey, household.folder)
        alice = try #require(try again.store.load(id, environment: Household.environment))
        #expect(try again.store.groupIDs() == [id])
        let read = try again.store.change(&alice) { (group) throws(MLSError) in try group.process(late) }
        guard case .application(let message) = read else {
            Issue.record("a late message is \(read)")
            return
        }
        #expect(message.data == text)
        #expect(throws: GroupStoreError.refused(.keyConsumed)) {
            try again.store.change(&alice) { (group) throws(MLSError) in try group.process(late) }
        }
        guard case .ownMessage = try alice.process(own.message) else {
            Issue.record("one's own proposal is not known")
            return
        }
        _ = try again.store.change(&alice) { (group) throws(MLSError) in try group.process(sent.commit) }
        for place in 1...2 {
            _ = try groups[place].process(sent.commit)
            #expect(groups[place].epochAuthenticator == alice.epochAuthenticator)
        }
    }

    @Test("Another key to sign with is stored when the commit that brings it counts")
    func anotherSigner() throws {
        let household = try Household()
        var groups = try Household.group(["alice", "bob"])
        let id = groups[0].publicGroup.context.groupID
        var alice = groups[0]
        try household.database.transaction { () throws(StorageError) in
            try household.store.save(alice, replacing: nil)
        }
        func stored() throws -> Group { try #require(try household.store.load(id, environment: Household.environment)) }
        let new = try SignatureKeyPair(.x25519ChaChaPoly)
        var options = CommitOptions()
        options.leafChange.signer = new
        let sent = try household.store.change(&alice) { (group) throws(MLSError) in try group.commit(options) }
        let before = try stored()
        #expect(before.publicGroup[before.ownLeaf]?.signatureKey != new.publicKey)
        _ = try household.store.change(&alice) { (group) throws(MLSError) in try group.process(sent.commit) }
        var after = try stored()
        #expect(after.publicGroup[after.ownLeaf]?.signatureKey == new.publicKey)
        _ = try groups[1].process(sent.commit)
        guard case .application(let heard) = try groups[1].process(after.protect(text)) else {
            Issue.record("nothing was said")
            return
        }
        #expect(heard.data == text)
    }

    @Test("A message changes one record, and the first one of a sender a path of them")
    func changesAreSmall() throws {
        var groups = try Household.group((0..<33).map { "member \($0)" })
        for number in 0..<3 {
            let message = try groups[32].protect(text)
            let before = groups[0]
            _ = try groups[0].process(message)
            let changes = groups[0].changes(since: before)
            // Of 64 leaves: 7 secrets go that were not made into others, at most 6 come; two ratchets.
            #expect(number == 0 ? changes.stored.count + changes.removed.count <= 15 : changes.stored.count == 1)
            #expect(number == 0 || changes.removed.isEmpty)
            #expect(changes.stored.allSatisfy { $0.content.bitCount / 8 < 300 })
            #expect(changes.ended.isEmpty)
        }
        #expect(groups[0].changes(since: groups[0]).isEmpty)
        let before = groups[0]
        _ = try groups[0].process(groups[1].commit().commit)
        let commit = groups[0].changes(since: before)
        #expect(commit.stored.count < 30)
        #expect(commit.removed.count < 30)
    }

    @Test("What is refused, or cannot be stored, changes neither the group nor the store")
    func nothingChanges() throws {
        let household = try Household()
        var groups = try Household.group(["alice", "bob"])
        let id = groups[0].publicGroup.context.groupID
        var alice = groups[0]
        try household.database.transaction { () throws(StorageError) in
            try household.store.save(alice, replacing: nil)
        }
        let message = try groups[1].protect(text)
        _ = try household.database.first("PRAGMA busy_timeout = 10") { row throws(StorageError) in try row.int(0) }
        let other = try Household(household.rootKey, household.folder)
        _ = try other.database.transaction { () throws(StorageError) in
            #expect(throws: GroupStoreError.notStored(.busy(path: household.database.path))) {
                try household.store.change(&alice) { (group) throws(MLSError) in try group.process(message) }
            }
        }
        // Still to be read, here and after a restart.
        for var group in [alice, try #require(try household.store.load(id, environment: Household.environment))] {
            guard case .application = try group.process(message) else {
                Issue.record("the message is gone")
                return
            }
        }
        #expect(throws: StorageError.self) {
            try household.database.transaction { () throws(StorageError) in
                try household.store.save(alice, replacing: nil)
            }
        }
    }

    @Test("What is not there as it is said to be is not changed")
    func notAsSaid() throws {
        let household = try Household()
        var groups = try Household.group(["alice", "bob"])
        var alice = groups[0]
        let store = household.store
        // Never saved: the transaction was undone.
        _ = try household.database.transactionUnlessRefused { () throws(StorageError) -> Result<Void, MLSError> in
            try store.save(alice, replacing: nil)
            return .failure(.inactive)
        }
        #expect(throws: GroupStoreError.self) {
            try store.change(&alice) { (group) throws(MLSError) in try group.protect([1]) }
        }
        #expect(try store.groupIDs().isEmpty)
        // An epoch further than what is stored.
        try household.database.transaction { () throws(StorageError) in try store.save(alice, replacing: nil) }
        let sent = try groups[1].commit()
        var ahead = alice
        _ = try ahead.process(sent.commit)
        #expect(throws: GroupStoreError.self) {
            try store.change(&ahead) { (group) throws(MLSError) in try group.protect([1]) }
        }
        // Deleted meanwhile.
        try store.delete(alice.publicGroup.context.groupID)
        #expect(throws: GroupStoreError.self) {
            try store.change(&alice) { (group) throws(MLSError) in try group.process(sent.commit) }
        }
        let left = try household.database.first("SELECT count(*) FROM mls_records") { row throws(StorageError) in
            try row.int(0)
        }
        #expect(left == 0)
    }

    @Test("Whoever reads does not hold up changes; the log is cut when they are done")
    func reader() throws {
        let household = try Household()
        var groups = try Household.group(["alice", "bob"])
        var alice = groups[0]
        let store = household.store
        try household.database.transaction { () throws(StorageError) in try store.save(alice, replacing: nil) }
        try store.eraseRemains()
        let message = try groups[1].protect(text)
        let other = try Household(household.rootKey, household.folder)
        try other.database.snapshot { () throws(StorageError) in
            _ = try other.store.groupIDs()
            do {
                _ = try store.change(&alice) { (group) throws(MLSError) in try group.process(message) }
            } catch {
                Issue.record("\(error)")
            }
            #expect(store.hasRemains)
            #expect(throws: StorageError.busy(path: household.database.path)) { try store.eraseRemains(patience: 0) }
        }
        try store.eraseRemains()
        #expect(!store.hasRemains)
    }

    @Test("Who comes back from outside writes over what was stored")
    func joinedAnew() throws {
        let household = try Household()
        let groups = try Household.group(["alice", "bob"])
        let alice = groups[0]
        try household.database.transaction { () throws(StorageError) in
            try household.store.save(alice, replacing: nil)
        }
        let join = try ExternalJoin(
            groups[1].groupInfo(),
            with: Household.bundle("alice"),
            replacing: alice.ownLeaf,
            environment: Household.environment
        )
        try household.database.transaction { () throws(StorageError) in
            try household.store.save(join.group, replacing: alice)
        }
        let loaded = try household.store.load(alice.publicGroup.context.groupID, environment: Household.environment)
        #expect(loaded?.epochAuthenticator == join.group.epochAuthenticator)
    }

    @Test("A group that is deleted is gone, and the others stay")
    func deletion() throws {
        let household = try Household()
        let first = try Household.group(["alice", "bob"])[0]
        let second = try Group(
            creating: GroupID([2]),
            with: Household.bundle("alice"),
            environment: Household.environment
        )
        try household.database.transaction { () throws(StorageError) in
            try household.store.save(first, replacing: nil)
            try household.store.save(second, replacing: nil)
        }
        #expect(try household.store.groupIDs().count == 2)
        try household.store.delete(first.publicGroup.context.groupID)
        try household.store.eraseRemains()
        #expect(try household.store.groupIDs() == [GroupID([2])])
        #expect(
            try household.store.load(first.publicGroup.context.groupID, environment: Household.environment) == nil
        )
        #expect(try household.store.load(GroupID([2]), environment: Household.environment) != nil)
    }

    @Test("A record that is changed or moved, and a missing one of the tree, is no group")
    func damage() throws {
        let household = try Household()
        var groups = try Household.group(["alice", "bob", "carol"])
        var alice = groups[0]
        let id = alice.publicGroup.context.groupID
        let database = household.database
        try database.transaction { () throws(StorageError) in try household.store.save(alice, replacing: nil) }
        let message = try groups[1].protect(text)
        _ = try household.store.change(&alice) { (group) throws(MLSError) in try group.process(message) }
        let rows = try database.rows("SELECT key, name, value FROM mls_records") { row throws(StorageError) in
            (key: try row.int64(0), name: try row.bytes(1), value: try row.bytes(2))
        }
        func expectDamage(_ what: String, _ change: () throws(StorageError) -> Void) throws {
            // Undone at the end.
            _ = try database.transactionUnlessRefused { () throws(StorageError) -> Result<Void, MLSError> in
                try change()
                #expect(throws: StorageError.self, "\(what)") {
                    try household.store.load(id, environment: Household.environment)
                }
                return .failure(.damagedState)
            }
        }
        let groupKey = try #require(try household.store.keyRow(id, .group)).number
        for (place, row) in rows.enumerated() {
            for bit in [0, 8 * row.value.count / 2, 8 * row.value.count - 1] {
                var changed = row.value
                changed[bit / 8] ^= 1 << (bit % 8)
                try expectDamage("row \(place), bit \(bit)") { () throws(StorageError) in
                    try database.execute(
                        "UPDATE mls_records SET value = ? WHERE key = ? AND name = ?",
                        changed,
                        row.key,
                        row.name
                    )
                }
            }
            let other = rows[(place + 1) % rows.count]
            try expectDamage("row \(place), another one's value") { () throws(StorageError) in
                try database.execute(
                    "UPDATE mls_records SET value = ? WHERE key = ? AND name = ?",
                    other.value,
                    row.key,
                    row.name
                )
            }
            guard row.key == groupKey else { continue }
            try expectDamage("row \(place), deleted") { () throws(StorageError) in
                try database.execute("DELETE FROM mls_records WHERE key = ? AND name = ?", row.key, row.name)
            }
        }
        try expectDamage("no keys of the epoch") { () throws(StorageError) in
            try database.execute("DELETE FROM mls_keys WHERE number <> ?", groupKey)
        }
        #expect(try household.store.load(id, environment: Household.environment) != nil)
        // Under another root key nothing opens, and nothing is found by its name.
        let stranger = GroupStore(database: database, rootKey: SymmetricKey(size: .bits256))
        #expect(try stranger.load(id, environment: Household.environment) == nil)
        #expect(throws: StorageError.self) { try stranger.groupIDs() }
    }
}
