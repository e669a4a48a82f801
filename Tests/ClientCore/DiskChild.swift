import Foundation
import Glibc
import MildamClientCore
import MildamClientStore
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamSimulate
import MildamStorage
import TestSupport
import Testing

/// Work for a process that is to be killed or watched: this same test program, started once more with `MILDAM_CHILD`.
enum DiskChild {
    static let task = ProcessInfo.processInfo.environment["MILDAM_CHILD"]
    static let path = ProcessInfo.processInfo.environment["MILDAM_CHILD_PATH"] ?? ""
    static let rootKey = SymmetricKey(data: [UInt8](repeating: 9, count: 32))

    /// Starts the program for a task on a database.
    ///
    /// - Parameter through: a program that is given this one as its last arguments, with its own before them.
    static func start(
        _ task: String,
        path: String,
        through watcher: [String] = [],
        environment: [String: String] = [:]
    ) throws -> Program {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let all = watcher + [own, "--testing-library", "swift-testing", "--filter", "DiskChildTasks"]
        return try Program(
            all[0],
            Array(all.dropFirst()),
            environment: environment.merging(["MILDAM_CHILD": task, "MILDAM_CHILD_PATH": path]) { $1 }
        )
    }

    /// Says something at once: what was printed before a kill was printed.
    static func say(_ text: String) {
        _ = unsafe Array((text + "\n").utf8).withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
    }

    /// The name of what is said as number so and so.
    static func message(_ number: Int) -> MessageID { Cast.identifier([8, UInt8(number / 256), UInt8(number % 256)]) }

    /// What somebody wishes who says a text as number so and so.
    static func saying(_ number: Int, _ text: String) throws -> Happening {
        .wish(Cast.room, .say(try TextContent(text).part, inReplyTo: nil, blobs: []), id: message(number))
    }

    /// Two people in a room; what the first one's client stores is in the database too.
    static func world() throws -> (World, RoomStore) {
        let store = try RoomDisk.open(path, rootKey).1
        var world = World([1, 2])
        if let stored = try world.players[1]?.core.store.stored() { try store.store(stored.changes) }
        world.players[1]?.core.store.mirror = { try store.store($0) }
        try world.makeRoom(1, [2])
        // New keys of their own come before somebody's first message.
        try world.say(2, "first")
        world.settle()
        return (world, store)
    }
}

@Suite("DiskChildTasks", .enabled(if: DiskChild.task != nil, "what other tests have a second process do"))
struct DiskChildTasks {
    /// Talks until it is killed, and says what is staged and what has its echo.
    @Test(.enabled(if: DiskChild.task == "talk"))
    func talk() throws {
        let (begun, store) = try DiskChild.world()
        var world = begun
        DiskChild.say("ready")
        for number in 0..<60_000 {
            world.take(1, [try DiskChild.saying(number, "number \(number)")])
            DiskChild.say("staged \(number)")
            world.settle(for: 100)
            DiskChild.say("done \(number)")
            if number.isMultiple(of: 8) { try store.eraseRemains() }
        }
    }

    /// Does what is counted, and says where it begins and ends.
    @Test(.enabled(if: DiskChild.task == "count"))
    func count() throws {
        var world = try DiskChild.world().0
        DiskChild.say("begin send")
        world.take(1, [try DiskChild.saying(0, "once")])
        DiskChild.say("end send")
        world.settle()
        DiskChild.say("begin nothing")
        world.take(1, [.tick])
        DiskChild.say("end nothing")
        world.disconnect(1)
        for number in 1...500 { world.take(2, [try DiskChild.saying(number, String(repeating: "x", count: 1024))]) }
        world.settle()
        DiskChild.say("begin page")
        world.connect(1)
        world.settle()
        DiskChild.say("end page \(world.texts(1).count)")
    }
}
