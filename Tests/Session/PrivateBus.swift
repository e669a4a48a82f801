import Foundation
import TestSupport
import Testing

/// A bus of the tests' own, which takes the system bus's place, and a small logind on it.
final class PrivateBus {
    private let folder: TemporaryFolder
    private var daemon: Program?
    private(set) var logind: Program?
    private var starts = 0

    /// Where the bus is, as an address of D-Bus.
    private var address: String { "unix:path=" + folder.file("bus") }

    /// Makes the place, and has this process look for the system bus there; nothing runs yet.
    init() throws {
        folder = try TemporaryFolder()
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow own="*"/>
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
              </policy>
            </busconfig>
            """
        try configuration.write(toFile: folder.file("configuration"), atomically: true, encoding: .utf8)
        unsafe setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1)
    }

    deinit {
        stop()
        unsafe unsetenv("DBUS_SYSTEM_BUS_ADDRESS")
    }

    /// Starts the bus.
    func startBus() throws {
        let daemon = try Program(
            "dbus-daemon",
            ["--config-file=" + folder.file("configuration"), "--nofork", "--nopidfile", "--print-address"]
        )
        try #require(daemon.line(containing: "unix:path=") != nil)
        self.daemon = daemon
    }

    /// Starts the logind.
    func startLogind() throws {
        try Data().write(to: URL(fileURLWithPath: folder.file("commands")))
        let logind = try Program("/usr/bin/python3", [Self.script, address, folder.file("commands"), "\(getuid())"])
        try #require(logind.line(containing: "logind") != nil)
        self.logind = logind
    }

    /// Ends both, without a word.
    func stop() {
        stopLogind()
        daemon?.signal(SIGKILL)
        daemon?.wait()
        daemon = nil
    }

    func stopLogind() {
        logind?.signal(SIGKILL)
        logind?.wait()
        logind = nil
    }

    /// Has the logind do something, and waits until it has.
    func tell(_ command: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file("commands")))
        try file.seekToEnd()
        starts += 1
        try file.write(contentsOf: Data("\(command) #\(starts)\n".utf8))
        try file.close()
        try #require(logind?.line(containing: "did \(command) #\(starts)") != nil)
    }

    /// Waits for a line of the logind.
    func hears(_ text: String, within seconds: Double = 20) -> Bool {
        logind?.line(containing: text, within: seconds) != nil
    }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Peers/logind.py").path
}
