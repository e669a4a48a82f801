import Foundation
import HouseSupport
import MildamCrypto
import MildamFiles
import TestSupport
import Testing

/// A question that is answered by Ctrl-C or by the end of the input: nothing was done, nothing is left behind, and the
/// same command does it all when it is called again.
@Suite("Interrupted at a question", .timeLimit(.minutes(3)))
struct InterruptionTests {
    typealias Answer = (question: String, text: String)

    /// A command that asks, and what a person answers.
    struct Conversation: Sendable, CustomTestStringConvertible {
        let command: String
        let answers: [Answer]
        /// A line of a shell that comes before; nobody is asked for the keychain's passphrase there.
        var before = ":"
        /// What is put under the passphrase after that, so that it opens in a moment: the program's own takes a second.
        var sealed: (file: String, to: String)?
        var needsKeychain = true
        /// Whether the answers are right in the end.
        var succeeds = true

        var testDescription: String { command }
    }

    private static let passphrase = "correct horse"
    private static let opening: Answer = ("Passphrase of the keychain:", passphrase)

    static let conversations: [Conversation] = [
        Conversation(
            command: "keychain create",
            answers: [("New passphrase:", passphrase), ("Once more:", passphrase)],
            needsKeychain: false
        ),
        Conversation(command: "unlock", answers: [opening]),
        Conversation(
            command: "keychain set a b",
            answers: [("Secret:", "new"), ("Once more:", "new"), opening, ("Replace what is in", "y")],
            before: "printf old | mildam keychain set a b"
        ),
        Conversation(
            command: "keychain passphrase",
            answers: [("Old passphrase:", passphrase), ("New passphrase:", "another"), ("Once more:", "another")]
        ),
        Conversation(
            command: "keychain add-slot passphrase",
            answers: [opening, ("New passphrase:", "another"), ("Once more:", "another")]
        ),
        Conversation(command: "keychain add-slot code", answers: [opening]),
        Conversation(
            command: "keychain remove-slot 2",
            answers: [opening],
            before: "mildam keychain recovery-code >code"
        ),
        Conversation(
            command: "keychain generate a b",
            answers: [opening, ("Replace what is in", "y")],
            before: "printf old | mildam keychain set a b"
        ),
        Conversation(
            command: "keychain remove a b",
            answers: [opening],
            before: "printf old | mildam keychain set a b"
        ),
        Conversation(
            command: "keychain trash --empty",
            answers: [opening, ("Give up all that was removed?", "y")],
            before: "printf old | mildam keychain set a b && mildam keychain remove a b"
        ),
        Conversation(
            command: "keychain copies --restore $(\"$2\" keychain copies | tail -n 1 | cut -d ' ' -f 1)",
            answers: [("for the present one?", "y"), opening],
            before: "printf old | mildam keychain set a b && mildam lock --stop"
        ),
        Conversation(
            command: "keychain copies --forget",
            answers: [("copies of the keychain's earlier states?", "y")],
            before: "printf old | mildam keychain set a b && mildam lock --stop"
        ),
        Conversation(command: "keychain repair", answers: [opening]),
        Conversation(
            command: "keychain export out",
            answers: [("Passphrase of the bundle:", "another"), ("Once more:", "another"), opening],
            before: "printf secret | mildam keychain set a b"
        ),
        Conversation(
            command: "keychain import bundle",
            answers: [("Passphrase of the bundle:", "another"), opening],
            before: "printf secret | mildam keychain set a b && echo another >word"
                + " && mildam keychain export bundle --password-file word"
        ),
        Conversation(
            command: "otp add",
            answers: [
                ("otpauth:// URI, or secret:", "JBSWY3DPEHPK3PXPJBSWY3DP"), ("Issuer, who gave it out:", "ACME"),
                ("Account there:", "bob"), opening,
            ]
        ),
        Conversation(
            command: "enclave create k --software",
            answers: [opening, ("New passphrase of the key:", "another one"), ("Once more:", "another one")]
        ),
        Conversation(
            command: "enclave test k",
            answers: [opening, ("passphrase of k:", "another one")],
            before: "echo another one >pin; mildam enclave create k --software --pin-file pin"
        ),
        Conversation(
            command: "enclave delete k",
            answers: [opening, ("Delete k?", "y")],
            before: "echo another one >pin; mildam enclave create k --software --pin-file pin"
        ),
        Conversation(
            command: "file encrypt -p -o out plain",
            answers: [("Passphrase:", "another"), ("Once more:", "another")],
            before: "echo text >plain",
            needsKeychain: false
        ),
        Conversation(
            command: "file encrypt --format rncryptor -o out plain",
            answers: [("Password:", "another"), ("Once more:", "another")],
            before: "echo text >plain",
            needsKeychain: false
        ),
        Conversation(
            command: "file decrypt -o out sealed",
            answers: [("Passphrase:", passphrase)],
            before: "echo text >plain",
            sealed: (file: "plain", to: "sealed"),
            needsKeychain: false
        ),
        Conversation(
            command: "file decrypt -i key.age -o out sealed",
            answers: [("Passphrase of key.age:", passphrase)],
            before: "echo text >plain; mildam file encrypt -r \"$(mildam file keygen -o key 2>said)\" -o sealed plain",
            sealed: (file: "key", to: "key.age"),
            needsKeychain: false
        ),
        Conversation(
            command: "vault import table",
            answers: [("Password of the store:", "another")],
            before: "echo no table >table; mildam vault init",
            needsKeychain: false,
            succeeds: false
        ),
        Conversation(
            command: "vault sync many",
            answers: [("1 to the vault. Do it?", "y")],
            before: "mkdir many; echo text >many/one; mildam vault init",
            needsKeychain: false
        ),
        Conversation(
            command: "vault remove many",
            answers: [("Remove many for good:", "y")],
            before: "mkdir many; echo text >many/one; mildam vault init; mildam vault add many",
            needsKeychain: false
        ),
        Conversation(
            command: "file decrypt --format rncryptor -o out sealed",
            answers: [("Password:", passphrase)],
            before: "echo text >plain; mildam file encrypt --format rncryptor -o sealed plain",
            needsKeychain: false
        ),
    ]

