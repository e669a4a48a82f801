import Foundation
import HouseSupport
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
            before: "echo text | mildam file encrypt -p -o sealed -",
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
            command: "vault remove many",
            answers: [("Remove many for good:", "y")],
            before: "mkdir many; echo text >many/one; mildam vault init; mildam vault add many",
            needsKeychain: false
        ),
    ]

    @Test(arguments: conversations)
    func aloneOnThisMachine(_ conversation: Conversation) async throws {
        let folder = try TemporaryFolder()
        let desk = Desk(
            folder: folder.path,
            environment: ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        )
        if conversation.needsKeychain { try await makeKeychain(in: folder.file("home/default")) }
        let prepared = try await desk.shell(conversation.before, ["MILDAM_PASSPHRASE": Self.passphrase])
        try #require(prepared.status == 0, "\(prepared)")
        try await desk.interrupt(conversation.command, conversation.answers)
        if conversation.succeeds { try await desk.finish(conversation.command, conversation.answers) }
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

    /// Answers each question in turn by Ctrl-C, and by the end of the input.
    func interrupt(_ command: String, _ answers: [InterruptionTests.Answer]) async throws {
        for index in answers.indices {
            for (key, status) in [("\u{3}", 130), ("\u{4}", 6)] {
                // An agent would know what the last attempt has told it.
                _ = try await shell("mildam lock --stop")
                let before = names
                let session = try await session(command, answers[..<index])
                let question = answers[index].question
                try #require(try await session.see(question), "\(question) \(session.rows)")
                session.type(key)
                #expect(try await session.see("ended with \(status)"), "\(question) \(session.rows)")
                let isSaid = session.rows.contains { $0.hasPrefix("mildam: ") }
                #expect(isSaid || status == 130, "\(question) \(session.rows)")
                #expect(names == before, "\(question)")
            }
        }
    }

    /// Answers every question.
    func finish(_ command: String, _ answers: [InterruptionTests.Answer]) async throws {
        _ = try await shell("mildam lock --stop")
        let session = try await session(command, answers[...])
        #expect(try await session.see("ended with 0"), "\(session.rows)")
    }

    private func session(
        _ command: String,
        _ answers: ArraySlice<InterruptionTests.Answer>
    ) async throws -> TerminalSession {
        let session = try TerminalSession(
            "cd \"$1\"; trap : INT; \"$2\" \(command); echo \"ended with $?\"; read -r line",
            [folder, try Program.find("mildam")],
            environment: environment,
            columns: 120
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
