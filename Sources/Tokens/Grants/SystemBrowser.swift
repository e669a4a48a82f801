import Glibc
import MildamSystem

/// The person's browser, by `xdg-open`.
public enum SystemBrowser {
    /// Shows an address. It is given to the program as one argument, through no shell, and begins with "http".
    ///
    /// - Throws: `TokenError.noBrowser` where there is no `xdg-open` on PATH, or it cannot be started.
    public static func open(_ url: ServerURL) throws(TokenError) {
        guard let path = find("xdg-open") else { throw .noBrowser }
        do throws(SystemError) {
            let nothing = try Descriptor.open("/dev/null", O_RDWR)
            let process = try Launch(
                path: path,
                arguments: [url.description],
                environment: environment(),
                streams: [nothing.number, nothing.number, nothing.number],
                isDetached: true
            ).start()
            // It may stay as long as the browser does, and is not to stay in the list of processes then.
            Thread.detach(named: "mildam-browser") {
                var status: Int32 = 0
                while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            }
        } catch {
            throw .noBrowser
        }
    }

    /// A program in one of the absolute folders of PATH.
    private static func find(_ name: String) -> String? {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
        return path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    /// This process's own environment: the browser needs the display's address, and the bus's.
    private static func environment() -> [String] {
        guard let file = try? Descriptor.open("/proc/self/environ", O_RDONLY),
            let bytes = try? file.read(upTo: 1 << 20, at: 0)
        else { return [] }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}
