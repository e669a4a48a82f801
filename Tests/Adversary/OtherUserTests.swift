import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// Another user of the machine, who was there first: what they put in the way is refused before it is opened.
@Suite("Another user of the machine")
struct OtherUserTests {
    private let folder: TemporaryFolder
    /// Where everybody may put things, as in /tmp.
    private let shared: String
    private static let other: uid_t = 65534
    private static let isRoot = geteuid() == 0

    init() throws {
        folder = try TemporaryFolder()
        shared = folder.file("shared")
        try #require(unsafe mkdir(shared, 0o700) == 0 && chmod(shared, 0o1777) == 0)
    }

    /// A victim whose profiles are to lie in `home`; nothing is ever asked of a relay.
    private func victim(_ home: String, _ environment: [String: String] = [:]) -> Person {
        let known = ["MILDAM_PASSPHRASE": "correct horse", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        return Person(
            name: "alice",
            home: home,
            relay: "http://127.0.0.1:1",
            environment: known.merging(environment) { $1 }
        )
    }

    private func run(_ person: Person, _ words: [String]) async throws -> Program.Result {
        try await Program.result(of: "mildam", words, input: "secret\n", environment: person.variables)
    }

    /// Gives everything below a folder to the other user, for everybody to read and write.
    private func give(_ path: String) throws {
        for command in [["chmod", "-R", "a+rwX", path], ["chown", "-R", "\(Self.other)", path]] {
            let result = try Program.run(command[0], Array(command.dropFirst()))
            try #require(result.status == 0, "\(result)")
        }
    }

    /// Every name below a folder, with its size.
    private func content(_ path: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        return try names.map { name in
            let size = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.size] as? Int
            return "\(name) \(size ?? -1)"
        }.sorted()
    }

    /// A command of each kind that believes something in a profile, or writes there.
    private static let commands = [
        ["account", "create", "alice", "--password-file", "-"], ["account", "show"], ["send", "kitchen", "hello"],
        ["read", "kitchen"], ["contact", "list"], ["outbox", "list"], ["keychain", "create"], ["keychain", "list"],
        ["keychain", "list", "--no-agent"], ["keychain", "agent"], ["unlock"], ["lock", "--stop"], ["otp", "list"],
        ["vault", "init"], ["vault", "list"], ["token", "list"], ["enclave", "list"],
    ]

    // MARK: The profile

