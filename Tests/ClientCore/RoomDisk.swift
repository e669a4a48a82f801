import Foundation
import MildamClientCore
import MildamClientStore
import MildamCrypto
import MildamGroupStore
import MildamIdentity
import MildamMLS
import MildamSimulate
import MildamStorage
import TestSupport
import Testing

/// A person's rooms in a database, in a folder of its own.
final class RoomDisk {
    static let schema = Schema(applicationID: 0x4d69_6c54, migrations: [GroupStore.migration, RoomStore.migration])

    let folder: TemporaryFolder
    let rootKey: SymmetricKey
    let database: Database
    let store: RoomStore
    private let name: String

    init(
        _ name: String = "rooms.db",
        in folder: TemporaryFolder? = nil,
        rootKey: SymmetricKey = SymmetricKey(size: .bits256)
    ) throws {
        self.name = name
        self.folder = try folder ?? TemporaryFolder()
        self.rootKey = rootKey
        (database, store) = try RoomDisk.open(self.folder.file(name), rootKey)
    }

    /// The store in a file, which is made where it is missing.
    static func open(_ path: String, _ rootKey: SymmetricKey) throws -> (Database, RoomStore) {
        var options = Database.Options()
        options.checkpointsAtCommit = false
        let database = try Database(path: path, schema: schema, options: options)
        return (database, try RoomStore(database: database, rootKey: rootKey))
    }

    /// Another program's look at the same files.
    func reopened() throws -> RoomDisk { try RoomDisk(name, in: folder, rootKey: rootKey) }

    /// The files as they are now, as a program that is killed leaves them.
    func copied(as copy: String) throws -> RoomDisk {
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: folder.file(name + end)) {
            try FileManager.default.copyItem(atPath: folder.file(name + end), toPath: folder.file(copy + end))
        }
        return try RoomDisk(copy, in: folder, rootKey: rootKey)
    }

    /// What lies on the disk: the database, and its write-ahead log.
    func files() throws -> [Data] {
        try ["", "-wal"].compactMap { end in
            let path = folder.file(name + end)
            return FileManager.default.fileExists(atPath: path)
                ? try Data(contentsOf: URL(fileURLWithPath: path)) : nil
        }
    }

    /// A room as the disk has it, with its group.
    func room(_ id: RoomID) throws -> RoomCore? {
        guard let room = try store.stored().rooms.first(where: { $0.room == id }) else { return nil }
        return room.isAsleep ? room.awake(with: try store.group(of: id)) : room
    }

    /// That the disk has what a step left in memory.
    func expect(_ changes: [StoreChange], _ location: SourceLocation = #_sourceLocation) throws {
        for case .room(let room, _) in changes where !room.isAsleep {
            let found = try #require(try self.room(room.room), sourceLocation: location)
            #expect(found.storedState == room.storedState, sourceLocation: location)
            #expect(found.storedHistory(since: room).isEmpty, sourceLocation: location)
            #expect(found.history.hash == room.history.hash, sourceLocation: location)
            #expect(found.intents == room.intents, sourceLocation: location)
            #expect(found.unsaid == room.unsaid, sourceLocation: location)
            #expect(found.storedWelcome == room.storedWelcome, sourceLocation: location)
            #expect(found.storedOutline == room.storedOutline, sourceLocation: location)
            for (one, other) in [
                (found.group, room.group), (found.joiningGroup, room.joiningGroup),
                (found.renewingGroup, room.renewingGroup),
            ] {
                #expect(records(of: one) == records(of: other), sourceLocation: location)
            }
        }
        for case .keyPackages(let stock, _) in changes {
            let found = try store.stored().keyPackages
            #expect(packages(found) == packages(stock), sourceLocation: location)
        }
    }

    private func records(of group: Group?) -> [StateRecord.Name: SymmetricKey]? {
        group.map { group in
            Dictionary(group.changes().stored.map { ($0.name, $0.content) }) { $1 }
        }
    }

    private func packages(_ stock: KeyPackageStock) -> [[UInt8]] {
        (stock.held + stock.lastResort).map { held in
            unsafe held.bundle.keyPackage.wireBytes + held.bundle.privateKeys.withUnsafeBytes { unsafe [UInt8]($0) }
        }
    }
}

extension World {
    /// Has each of these people's steps stored on a disk too, and compared with what is there then.
    ///
    /// - Returns: the disks.
    mutating func mirror(_ people: [UInt8]) throws -> [UInt8: RoomDisk] {
        var disks: [UInt8: RoomDisk] = [:]
        for person in people {
            let disk = try RoomDisk()
            disks[person] = disk
            players[person]?.core.store.mirror = { changes in
                try disk.store.store(changes)
                try disk.expect(changes)
            }
            // What was stored before.
            guard let stored = try players[person]?.core.store.stored() else { continue }
            try disk.store.store(stored.changes)
        }
        return disks
    }
}

extension StoredClient {
    /// What stores all of it in an empty store.
    var changes: [StoreChange] {
        rooms.map { .room($0, replacing: nil) } + [StoreChange.keyPackages(keyPackages, replacing: nil)]
    }
}
