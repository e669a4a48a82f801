import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("A store that was put back: the mark beside it", .enabled(if: StoreUnderTest.isSQLite("marks are of a file")))
struct StoreMarkTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("relay.db") }
    private var mark: MarkFile { MarkFile(path: folder.file("mark")) }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func start(at now: Int64 = 1_000) throws -> StoreIdentity {
        try SQLiteStore(path: path, synchronous: .off, mark: mark).identify(at: now)
    }

    @Test("each start raises it, and it is the same store")
    func starts() throws {
        let first = try start()
        #expect(first.restored == 0)
        for number in 2...4 as ClosedRange<UInt64> {
            #expect(try start() == first)
            #expect(mark.read() == StoreMark(incarnation: first.incarnation, number: number))
        }
    }

    @Test("an older copy in its place is another store, once, and the day begins with it")
    func older() throws {
        let first = try start()
        let copy = try WholeFile.read(path, limit: 1 << 24)
        _ = try start()
        try removeLog()
        try WholeFile.write(copy.span, to: path)
        let second = try start(at: 5_000)
        #expect(second.incarnation != first.incarnation && second.restored == 5_000)
        #expect(try start(at: 9_000) == second)
    }

    @Test("a copy in a folder of its own, without a mark, is another store; one from before there were marks is not")
    func elsewhere() throws {
        let first = try start()
        try FileManager.default.removeItem(atPath: mark.path)
        let second = try start(at: 5_000)
        #expect(second.incarnation != first.incarnation && second.restored == 5_000)
        // What was never started has no mark.
        let other = SQLiteStore(path: folder.file("other.db"), mark: MarkFile(path: folder.file("other")))
        #expect(try other.identify(at: 7_000).restored == 0)
    }

    @Test("who says that it was put back is believed")
    func told() throws {
        let first = try start()
        let store = SQLiteStore(path: path, synchronous: .off, mark: mark)
        let second = try store.identify(at: 5_000, isPutBack: true)
        #expect(second.incarnation != first.incarnation && second.restored == 5_000)
        #expect(try start(at: 9_000) == second)
    }

    /// What a device of the store has published, what its account has caused, and how many pieces its network has.
    private func look(at person: ScriptPerson, _ network: NetworkID) throws -> ([KeyPackageEntry], Int, Int) {
        let transactor = try TestedStore.sqlite.transactor(at: path, RelayQuota())
        defer { transactor.lane.close() }
        let asking = Doing<([KeyPackageEntry], Int, Int)> { facts, _ throws(Missing) in
            let stock = try facts.stock(of: person.address)
            let bytes = try facts.usage(of: person.account).disk.bytes
            return .success((stock, bytes, try facts.pieces(of: network)))
        }
        return try transactor.alone(asking).get()
    }

    @Test("another store has no key packages that are claimed once, and whom they counted for has room again (H41)")
    func keyPackages() throws {
        _ = try start()
        let (alice, network) = (try ScriptPerson("alice"), NetworkID(bytes: [1]))
        let sizes: [(number: UInt8, bytes: Int)] = [(1, DiskUsage.piece), (2, 100), (3, 200)]
        let published = sizes.map { number, bytes in
            CheckedKeyPackage(
                entry: KeyPackageEntry(
                    reference: [number],
                    isLastResort: number == 3,
                    notAfter: 4_000_000_000,
                    bytes: bytes
                ),
                signatureKey: [UInt8](alice.key.rawRepresentation),
                bytes: [UInt8](repeating: number, count: bytes)
            )
        }
        let transactor = try TestedStore.sqlite.transactor(at: path, RelayQuota())
        try transactor.alone(alice.register(at: 1, from: network)).get()
        let put = PutKeyPackages(address: alice.address, replaces: false, keyPackages: published)
        #expect(try transactor.alone(put).get().left == 2)
        transactor.lane.close()

        _ = try start()
        let (all, full, pieces) = try look(at: alice, network)
        #expect(all.count == 3 && pieces == 2, "the same store has them")
        let store = SQLiteStore(path: path, synchronous: .off, mark: mark)
        _ = try store.identify(at: 5_000, isPutBack: true)
        let (left, bytes, freed) = try look(at: alice, network)
        #expect(left == [published[2].entry])
        #expect(bytes == full - DiskUsage.piece - 100 - 2 * DiskUsage.row)
        #expect(freed == 1)
    }

    @Test("a mark that cannot be read counts as none")
    func damaged() throws {
        let first = try start()
        try WholeFile.write([UInt8](repeating: 7, count: 9).span, to: mark.path)
        #expect(try start(at: 5_000).incarnation != first.incarnation)
    }

    @Test("while it runs, it is raised once in a minute, and at the end")
    func running() throws {
        let identity = try start()
        let database = try Database(path: path, schema: RelaySchema.current)
        let now = Lock<UInt64>(0)
        let writer = MarkWriter(mark, of: try database.storeRow(), log: .none) { now.withLock { $0 } }
        var written: [UInt64?] = []
        for seconds in [1, 59, 60, 61, 119, 120] as [UInt64] {
            now.withLock { $0 = seconds * 1_000_000_000 }
            try writer.prepare(database)
            writer.publish()
            written.append(mark.read()?.number)
        }
        #expect(written == [1, 1, 2, 2, 2, 3])
        writer.finish(database)
        #expect(mark.read()?.number == 3, "nothing came since")
        try writer.prepare(database)
        writer.finish(database)
        #expect(mark.read() == StoreMark(incarnation: identity.incarnation, number: 4))
        #expect(try database.storeRow().mark == 4)
    }

    @Test("the structure: round trip, cut at each byte, one bit flipped")
    func structure() throws {
        let sample = StoreMark(incarnation: .random(), number: 77)
        let bytes = sample.wireBytes
        #expect(bytes.count == StoreMark.size)
        #expect(try StoreMark(wireBytes: bytes) == sample)
        for count in bytes.indices {
            #expect(throws: WireError.self) { try StoreMark(wireBytes: Array(bytes.prefix(count))) }
        }
        for bit in 0..<8 * bytes.count {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            if let read = try? StoreMark(wireBytes: other) { #expect(read.wireBytes == other, "bit \(bit)") }
        }
    }

    /// What belongs to the database that is replaced.
    private func removeLog() throws {
        for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
    }
}
