import Foundation
import Glibc
import MildamSystem

/// The clients of profiles, which go on running when a command has ended.
enum RunningClients {
    /// Ends those of all profiles in a folder at once.
    static func end(in home: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? [] {
            end(of: home + "/" + name)
        }
    }

    /// Ends that of a profile's folder at once, where there is one.
    static func end(of folder: String) {
        try? end(at: folder + "/agent/client")
    }

    private static func end(at socket: String) throws {
        let process = try ProcessHandle(of: try UnixConnection.connect(to: socket))
        try process.send(signal: SIGKILL)
    }
}
