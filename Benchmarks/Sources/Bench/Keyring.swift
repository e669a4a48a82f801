import Glibc
import MildamSystem

/// GNOME Keyring on a session bus of its own, in a home that is gone when it is.
struct Keyring {
    private static let rounds = 60
    private static let attributes = ["service", "example.org", "account", "alice"]
    private let environment: [String: String]
    private let bus: Child
    private let daemon: Child

    /// What a command of ours takes that prints a secret, beside `secret-tool lookup` where that is here.
    static func figure(
        beside command: [String],
        _ variables: [String: String],
        in folder: String
    ) throws -> Figure {
        let what = "mildam keychain get, 10,000 items, the whole program"
        guard let keyring = try Keyring(in: folder) else {
            let alone = try (0..<rounds).map { _ in try time(command, variables) }
            return Figure(what: what, value: alone.median, unit: .milliseconds, note: "GNOME Keyring is not installed")
        }
        defer { keyring.stop() }
        try keyring.store()
        let lookup = ["secret-tool", "lookup"] + attributes
        var (ours, theirs): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            ours.append(try time(command, variables))
            theirs.append(try time(lookup, keyring.environment))
        }
        return Figure(
            what: what,
            value: ours.median,
            unit: .milliseconds,
            peer: ("secret-tool lookup, 1 item", theirs.median)
        )
    }

    /// Starts it; `nil` where its programs are not installed.
    private init?(in folder: String) throws {
        let programs = ["dbus-daemon", "dbus-send", "gnome-keyring-daemon", "secret-tool"]
        let search = programs.map { "command -v " + $0 }.joined(separator: " && ")
        guard (try? Child.output(of: ["sh", "-c", search])) != nil else { return nil }
        try Folder.create(folder)
        let address = "unix:path=\(folder)/bus"
        environment = [
            "HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_DATA_HOME": folder + "/data",
            "DBUS_SESSION_BUS_ADDRESS": address,
        ]
        bus = try Child(
            ["dbus-daemon", "--session", "--nofork", "--address=" + address, "--print-address=1"],
            environment
        )
        _ = try bus.line()
        daemon = try Child(
            ["sh", "-c", "printf password | exec gnome-keyring-daemon --unlock --components=secrets --foreground"],
            environment
        )
        // It says nothing, and who asks it for something too early has the bus start a second one, which would ask for
        // a password on a screen.
        let question = [
            "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
            "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets",
        ]
        for _ in 0..<200 where try !Child.output(of: question, environment).contains("true") { usleep(50_000) }
    }

    private func store() throws {
        let attributes = Self.attributes.joined(separator: " ")
        let command = "printf 'a password' | exec secret-tool store --label=label " + attributes
        _ = try Child.output(of: ["sh", "-c", command], environment)
    }

    private func stop() {
        daemon.stop()
        bus.stop()
    }

    private static func time(_ command: [String], _ environment: [String: String]) throws -> Double {
        let start = nanoseconds()
        _ = try Child.output(of: command, environment)
        return Double(nanoseconds() - start)
    }
}
