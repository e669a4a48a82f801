import Foundation
import Glibc
import MildamStorage
import TestSupport
import Testing

/// Work for a process that is to be killed or starved: this same test program, started once more with `MILDAM_CHILD`.
enum ChildProcess {
    static let task = ProcessInfo.processInfo.environment["MILDAM_CHILD"]

    /// Starts the program for a task, through a shell that first runs `limits`.
    static func start(
        _ task: String,
        path: String,
        limits: String = ":",
        environment: [String: String] = [:]
    ) throws -> Program {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let arguments = ["--testing-library", "swift-testing", "--filter", "ChildTasks"]
        return try Program(
            "/bin/sh",
            ["-c", limits + "; exec \"$0\" \"$@\"", own] + arguments,
            environment: environment.merging(["MILDAM_CHILD": task, "MILDAM_CHILD_PATH": path]) { $1 }
        )
    }

    /// Says something at once: what was printed before a kill was printed.
    static func say(_ text: String) {
        _ = unsafe Array((text + "\n").utf8).withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
    }
}

@Suite("ChildTasks", .enabled(if: ChildProcess.task != nil, "what other tests have a second process do"))
struct ChildTasks {
    let path = ProcessInfo.processInfo.environment["MILDAM_CHILD_PATH"] ?? ""

    /// Writes rows until it is killed; "committed N" comes after the commit of row N.
    @Test(.enabled(if: ChildProcess.task?.hasPrefix("write") == true))
    func write() throws {
        var options = Database.Options()
        options.synchronous = .init(rawValue: String(ChildProcess.task?.dropFirst(6) ?? "")) ?? .full
        let database = try Database(path: path, schema: notes, options: options)
        let body = [UInt8](repeating: 7, count: 3_000)
        let last = try database.first("SELECT max(id) FROM note") { row throws(StorageError) in
            try row.isNull(0) ? 0 : try row.int(0)
        }
        var id = last ?? 0
        while true {
            id += 1
            try database.transaction { () throws(StorageError) in
                try database.execute("INSERT INTO note VALUES (?, ?, ?)", id, "t\(id)", body)
            }
            ChildProcess.say("committed \(id)")
        }
    }

    /// Opens the database, then waits to be killed.
    @Test(.enabled(if: ChildProcess.task == "open"))
    func open() throws {
        let database = try Database(path: path, schema: notes)
        ChildProcess.say("opened")
        withExtendedLifetime(database) { _ = pause() }
    }

    /// Deletes a row and cuts the log, then waits to be killed.
    @Test(.enabled(if: ChildProcess.task == "delete"))
    func delete() throws {
        let database = try Database(path: path, schema: notes)
        try database.execute("INSERT INTO note VALUES (1, 'the deleted title', NULL), (2, 'the kept title', NULL)")
        try database.execute("DELETE FROM note WHERE id = 1")
        try database.truncateWAL()
        ChildProcess.say("deleted")
        pause()
    }

    /// Writes rows until the disk is full, and says what it met and what was kept.
    @Test(.enabled(if: ChildProcess.task == "fill"))
    func fill() throws {
        let body = [UInt8](repeating: 7, count: 3_000)
        var id = 0
        do {
            let database = try Database(path: path, schema: notes)
            do throws(StorageError) {
                while true {
                    try database.transaction { () throws(StorageError) in
                        for _ in 0..<3 {
                            id += 1
                            try database.execute("INSERT INTO note VALUES (?, ?, ?)", id, "t\(id)", body)
                        }
                    }
                }
            } catch {
                ChildProcess.say("error \(error)")
            }
            let count = try database.first("SELECT count(*) FROM note") { row throws(StorageError) in try row.int(0) }
            ChildProcess.say("kept \(count ?? -1) of \(id)")
            try database.checkIntegrity()
        }
        ChildProcess.say("sound")
    }
}
