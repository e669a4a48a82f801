import Foundation
import MildamSystem
import TestSupport
import Testing

@Suite("Locks")
struct LockTests {
    @Test("Many threads, no update lost")
    func contention() async {
        let lock = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { for _ in 0..<10_000 { lock.withLock { $0 += 1 } } }
            }
        }
        #expect(lock.withLock { $0 } == 160_000)
    }

    @Test func anErrorFreesTheLock() {
        let lock = Lock(1)
        #expect(throws: SystemError.self) {
            try lock.withLock { (_: inout Int) throws(SystemError) -> Void in throw SystemError("test", code: EIO) }
        }
        #expect(lock.withLock { $0 } == 1)
    }

    @Test func oneOwnerInAProcess() throws {
        try withFolder { folder in
            let path = "\(folder)/lock"
            let first = try ProcessLock(waitingFor: path)
            #expect(try isTaken(path))
            _ = consume first
            #expect(try !isTaken(path))
        }
    }

    @Test(
        "Another process holds the lock until it ends",
        .enabled(if: Program.areExpected(["flock"], from: "util-linux"))
    )
    func otherProcess() throws {
        try withFolder { folder in
            let path = "\(folder)/lock"
            let (input, output) = (Pipe(), Pipe())
            let holder = Process()
            holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
            holder.arguments = [path, "sh", "-c", "echo held; read line"]
            holder.standardInput = input
            holder.standardOutput = output
            try holder.run()
            #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))
            #expect(try isTaken(path))
            input.fileHandleForWriting.closeFile()
            // Waits until the other has gone, and then holds it against others.
            let lock = try ProcessLock(waitingFor: path)
            #expect(try isTaken(path))
            _ = consume lock
            holder.waitUntilExit()
            #expect(try !isTaken(path))
        }
    }

    /// Whoever waited for a lock that its holder has removed takes the one that has the name now.
    @Test func aRemovedLock() throws {
        try withFolder { folder in
            let path = "\(folder)/lock"
            let first = try ProcessLock(waitingFor: path)
            let outcome = Outcome<Bool>()
            Thread.detachNewThread { outcome.give(Self.holdsTheName(path)) }
            usleep(100_000)
            try #require(unsafe unlink(path) == 0)
            _ = consume first
            #expect(outcome.wait())
        }
    }

    /// Waits for the lock, and says whether nobody else can take it then.
    private static func holdsTheName(_ path: String) -> Bool {
        do {
            let lock = try ProcessLock(waitingFor: path)
            let isTaken = try isTaken(path)
            _ = consume lock
            return isTaken
        } catch {
            return false
        }
    }

    private func isTaken(_ path: String) throws -> Bool { try Self.isTaken(path) }

    private static func isTaken(_ path: String) throws -> Bool {
        guard let lock = try ProcessLock(taking: path) else { return true }
        _ = consume lock
        return false
    }
}