    @Test(.enabled(if: geteuid() == 0, "only root can make another user's folder"))
    func aPlantedProfile() async throws {
        let house = try await House.open()
        let mallory = try await house.people("mallory")[0]
        let home = shared + "/home"
        try #require(unsafe mkdir(home, 0o700) == 0)
        try FileManager.default.copyItem(atPath: mallory.folder, toPath: home + "/alice")
        let alice = victim(home)
        // While it is the victim's own, it opens.
        expect(try await run(alice, ["account", "show"]), 0, "mallory")

        try give(home)
        let before = try content(home)
        for command in Self.commands {
            let result = try await run(alice, command)
            expect(result, 6, "\(home) belongs to another user")
            #expect(result.output.isEmpty, "\(command): \(result)")
        }
        #expect(try content(home) == before)
        // The doctor says it as a finding.
        expect(try await run(alice, ["doctor"]), 1, "wrong", "\(home) belongs to another user")

        // The home is the victim's, and the profile in it was put there before.
        #expect(unsafe chown(home, 0, 0) == 0 && chmod(home, 0o755) == 0)
        expect(try await run(alice, ["account", "show"]), 6, "\(home)/alice belongs to another user")
        // So is the profile, and its keys are not.
        #expect(unsafe chown(home + "/alice", 0, 0) == 0 && chmod(home + "/alice", 0o700) == 0)
        expect(try await run(alice, ["account", "show"]), 6, "\(home)/alice/root.key belongs to another user")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make another user's folder"))
    func aPlantedPlaceForProfiles() async throws {
        // By each of the variables that say where profiles lie.
        let theirs = shared + "/theirs"
        try #require(unsafe mkdir(theirs, 0o700) == 0)
        try give(theirs)
        for variables in [
            ["MILDAM_HOME": theirs + "/new"], ["MILDAM_HOME": "", "XDG_DATA_HOME": theirs],
            ["MILDAM_HOME": "", "XDG_DATA_HOME": "", "HOME": theirs],
        ] {
            for command in [["keychain", "create"], ["vault", "init"]] {
                expect(try await run(victim("", variables), command), 6, "\(theirs) belongs to another user")
            }
        }
        #expect(try content(theirs).isEmpty)
    }

    @Test func aFolderInWhichOthersMayWrite() async throws {
        let open = folder.file("open")
        try #require(unsafe mkdir(open, 0o700) == 0 && chmod(open, 0o777) == 0)
        for command in Self.commands {
            expect(try await run(victim(open + "/home"), command), 6, "others may write to \(open)", "chmod go-w")
        }
        #expect(try content(open).isEmpty)
        // Where everybody removes only what is theirs, the first who comes has the place.
        expect(try await run(victim(shared + "/home"), ["vault", "init"]), 0)
        expect(try await run(victim(shared + "/home"), ["vault", "list"]), 0)
        let profile = shared + "/home/alice"
        #expect(unsafe chmod(profile, 0o755) == 0)
        expect(try await run(victim(shared + "/home"), ["vault", "list"]), 6, "chmod 700 '\(profile)'")
    }

    @Test func links() async throws {
        let home = folder.file("home")
        expect(try await run(victim(home), ["vault", "init"]), 0)
        // One of the user's own, in a folder of the user's own.
        try #require(unsafe symlink("home", folder.file("link")) == 0)
        expect(try await run(victim(folder.file("link")), ["vault", "list"]), 0)
        // One that anybody could have made.
        try #require(unsafe symlink(home, shared + "/link") == 0)
        expect(try await run(victim(shared + "/link"), ["vault", "list"]), 6, "\(shared)/link is a symbolic link")
        // In the place of a file.
        let key = home + "/alice/root.key"
        try #require(unsafe rename(key, folder.file("key")) == 0 && symlink(folder.file("key"), key) == 0)
        expect(try await run(victim(home), ["vault", "list"]), 6, "\(key) is a symbolic link")
    }

    @Test func aPlaceThatIsNamedFromTheCurrentFolder() async throws {
        let alice = victim("home")
        expect(try await alice.run("vault", "init", folder: folder.path), 0)
        #expect(WholeFile.exists(folder.file("home/alice/vault/vault.keys")))
        #expect(unsafe chmod(folder.file("home/alice"), 0o750) == 0)
        expect(try await alice.run("vault", "list", folder: folder.path), 6, "permissions 750")
    }

    // MARK: A vault elsewhere

    @Test func aVaultElsewhere() async throws {
        let alice = victim(folder.file("home"))
        let vault = shared + "/vault"
        expect(try await run(alice, ["vault", "init", "--vault", vault]), 0)
        // Others may see what is sealed.
        #expect(unsafe chmod(vault, 0o755) == 0)
        expect(try await run(alice, ["vault", "list", "--vault", vault]), 0)
        #expect(unsafe chmod(vault, 0o777) == 0)
        for command in [["list"], ["add", "-", "--as", "a"], ["verify"], ["repair"]] {
            let result = try await run(alice, ["vault"] + command + ["--vault", vault])
            expect(result, 6, "others may write to \(vault)")
        }
        guard Self.isRoot else { return print("another user's vault was not tried: only root can make one") }
        #expect(unsafe chmod(vault, 0o755) == 0)
        #expect(unsafe chown(vault, Self.other, Self.other) == 0)
        for command in [["list"], ["add", "-", "--as", "a"], ["init"]] {
            let result = try await run(alice, ["vault"] + command + ["--vault", vault])
            expect(result, 6, "\(vault) belongs to another user")
        }
    }

    // MARK: The keychain's agent

    @Test func anAgentsPlaceThatOthersMayEnter() async throws {
        let home = folder.file("data")
        try await makeKeychain(in: home + "/mildam/alice")
        let alice = victim("", ["MILDAM_HOME": "", "XDG_DATA_HOME": home, "XDG_RUNTIME_DIR": shared])
        let place = shared + "/mildam"
        try #require(unsafe mkdir(place, 0o700) == 0 && chmod(place, 0o755) == 0)
        // Who listens there is never told what opens the keychain.
        let script = """
            import hashlib, os, socket, sys
            s = socket.socket(socket.AF_UNIX)
            mark = hashlib.sha256(os.path.realpath(sys.argv[2]).encode()).hexdigest()[:16]
            s.bind(sys.argv[1] + "/alice-" + mark + ".agent")
            s.listen()
            print("listening", flush=True)
            print("heard", len(s.accept()[0].recv(100)), flush=True)
            """
        let listener = try Program("python3", ["-c", script, place, home + "/mildam/alice"])
        defer { listener.signal(SIGKILL) }
        try #require(try await listener.line(with: "listening") != nil)
        for command in [["unlock"], ["keychain", "list"], ["token", "list"], ["lock"]] {
            expect(try await run(alice, command), 6, "\(place) is open to others", "chmod 700 '\(place)'")
        }
        if Self.isRoot {
            try give(place)
            expect(try await run(alice, ["unlock"]), 6, "\(place) belongs to another user")
        } else {
            print("another user's folder was not tried: only root can make one")
        }
        listener.signal(SIGTERM)
        #expect(try await !listener.end().output.contains("heard"), "somebody connected")
        // Without the agent, nothing depends on that folder.
        expect(try await run(alice, ["keychain", "list", "--no-agent"]), 0)
    }

    // MARK: The relay

    @Test func aRelaysDataFolder() async throws {
        let data = shared + "/relay"
        func relay(_ words: String...) async throws -> Program.Result {
            try await Program.result(of: "mildam-relay", words + ["--data", data])
        }
        try #require(unsafe mkdir(data, 0o700) == 0 && chmod(data, 0o755) == 0)
        expect(try await relay("serve", "--listen", "127.0.0.1:0"), 6, "\(data) is open to others", "chmod 700")
        expect(try await relay("user", "list"), 6, "\(data) is open to others")
        #expect(unsafe chmod(data, 0o700) == 0)
        try #require(unsafe symlink("/etc/hostname", data + "/secrets") == 0)
        expect(try await relay("serve", "--listen", "127.0.0.1:0"), 6, "\(data)/secrets is a symbolic link")
        unsafe unlink(data + "/secrets")
        guard Self.isRoot else { return print("another user's folder was not tried: only root can make one") }
        try give(data)
        for words in [["serve", "--listen", "127.0.0.1:0"], ["user", "list"]] {
            let result = try await Program.result(of: "mildam-relay", words + ["--data", data])
            expect(result, 6, "\(data) belongs to another user")
        }
        #expect(try content(data).isEmpty)
    }
}
