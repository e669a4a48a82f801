import MildamClientCore
import MildamClientStore
import MildamCrypto
import MildamGroupStore
import MildamIdentity
import MildamMLS
import MildamStorage
import MildamWire
import RoomLoad

/// What a client takes to take in messages of 1 KiB, in pages of 500, beside what MLS alone takes of it.
enum RoomPages {
    private static let pages = 6
    private static let messages = 500
    private static let schema = Schema(
        applicationID: 0x4d69_6c42,
        migrations: [GroupStore.migration, RoomStore.migration]
    )

    static func figures(in folder: String) throws -> [Figure] {
        let relayID = RelayID.random()
        let (owner, guest) = (try RoomMember("owner", on: relayID), try RoomMember("guest", on: relayID))
        var relay = BareRelay([owner, guest])
        let room = RoomID.random()
        let store = try Self.store(at: folder + "/pages.db")
        var writer = try CoreClient(owner, store: NoStore(), &relay)
        var reader = try CoreClient(guest, store: store, &relay)
        try writer.make(room, &relay)
        try writer.invite(guest, to: room, &relay)
        try reader.accept(&relay)

        var (taking, unprotecting, written): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<pages {
            for _ in 0..<messages { try writer.say(in: room, &relay) }
            let number = reader.room(room)?.history.number ?? 0
            let page = relay.page(room, after: number)
            guard page.messages.count == messages else { throw BenchError("a page is not of \(messages) messages") }
            guard var group = reader.room(room)?.group else { throw BenchError("the room is asleep") }
            let before = ProcessCosts.processorTime
            for message in page.messages { _ = try group.process(try MLSMessage(wireBytes: message.body)) }
            let (between, bytes) = (ProcessCosts.processorTime, try ProcessCosts.writtenBytes())
            try reader.take([.live(page)])
            taking.append(Double(ProcessCosts.processorTime - between))
            try store.eraseRemains()
            written.append(Double(try ProcessCosts.writtenBytes() - bytes) / Double(messages))
            unprotecting.append(Double(between - before))
            guard reader.room(room)?.history.number == number + UInt64(messages) else {
                throw BenchError("a page was not taken in")
            }
            try reader.settle(&relay)
        }
        return [
            Figure(
                what: "client takes in 500 x 1 KiB",
                value: taking.median,
                unit: .milliseconds,
                peer: ("500 x MLS unprotect", unprotecting.median),
                goal: .ratio(atLeast: 1 / 2.5),
                note: "processor time, with the rows on the disk"
            ),
            Figure(
                what: "bytes written for 1 KiB received",
                value: written.median,
                unit: .bytes,
                goal: .value(atMost: 3 * 1024),
                note: "log, database, and what is cut out of the log"
            ),
        ]
    }

    /// A store in a database of its own.
    static func store(at path: String) throws -> RoomStore {
        try RoomStore(
            database: Database(path: path, schema: schema),
            rootKey: SymmetricKey(data: [UInt8](repeating: 3, count: 32))
        )
    }
}
