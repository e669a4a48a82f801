import Foundation
import Glibc
import MildamClientStore
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamProfile
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("decisions/0004-nothing-readable-at-rest.md: a profile's database")
struct ClientStoreTests {
    private let folder: TemporaryFolder
    private let profile: OpenProfile
    private let room = RoomID.random()

    init() throws {
        folder = try TemporaryFolder()
        profile = OpenProfile(folder: folder.file("profile"))
    }

    private var path: String { profile.place.messages }

    /// What a client of the first rooms had of this one.
    private func ledger(through number: UInt64) -> StoredLedger {
        var ledger = StoredLedger(room, called: "room", of: [])
        ledger.seen = RoomContent.Seen(HistoryPoint(number: number, hash: [UInt8](repeating: 1, count: 32)))
        return ledger
    }

    private func entry(_ number: UInt64, _ text: String) throws -> StoredEntry {
        StoredEntry(number, from: .random(), try Handle("bob"), .accepted(event: .text(body: text)))
    }

    private func item(_ text: String) -> StoredUnsent { StoredUnsent(.text(body: text), for: room) }

    private func pin(_ handle: String, _ listNumber: UInt64 = 3) throws -> AccountPin {
        AccountPin(
            handle: try Handle(handle),
            account: .random(),
            identityKey: Curve25519.Signing.PrivateKey().publicKey,
            listNumber: listNumber,
            listDigest: [UInt8](repeating: 4, count: 32)
        )
    }

    /// The folder's bytes: database, log, and whatever else lies there, but not the root key.
    private func disk() throws -> Data {
        try FileManager.default.contentsOfDirectory(atPath: profile.place.folder).filter { $0 != "root.key" }
            .reduce(into: Data()) { $0 += try Data(contentsOf: URL(fileURLWithPath: profile.place.folder + "/" + $1)) }
    }

    @Test func everythingComesBack() async throws {
        let pin = try pin("bob")
        let key = SymmetricKey(size: .bits256)
        do {
            let store = try await ClientStore.open(in: profile)
            try store.put(PinRecord(pin), as: .pin, Array("bob".utf8))
            try store.put(key, as: .link, [1])
            try store.put(7, as: .mailbox, [])
            try store.put(ledger(through: 3))
            for number in 1...3 as ClosedRange<UInt64> { try store.put(try entry(number, "n\(number)"), in: room) }
            try store.append(item("one"))
            try store.append(item("two"))
        }
        let store = try await ClientStore.open(in: profile)
        #expect(try store.record(.pin, Array("bob".utf8))?.pin() == pin)
        #expect(try store.record(.pin, Array("carol".utf8)) == nil)
        #expect(try store.key(.link, [1]) == key)
        #expect(try store.key(.signingKey, [1]) == nil)
        #expect(try store.record(.mailbox, []) == 7)
        let older = try #require(try store.olderRooms.all().first)
        let rows = try store.olderRooms.rows(of: older, in: 2...3)
        #expect(rows.map(\.number) == [2, 3] && rows.allSatisfy { $0.entry != nil })
        #expect(older.newest?.number == 3)
        #expect(older.unsent.map(\.event) == [.text(body: "one"), .text(body: "two")])
        try store.remove(.mailbox, [])
        #expect(try store.record(.mailbox, []) == nil)
    }

