import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// A relay that somebody runs in a terminal.
@Suite("A relay in a terminal")
struct RelayTerminalTests {
    /// A relay in a shell's terminal, and what it logs.
    private struct Scene {
        let folder: TemporaryFolder
        let session: TerminalSession
        let relay: pid_t

        /// - Parameter before: what it is started by: "nohup", or nothing.
        init(before: String = "") async throws {
            let folder = try TemporaryFolder()
            let files = try await TestAuthority(in: folder).certificate(name: "IP:127.0.0.1", days: 1)
            // The relay takes the place of the inner shell, and the outer one waits for it and leads the session.
            session = try TerminalSession(
                "\(before) sh -c 'echo $$ > \"$0\"/pid; exec \"$@\" 2> \"$0\"/log' \"$@\" > \"$1\"/out; read line",
                [
                    folder.path, try Program.find("mildam-relay"), "serve", "--data", folder.file("data"), "--listen",
                    "127.0.0.1:0", "--certificate", files.chain, "--key", files.key,
                ],
                environment: [:]
            )
            try #require(await eventually { Self.count("started", in: folder) == 1 })
            let number = try String(contentsOfFile: folder.file("pid"), encoding: .utf8)
            guard let relay = pid_t(number.trimmingCharacters(in: .newlines)) else { throw CocoaError(.formatting) }
            self.relay = relay
            self.folder = folder
        }

        func logs(_ event: String, times count: Int) async -> Bool {
            await eventually { Self.count(event, in: folder) == count }
        }

        private static func count(_ event: String, in folder: TemporaryFolder) -> Int {
            let log = (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? ""
            return log.split(separator: "\n").count { $0.contains("\"event\":\"\(event)\"") }
        }
    }

    @Test func goesWithIt() async throws {
        let scene = try await Scene()
        scene.session.hangUp()
        #expect(await scene.logs("stopped", times: 1))
        #expect(await scene.logs("certificate_read", times: 0))
    }

    @Test func readsItsCertificateThere() async throws {
        let scene = try await Scene()
        kill(scene.relay, SIGHUP)
        #expect(await scene.logs("certificate_read", times: 1))
        kill(scene.relay, SIGTERM)
        #expect(await scene.logs("stopped", times: 1))
    }

    @Test func staysUnderNohup() async throws {
        let scene = try await Scene(before: "nohup")
        scene.session.hangUp()
        // The end of the terminal is taken for what somebody means who sends the signal.
        #expect(await scene.logs("certificate_read", times: 1))
        kill(scene.relay, SIGHUP)
        #expect(await scene.logs("certificate_read", times: 2))
        #expect(await scene.logs("stopping", times: 0))
        kill(scene.relay, SIGTERM)
        #expect(await scene.logs("stopped", times: 1))
    }
}
