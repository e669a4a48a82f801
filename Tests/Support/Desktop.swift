import Foundation

/// A desktop's keyring of its own: GNOME Keyring on a private session bus, in a home that is gone when it is.
public final class Desktop {
    private let folder: TemporaryFolder
    private let bus: Program
    private let keyring: Program

    /// Whether the programs are here. Under `CI` their absence fails the suite.
    public static let isExpected: Bool = {
        let missing = ["dbus-daemon", "dbus-send", "gnome-keyring-daemon", "secret-tool"].filter {
            (try? Program.find($0)) == nil
        }
        if !missing.isEmpty { print("skipped: a desktop's keyring; these are missing: \(missing)") }
        return missing.isEmpty || ProcessInfo.processInfo.environment["CI"] != nil
    }()

    /// What leads a program to it.
    public var environment: [String: String] {
        [
            "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "XDG_DATA_HOME": folder.file("data"),
            "DBUS_SESSION_BUS_ADDRESS": address,
        ]
    }

    private var address: String { "unix:path=" + folder.file("bus") }

    /// Starts it.
    public init() throws {
        folder = try TemporaryFolder()
        let own = "unix:path=" + folder.file("bus")
        let variables = [
            "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "XDG_DATA_HOME": folder.file("data"),
            "DBUS_SESSION_BUS_ADDRESS": own,
        ]
        bus = try Program(
            "dbus-daemon",
            ["--session", "--nofork", "--address=\(own)", "--print-address=1"],
            environment: variables
        )
        _ = bus.line(containing: "unix:path")
        keyring = try Program(
            "gnome-keyring-daemon",
            ["--unlock", "--components=secrets", "--foreground"],
            input: "password",
            environment: variables
        )
        // It says nothing, and who asks it for something too early has the bus start a second one, which would ask for a
        // password on a screen.
        for _ in 0..<200 {
            if try Self.isThere(variables) { break }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    private static func isThere(_ variables: [String: String]) throws -> Bool {
        let question = ["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"]
        let name = ["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]
        return try Program.run("dbus-send", question + name, environment: variables).output.contains("true")
    }

    deinit {
        // Started from a thread that blocks signals, they do not hear any other.
        keyring.signal(SIGKILL)
        bus.signal(SIGKILL)
        keyring.wait()
        bus.wait()
    }

    /// Puts a secret there.
    public func store(_ secret: String, label: String, _ attributes: [String]) throws {
        let run = try Program.run(
            "secret-tool",
            ["store", "--label=\(label)"] + attributes,
            input: secret,
            environment: environment
        )
        guard run.status == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSDebugDescriptionErrorKey: "\(run)"])
        }
    }

    /// Locks the collection. Version 0.20.5 of the program does so, and crashes then.
    public func lock() throws {
        _ = try Program.run("secret-tool", ["lock", "--collection=login"], environment: environment)
    }

    /// Runs `body` as a program of this desktop's session.
    public func session<Result>(_ body: () throws -> Result) rethrows -> Result {
        unsafe setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
        defer { unsafe unsetenv("DBUS_SESSION_BUS_ADDRESS") }
        return try body()
    }
}
