import Foundation
import Glibc
import TestSupport

/// A display of the tests' own, and its clipboard.
final class Display: Sendable {
    /// How the clipboard is reached.
    enum Way: String {
        case xclip
        case xsel
        case wayland

        /// Whether the programs are here. Under `CI` their absence fails the suite.
        var isExpected: Bool { self == .wayland ? Display.isWaylandExpected : Display.isX11Expected }
    }

    static let isX11Expected = Program.areExpected(["Xvfb", "xclip", "xsel"], from: "xvfb xclip xsel")
    private static let isWaylandExpected = Program.areExpected(["sway", "wl-copy"], from: "sway wl-clipboard")
    /// Those ways whose programs are here.
    static let ways = [Way.xclip, .xsel, .wayland].filter(\.isExpected)

    private let way: Way
    private let folder: TemporaryFolder
    private let server: Program
    /// What leads to it, and to no other.
    let environment: [String: String]

    init(_ way: Way) async throws {
        self.way = way
        folder = try TemporaryFolder()
        if way == .wayland {
            (server, environment) = try await Self.sway(in: folder.path)
        } else {
            (server, environment) = try Self.xvfb()
        }
    }

    private static func xvfb() throws -> (Program, [String: String]) {
        let server = try Program("Xvfb", ["-displayfd", "1", "-screen", "0", "64x64x8", "-nolisten", "tcp"])
        for _ in 0..<30 {
            if let line = (0..<10).lazy.compactMap({ server.line(containing: "\($0)", within: 0.1) }).first {
                return (server, ["DISPLAY": ":" + line, "WAYLAND_DISPLAY": ""])
            }
        }
        throw CocoaError(.executableLoad, userInfo: [NSDebugDescriptionErrorKey: "Xvfb does not start"])
    }

    /// A compositor without a screen. It does not run as the superuser.
    private static func sway(in folder: String) async throws -> (Program, [String: String]) {
        try "".write(toFile: folder + "/config", atomically: true, encoding: .utf8)
        var arguments = ["sway", "-c", folder + "/config"]
        if getuid() == 0 {
            let nobody: uid_t = 65534
            guard unsafe chown(folder, nobody, nobody) == 0 else { throw CocoaError(.fileWriteNoPermission) }
            arguments = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + arguments
        }
        let server = try Program(
            arguments[0],
            Array(arguments.dropFirst()),
            environment: [
                "XDG_RUNTIME_DIR": folder, "HOME": folder, "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman",
                "WLR_LIBINPUT_NO_DEVICES": "1",
            ]
        )
        let isThere = await eventually { FileManager.default.fileExists(atPath: folder + "/wayland-1") }
        guard isThere else {
            throw CocoaError(.executableLoad, userInfo: [NSDebugDescriptionErrorKey: "sway does not start"])
        }
        return (server, ["XDG_RUNTIME_DIR": folder, "WAYLAND_DISPLAY": "wayland-1", "DISPLAY": ""])
    }

    deinit {
        server.signal(SIGKILL)
        server.wait()
    }

    /// What is in the clipboard, as another program sees it; empty for nothing.
    func content() async throws -> String {
        let command = way == .wayland ? ["wl-paste", "--no-newline"] : ["xclip", "-selection", "clipboard", "-out"]
        return try await Program.result(of: command[0], Array(command.dropFirst()), environment: environment).output
    }

    /// Puts something there, as another program does.
    func copy(_ text: String) async throws {
        let command = way == .wayland ? "wl-copy --type text/plain" : "xclip -selection clipboard -in"
        // What stays behind to answer for it would keep our pipe open.
        let line = "printf %s '\(text)' | \(command) >/dev/null 2>&1"
        _ = try await Program.result(of: "sh", ["-c", line], environment: environment)
    }
}
