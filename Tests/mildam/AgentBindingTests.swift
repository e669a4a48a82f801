import Foundation
import Glibc
import HouseSupport
import MildamKeychain
import TestSupport
import Testing

/// Who comes to an agent with another keychain or as another program is told so, and never that there is nothing.
@Suite("The agent is bound to its keychain and its program")
struct AgentBindingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
    }

    private static let passphrase = ["MILDAM_PASSPHRASE": "correct horse"]

    /// What says where the profile is: in `data`, with a runtime folder that all share.
    private func place(_ data: String) -> [String: String] {
        ["MILDAM_HOME": "", "XDG_DATA_HOME": folder.file(data), "XDG_RUNTIME_DIR": folder.file("run")]
    }

    /// Runs a program, `mildam` itself unless another is named.
    private func run(
        _ words: [String],
        by program: String = "mildam",
        at place: [String: String],
        knowing secret: [String: String] = AgentBindingTests.passphrase,
        input: String? = nil
    ) async throws -> Program.Result {
        let bus = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        return try await Program.result(
            of: program,
            words,
            input: input,
            environment: place.merging(bus) { $1 }.merging(secret) { $1 }
        )
    }

    private func makeKeychain(_ data: String) async throws {
        try await HouseSupport.makeKeychain(in: folder.file(data + "/mildam/default"))
    }

    /// A copy of the program, in a folder where it can be replaced and moved.
    private func copy(_ name: String) throws -> String {
        let path = folder.file("bin/" + name)
        try FileManager.default.copyItem(atPath: Program.find("mildam"), toPath: path)
        return path
    }

    // MARK: Its keychain

    @Test func twoDataFoldersHaveAnAgentEach() async throws {
        try await makeKeychain("one")
        // Also one that is a copy, with the same identifier and passphrase.
        try #require(try Program.run("cp", ["-a", folder.file("one"), folder.file("two")]).status == 0)
        let (one, two) = (place("one"), place("two"))
        #expect(try await run(["keychain", "set", "a", "b"], at: one, input: "of one").status == 0)
        #expect(try await run(["keychain", "get", "a", "b"], at: two).status == 4)
        #expect(try await run(["keychain", "set", "a", "b"], at: two, input: "of two").status == 0)
        #expect(try await run(["keychain", "get", "a", "b"], at: one).output == "of one")
        // Each is locked by itself.
        #expect(try await run(["lock", "--stop"], at: one).status == 0)
        #expect(try await run(["keychain", "get", "a", "b"], at: two, knowing: [:]).output == "of two")
        #expect(try await run(["keychain", "get", "a", "b"], at: one, knowing: [:]).output.isEmpty)
        #expect(try await run(["lock", "--stop"], at: two).output == "locked: the agent has ended\n")
        #expect(try await run(["lock", "--stop"], at: two).output == "locked: no agent runs\n")
    }

    @Test func oneFolderHasOneAgentHoweverItIsReached() async throws {
        try await makeKeychain("one")
        try #require(unsafe symlink("one", folder.file("link")) == 0)
        let unlocked = try await run(["unlock"], at: place("link"))
        let keychain = folder.file("link/mildam/default/keychain.db")
        #expect(unlocked.output == "unlocked \(keychain)\n", "it says which one: \(unlocked)")
        #expect(try await run(["keychain", "list"], at: place("one"), knowing: [:]).output == "nothing\n")
        #expect(try await run(["lock", "--stop"], at: place("one")).status == 0)
        #expect(try await run(["lock"], at: place("link")).output == "locked: no agent runs\n")
    }

    /// As from cron, where the variable is missing.
    @Test func anAgentWithoutTheRuntimeFolderIsLockedToo() async throws {
        try await makeKeychain("one")
        let (here, there) = (place("one"), place("one").merging(["XDG_RUNTIME_DIR": ""]) { $1 })
        #expect(try await run(["unlock"], at: there).status == 0)
        #expect(try await run(["lock"], at: here).output.hasPrefix("locked"))
        #expect(try await run(["keychain", "list"], at: there, knowing: [:]).output.isEmpty)
        #expect(try await run(["lock", "--stop"], at: here).output == "locked: the agent has ended\n")
        #expect(try await run(["lock"], at: there).output == "locked: no agent runs\n")
    }

    /// A place that is not trusted is told, and keeps no agent elsewhere from being locked.
    @Test func anAgentIsLockedWhateverElseIsWrong() async throws {
        try await makeKeychain("one")
        let (here, there) = (place("one"), place("one").merging(["XDG_RUNTIME_DIR": ""]) { $1 })
        #expect(try await run(["unlock"], at: there).status == 0)
        let open = folder.file("run/mildam")
        try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: open)
        let refused = try await run(["lock"], at: here)
        #expect(refused.status == 6 && refused.errors.contains(open), "\(refused)")
        #expect(try await run(["keychain", "list"], at: there, knowing: [:]).output.isEmpty)
        #expect(try await run(["lock", "--stop"], at: there).output == "locked: the agent has ended\n")
    }

    @Test func anotherFileInTheKeychainsPlaceIsTold() async throws {
        try await makeKeychain("one")
        try await makeKeychain("two")
        #expect(try await run(["keychain", "set", "a", "b"], at: place("one"), input: "c").status == 0)
        let path = folder.file("one/mildam/default/keychain.db")
        for end in ["-wal", "-shm"] { unsafe unlink(path + end) }
        try #require(unsafe rename(folder.file("two/mildam/default/keychain.db"), path) == 0)
        let refused = try await run(["keychain", "list"], at: place("one"))
        #expect(refused.status == 6 && refused.output.isEmpty, "\(refused)")
        #expect(refused.errors.contains(path) && refused.errors.contains("mildam lock --stop"), "\(refused)")
        #expect(try await run(["lock", "--stop"], at: place("one")).status == 0)
        #expect(try await run(["keychain", "list"], at: place("one")).output == "nothing\n")
        #expect(try await run(["lock", "--stop"], at: place("one")).status == 0)
    }

    // MARK: Its program

    @Test func aCopyOfTheProgramIsToldWhoseAgentItIs() async throws {
        try await makeKeychain("one")
        let (here, other) = (place("one"), try copy("mildam"))
        #expect(try await run(["keychain", "set", "a", "b"], at: here, input: "c").status == 0)
        let original = URL(fileURLWithPath: try Program.find("mildam")).resolvingSymlinksInPath().path
        let keychain = folder.file("one/mildam/default/keychain.db")
        for words in [
            ["keychain", "list"], ["keychain", "get", "a", "b"], ["keychain", "set", "a", "b"], ["otp", "list"],
            ["token", "list"], ["unlock"], ["enclave", "list"], ["vault", "init"], ["keychain", "trash"],
            ["keychain", "history", "a", "b"], ["keychain", "remove", "a", "b"], ["keychain", "verify"],
            ["keychain", "audit"],
        ] {
            let refused = try await run(words, by: other, at: here, input: "d")
            #expect(refused.status == 6 && refused.output.isEmpty, "\(words): \(refused)")
            #expect(refused.errors.contains("\(original) ("), "\(words): \(refused)")
            #expect(refused.errors.contains(keychain), "\(words): \(refused)")
        }
        #expect(try await run(["lock", "--stop"], by: other, at: here).status == 0)
        #expect(try await run(["keychain", "get", "a", "b"], by: other, at: here).output == "c")
        #expect(try await run(["lock", "--stop"], at: here).status == 0)
    }

    /// Its agent has its keychain open, and ends for the one that took the program's place.
    @Test func anUpgradedAndAMovedProgramHaveAnAgentOfTheirOwn() async throws {
        try await makeKeychain("one")
        let (here, program) = (place("one"), try copy("mildam"))
        #expect(try await run(["keychain", "set", "a", "b"], by: program, at: here, input: "c").status == 0)
        let newer = try copy("newer")
        try #require(unsafe rename(newer, program) == 0)
        // The keychain has to be opened anew: what the other agent knew, it took with it.
        let asked = try await run(["keychain", "get", "a", "b"], by: program, at: here, knowing: [:])
        #expect(asked.status != 0 && asked.output.isEmpty, "\(asked)")
        #expect(try await run(["keychain", "get", "a", "b"], by: program, at: here).output == "c")
        let verified = try await run(["keychain", "verify"], by: program, at: here, knowing: [:])
        #expect(verified.status == 0, "the owner's to ask for: \(verified)")
        let moved = folder.file("bin/moved")
        try #require(unsafe rename(program, moved) == 0)
        #expect(try await run(["keychain", "get", "a", "b"], by: moved, at: here).output == "c")
        #expect(try await run(["keychain", "set", "a", "b"], by: moved, at: here, input: "d").status == 0)
        #expect(
            try await run(["keychain", "list"], by: moved, at: here).output == "password  a  b\n",
            "one item stays one"
        )
        #expect(try await run(["lock", "--stop"], by: moved, at: here).status == 0)
    }

    // MARK: Its version

    /// An agent of before there was a greeting: it knows the keychain's state, and hangs up on what it does not know.
    private func earlierAgent(
        at socket: String,
        keeping identifier: KeychainIdentifier,
        isStubborn: Bool = false
    ) async throws -> Program {
        let script = """
            import os, signal, socket, struct, sys
            if len(sys.argv) > 3: signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.makedirs(os.path.dirname(sys.argv[1]), mode=0o700, exist_ok=True)
            s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(8)
            print("listening", flush=True)
            while True:
                c = s.accept()[0]
                while True:
                    head = c.recv(4, socket.MSG_WAITALL)
                    body = c.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL) if len(head) == 4 else b""
                    print("asked", list(body), flush=True)
                    if body == b"\\x01": answer = b"\\x02\\x02" + bytes.fromhex(sys.argv[2]) + b"\\x00"
                    elif body == b"\\x03": answer = b"\\x00"
                    else: break
                    c.sendall(struct.pack(">I", len(answer)) + answer)
                c.close()
            """
        let hex = identifier.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let agent = try Program("python3", ["-c", script, socket, hex] + (isStubborn ? ["stubborn"] : []))
        try #require(try await agent.line(with: "listening") != nil)
        return agent
    }

    /// What else was asked than what agent it is, its state, how much can be read, to lock and to end.
    private func queries(_ agent: Program) async throws -> [Substring] {
        if await !eventually({ kill(agent.identifier, 0) != 0 }) {
            Issue.record("the earlier agent goes on")
            agent.signal(SIGKILL)
        }
        let lines = try await agent.end().output.split(separator: "\n")
        let expected: Set<Substring> = ["[]", "[1]", "[3]", "[14]", "[15]", "[17]"]
        return lines.filter { $0.hasPrefix("asked") && !expected.contains($0.dropFirst(6)) }
    }

    @Test func anAgentOfAnEarlierVersionIsAskedForNothingAndEnds() async throws {
        try await makeKeychain("one")
        let here = place("one").merging(["XDG_RUNTIME_DIR": ""]) { $1 }
        let home = folder.file("one/mildam/default")
        let agent = try await earlierAgent(
            at: home + "/agent/socket",
            keeping: LocalKeychain(path: home + "/keychain.db").identifier
        )
        defer { agent.signal(SIGKILL) }
        #expect(try await run(["keychain", "list"], at: here).output == "nothing\n")
        #expect(try await queries(agent).isEmpty)
        #expect(try await run(["lock", "--stop"], at: here).status == 0)
    }

    @Test(arguments: ["--stop", "--close"])
    func itIsEndedByWhoIsToldTo(_ ending: String) async throws {
        try await makeKeychain("one")
        let identifier = try LocalKeychain(path: folder.file("one/mildam/default/keychain.db")).identifier
        let agent = try await earlierAgent(at: folder.file("run/mildam/default.agent"), keeping: identifier)
        defer { agent.signal(SIGKILL) }
        let locked = try await run(["lock"], at: place("one"))
        #expect(locked.status == 0 && locked.errors.contains("what can still be read is not known"), "\(locked)")
        #expect(try await run(["lock", ending], at: place("one")).status == 0)
        #expect(try await queries(agent).isEmpty)
    }

    @Test(.enabled(if: Count.of(few: 0, full: 1) > 0, "it is waited for ten seconds"))
    func itIsEndedAlthoughItDoesNotWantTo() async throws {
        try await makeKeychain("one")
        let identifier = try LocalKeychain(path: folder.file("one/mildam/default/keychain.db")).identifier
        let socket = folder.file("run/mildam/default.agent")
        let agent = try await earlierAgent(at: socket, keeping: identifier, isStubborn: true)
        defer { agent.signal(SIGKILL) }
        #expect(try await run(["lock", "--stop"], at: place("one")).output == "locked: the agent has ended\n")
        #expect(try await queries(agent).isEmpty)
    }

    /// It was named by the profile's name alone: it may be that of another keychain.
    @Test(arguments: [true, false])
    func itEndsWhereItHasThisKeychainOpen(_ isOurs: Bool) async throws {
        try await makeKeychain("one")
        let own = try LocalKeychain(path: folder.file("one/mildam/default/keychain.db")).identifier
        let other = try #require(KeychainIdentifier([UInt8](repeating: 7, count: 16)))
        let socket = folder.file("run/mildam/default.agent")
        let agent = try await earlierAgent(at: socket, keeping: isOurs ? own : other)
        defer { agent.signal(SIGKILL) }
        #expect(try await run(["keychain", "list"], at: place("one")).output == "nothing\n")
        if isOurs {
            #expect(try await queries(agent).isEmpty)
        } else {
            #expect(kill(agent.identifier, 0) == 0, "another keychain's goes on")
        }
        #expect(try await run(["lock", "--stop"], at: place("one")).status == 0)
    }
}