    @Test func aTransactionIsAllOrNothing() async throws {
        let store = try await ClientStore.open(in: profile)
        try store.put(ledger(through: 0))
        try store.put(1, as: .mailbox, [])
        #expect(throws: MessengerError.self) {
            try store.transaction { () throws(MessengerError) in
                try store.put(2, as: .mailbox, [])
                try store.append(item("lost"))
                throw .cryptography
            }
        }
        #expect(try store.record(.mailbox, []) == 1)
        #expect(try store.olderRooms.all().first?.unsent.isEmpty == true)
    }

    /// The first transaction of a log is synced twice, its header by itself: the next one finds it begun.
    @Test func whatIsDeletedLeavesALogThatIsBegun() async throws {
        let store = try await ClientStore.open(in: profile)
        let key = SymmetricKey(size: .bits256)
        func log() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) }
        try store.put(key, as: .link, [1])
        try store.removeKey(.link, [1])
        let before = try log().count
        try store.forgetDeleted()
        let begun = try log()
        #expect(begun.count == 32 + 24 + 4096 && begun.count < before, "the header, and one page")
        try store.put(7, as: .mailbox, [])
        let next = try log()
        #expect(next.count > begun.count && next.prefix(begun.count) == begun, "it goes on")
    }

    @Test func nothingReadableLiesOnTheDisk() async throws {
        let text = "a line that nobody else reads, 밀담"
        let key = SymmetricKey(size: .bits256)
        let planted = "planted, to show that the search finds"
        do {
            let store = try await ClientStore.open(in: profile)
            try store.put(try entry(1, text), in: room)
            try store.append(item(text))
            try store.put(PinRecord(try pin("bob.of.the.disk")), as: .pin, Array("bob.of.the.disk".utf8))
            try store.put(key, as: .link, Array("name of a key".utf8))
            #expect(try disk().range(of: Data(text.utf8)) == nil, "while it is open, in the log too")
        }
        do {
            let database = try Database(path: path, schema: ClientStore.schema)
            try database.execute(
                "INSERT INTO outbox (place, value) VALUES (?, ?)",
                Int64(99),
                Array(planted.utf8)
            )
        }
        let disk = try disk()
        let root = try Data(contentsOf: URL(fileURLWithPath: profile.place.folder + "/root.key"))
        let secret = unsafe key.withUnsafeBytes { unsafe Data($0) }
        let secrets = [
            Data(text.utf8), Data("밀담".utf8), Data("bob.of.the.disk".utf8), Data(room.bytes),
            Data(room.description.utf8), secret, Data(secret.base64EncodedString().utf8), root,
            Data("name of a key".utf8),
        ]
        for (index, secret) in secrets.enumerated() {
            #expect(disk.range(of: secret) == nil, "secret \(index)")
            #expect(disk.range(of: secret.prefix(16)) == nil, "the start of secret \(index)")
        }
        #expect(disk.range(of: Data(planted.utf8)) != nil)
    }

    @Test func filesAreThePersonsOwn() async throws {
        _ = try await ClientStore.open(in: profile)
        func mode(_ path: String) throws -> Int {
            try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        }
        #expect(try mode(profile.place.folder) == 0o700)
        for name in ["root.key", "messenger.db", "lock"] {
            #expect(try mode(profile.place.folder + "/" + name) == 0o600)
        }
    }

    @Test func rowsThatWereSwappedAreRefused() async throws {
        do {
            let store = try await ClientStore.open(in: profile)
            try store.put(ledger(through: 12))
            for number in 1...2 as ClosedRange<UInt64> { try store.put(try entry(number, "n\(number)"), in: room) }
            try store.put(PinRecord(try pin("bob")), as: .pin, Array("bob".utf8))
            try store.put(PinRecord(try pin("eve")), as: .pin, Array("eve".utf8))
            try store.append(item("one"))
        }
        do {
            let database = try Database(path: path, schema: ClientStore.schema)
            try database.execute("UPDATE entries SET number = number + 10")
            try database.execute("UPDATE outbox SET place = place + 1")
            // Each pin gets the other's value: bob's key would be believed to be eve's.
            try database.execute(
                """
                UPDATE records SET value =
                    (SELECT value FROM records AS other WHERE other.kind = 'pin' AND other.name <> records.name)
                WHERE kind = 'pin' AND name = (SELECT min(name) FROM records WHERE kind = 'pin')
                """
            )
        }
        let store = try await ClientStore.open(in: profile)
        let older = try #require(try store.olderRooms.all().first)
        #expect(try store.olderRooms.rows(of: older, in: 1...12).allSatisfy { $0.entry == nil })
        #expect(older.unsent.isEmpty)
        // Both messages, what waited, and a pin.
        #expect(try store.examine().damaged == 4)
        expectDamaged { _ = try store.records(.pin) as [PinRecord] }
    }

    /// Between two parts of an examination whoever waits for the profile has it.
    @Test func anExaminationLetsOthersIn() async throws {
        _ = try await ClientStore.open(in: profile)
        let messenger = Messenger(profile: profile)
        let ends = Lock<[String]>([])
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let first = Task { try await messenger.hold(until: gate) }
        try await until { await messenger.isBusy }
        let examination = Task {
            var findings = Findings()
            await messenger.examineDatabase(&findings)
            ends.withLock { $0.append("examined") }
            return findings.all.map(\.verdict)
        }
        try await until { await messenger.waiting.count == 1 }
        let other = Task {
            try await messenger.hold()
            ends.withLock { $0.append("other") }
        }
        try await until { await messenger.waiting.count == 2 }
        opening.finish()
        try await first.value
        try await other.value
        #expect(await examination.value == [.ok])
        #expect(ends.withLock { $0 } == ["other", "examined"])
    }

    private func expectDamaged<Value>(
        _ work: () throws -> Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(sourceLocation: sourceLocation) {
            _ = try work()
        } throws: {
            if case .storage(.damaged) = $0 as? MessengerError { true } else { false }
        }
    }

    @Test func anotherRootKeyOpensNothing() async throws {
        do {
            let store = try await ClientStore.open(in: profile)
            try store.put(7, as: .mailbox, [])
        }
        let key = URL(fileURLWithPath: profile.place.folder + "/root.key")
        let original = try Data(contentsOf: key)
        for other: Data? in [Data(repeating: 9, count: 32), nil] {
            if let other { try other.write(to: key) } else { try FileManager.default.removeItem(at: key) }
            await #expect {
                _ = try await ClientStore.open(in: profile)
            } throws: {
                switch $0 as? MessengerError {
                case .stateDamaged, .storage(.damaged): true
                default: false
                }
            }
        }
        try original.write(to: key)
        #expect(try await ClientStore.open(in: profile).record(.mailbox, []) == 7)
    }

    @Test func aNewerVersionsDatabaseIsLeftAlone() async throws {
        _ = try await ClientStore.open(in: profile)
        let newer = Schema(
            applicationID: ClientStore.schema.applicationID,
            migrations: ClientStore.schema.migrations + ["CREATE TABLE later (value BLOB) STRICT;"]
        )
        _ = try Database(path: path, schema: newer)
        await #expect {
            _ = try await ClientStore.open(in: profile)
        } throws: {
            if case .storage(.newerVersion(_, found: 5, known: 4)) = $0 as? MessengerError { true } else { false }
        }
    }

    @Test func anotherProgramsDatabaseIsLeftAlone() async throws {
        try Folder.create(profile.place.folder)
        _ = try Database(
            path: path,
            schema: Schema(applicationID: 1, migrations: ["CREATE TABLE a (b BLOB) STRICT;"])
        )
        await #expect {
            _ = try await ClientStore.open(in: profile)
        } throws: {
            if case .storage(.notOurs) = $0 as? MessengerError { true } else { false }
        }
    }

    @Test func pinsAreWhatTheyWere() throws {
        for pin in [try pin("bob"), try pin("bob", .max), try pin("bob", 0)] {
            let json = try JSONEncoder().encode(PinRecord(pin))
            #expect(try JSONDecoder().decode(PinRecord.self, from: json).pin() == pin)
        }
        var object = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(PinRecord(try pin("bob")))) as? [String: Any]
        )
        object["identityKey"] = [1, 2, 3]
        let short = try JSONSerialization.data(withJSONObject: object)
        #expect(throws: MessengerError.self) { try JSONDecoder().decode(PinRecord.self, from: short).pin() }
    }
}

extension Messenger {
    /// Has the profile until a stream ends, or for a moment.
    fileprivate func hold(until gate: AsyncStream<Void>? = nil) async throws(MessengerError) {
        try await alone { (_, _) throws(MessengerError) in
            guard let gate else { return }
            for await _ in gate {}
        }
    }
}