    @Test(arguments: Cases.drawn(9, of: conversations, for: "conversations"))
    func aloneOnThisMachine(_ conversation: Conversation) async throws {
        let folder = try TemporaryFolder()
        let desk = Desk(
            folder: folder.path,
            environment: ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"],
            hasKeychain: conversation.needsKeychain || conversation.command.hasPrefix("keychain")
        )
        if conversation.needsKeychain { try await makeKeychain(in: folder.file("home/default")) }
        let prepared = try await desk.shell(conversation.before, ["MILDAM_PASSPHRASE": Self.passphrase])
        try #require(prepared.status == 0, "\(prepared)")
        if let sealed = conversation.sealed {
            let passphrase = SecretBytes(copying: Array(Self.passphrase.utf8))
            let recipient = try AgeScryptRecipient(passphrase: passphrase, workFactor: 10)
            try AgeFile.encrypt(folder.file(sealed.file), to: folder.file(sealed.to), recipients: [recipient])
        }
        try await desk.interrupt(conversation.command, conversation.answers)
        if conversation.succeeds { try await desk.finish(conversation.command, conversation.answers) }
        try await desk.forget()
    }

    /// What only the forgotten passphrase opened goes when all is answered, and not before.
    @Test func aForgottenPassphrase() async throws {
        let folder = try TemporaryFolder()
        let desk = Desk(
            folder: folder.path,
            environment: ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        )
        let passphrase = ["MILDAM_PASSPHRASE": Self.passphrase]
        try await makeKeychain(in: folder.file("home/default"))
        expect(try await desk.shell("printf c | mildam keychain set a b --accessible passcode", passphrase), 0)
        let code = try await desk.shell("mildam keychain recovery-code", passphrase)
        expect(code, 0)
        let answers: [Answer] = [
            ("Recovery code:", code.output.trimmingCharacters(in: .newlines)), ("gone for good. Go on?", "y"),
            ("New passphrase:", "another"), ("Once more:", "another"),
        ]
        try await desk.interrupt("keychain passphrase --with code", answers)
        #expect(try await desk.shell("mildam keychain get a b", passphrase).output == "c")
        try await desk.finish("keychain passphrase --with code", answers)
        let another = ["MILDAM_PASSPHRASE": "another"]
        expect(try await desk.shell("mildam lock --stop && mildam keychain get a b", another), 4)
        _ = try await desk.shell("mildam lock --stop")
    }

    @Test func anAccountByInvitation() async throws {
        let house = try await House.open(["--registration", "invite"], isEmpty: true)
        let made = try await Program.result(of: "mildam-relay", ["invite", "--data", house.data])
        let invitation = try #require(made.output.split(separator: "\n").first.map(String.init), "\(made)")
        let carol = house.person("carol")
        let desk = Desk(folder: house.folder.file("desk"), environment: carol.variables, home: carol.home)
        try FileManager.default.createDirectory(atPath: desk.folder, withIntermediateDirectories: true)
        let answers: [Answer] = [
            ("Password:", carol.password), ("Once more:", carol.password), ("Invitation:", invitation),
        ]
        try await desk.interrupt("account create carol", answers)
        #expect(!FileManager.default.fileExists(atPath: carol.folder))
        try await desk.finish("account create carol", answers)
    }

    /// The question of whoever runs a relay.
    @Test func anAccountThatIsToBeRemoved() async throws {
        let house = try await House.open()
        let bob = try await house.people("bob")[0]
        let desk = Desk(folder: house.folder.file("desk"), environment: bob.variables, home: house.data)
        try FileManager.default.createDirectory(atPath: desk.folder, withIntermediateDirectories: true)
        let command = "relay user remove bob --data '\(house.data)'"
        let answers: [Answer] = [("Delete the account of bob, for ever?", "y")]
        try await desk.interrupt(command, answers)
        expect(try await bob.run("account", "sessions"), 0)
        try await desk.finish(command, answers)
        #expect(try await bob.run("account", "sessions").status != 0)
    }

    @Test func anAccountThatIsThere() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let desk = Desk(folder: house.folder.file("desk"), environment: alice.variables, home: alice.home)
        try FileManager.default.createDirectory(atPath: desk.folder, withIntermediateDirectories: true)
        let (old, new) = (alice.password, "another password of alice")
        let changing: [Answer] = [("Present password:", old), ("New password:", new), ("Once more:", new)]
        try await desk.interrupt("account password", changing)
        try await desk.finish("account password", changing)
        try await alice.done("account", "logout")
        try await desk.interrupt("account login", [("Password:", new)])
        try await desk.finish("account login", [("Password:", new)])
        // A factor whose code nobody has typed is none, and the next try begins anew.
        try await desk.interrupt(
            "account add-second-factor",
            [("Password:", new), ("A code that your device shows now:", "000000")]
        )
        try await desk.interrupt(
            "account confirm-second-factor",
            [("A code that your device shows now:", "000000")]
        )
        expect(try await alice.run("account", "second-factor"), 0, "the password alone")
        let deleting: [Answer] = [("Delete the account alice", "y"), ("Password:", new)]
        try await desk.interrupt("account delete", deleting)
        expect(try await alice.run("account", "sessions"), 0)
        try await desk.finish("account delete", deleting)
    }
}

/// Where somebody works: a folder, and a terminal in it.
private struct Desk {
    let folder: String
    let environment: [String: String]
    /// What nothing may be left behind in besides.
    var home: String?
    /// Whether there may be an agent, which has to go.
    var hasKeychain = true

    /// Answers each question in turn by Ctrl-C, and by the end of the input.
    func interrupt(_ command: String, _ answers: [InterruptionTests.Answer]) async throws {
        for index in answers.indices {
            for (key, status) in [("\u{3}", 130), ("\u{4}", 6)] {
                // An agent would know what the last attempt has told it.
                try await forget()
                let before = names
                let session = try await session(command, answers[..<index])
                let question = answers[index].question
                try #require(try await session.see(question), "\(question) \(session.rows)")
                session.type(key)
                #expect(try await session.see("ended with \(status)"), "\(question) \(session.rows)")
                let isSaid = session.rows.contains { $0.hasPrefix("mildam: ") || $0.hasPrefix("mildam-relay: ") }
                #expect(isSaid || status == 130, "\(question) \(session.rows)")
                #expect(names == before, "\(question)")
            }
        }
    }

    /// Answers every question.
    func finish(_ command: String, _ answers: [InterruptionTests.Answer]) async throws {
        try await forget()
        let session = try await session(command, answers[...])
        #expect(try await session.see("ended with 0"), "\(session.rows)")
    }

    /// Ends the agent.
    func forget() async throws {
        if hasKeychain { _ = try await shell("mildam lock --stop") }
    }

    private func session(
        _ command: String,
        _ answers: ArraySlice<InterruptionTests.Answer>
    ) async throws -> TerminalSession {
        let session = try TerminalSession(
            "cd \"$1\"; trap : INT; \"$2\" \(command); echo \"ended with $?\"; read -r line",
            [folder, try Program.find("mildam")],
            environment: environment,
            columns: 200
        )
        for (question, text) in answers {
            try #require(try await session.see(question), "\(question) \(session.rows)")
            session.type(text + "\r")
        }
        return session
    }

    /// Runs a line of a shell, in which `mildam` is the program.
    func shell(_ line: String, _ more: [String: String] = [:]) async throws -> Program.Result {
        try await Program.result(
            of: "bash",
            [
                "-c", "cd \"$1\"; mildam() { \"$program\" \"$@\"; }; program=$2; \(line)", "bash", folder,
                Program.find("mildam"),
            ],
            environment: environment.merging(more) { $1 }
        )
    }

    /// What is there, but for an agent, a lock, and the log of a database that is written to in any case.
    private var names: [String] {
        [folder, home].compactMap(\.self).flatMap { place in
            ((try? FileManager.default.subpathsOfDirectory(atPath: place)) ?? []).filter { name in
                !["-wal", "-shm", "/lock"].contains { name.hasSuffix($0) } && !name.contains("/agent")
                    && !name.contains("keychain.db.")
            }.sorted()
        }
    }
}
