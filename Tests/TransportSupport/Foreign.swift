import Foundation
import TestSupport

/// Programs that no one here wrote. Under `CI` they count as there, so that a missing one fails.
enum Foreign {
    static let h11 = isExpected("python3-h11") { hasModule("h11") }
    static let websockets = isExpected("python3-websockets") { hasModule("websockets") }
    static let curl = isExpected("curl") { (try? Program.find("curl")) != nil }
    static let ab = isExpected("apache2-utils") { (try? Program.find("ab")) != nil }
    static let wrk = isExpected("wrk") { (try? Program.find("wrk")) != nil }
    static let nginx = isExpected("nginx-light") { FileManager.default.isExecutableFile(atPath: nginxPath) }

    static let terminal = isExpected("bsdutils") { (try? Program.find("script")) != nil }

    /// Debian's Python, which has Debian's packages.
    static let python = "/usr/bin/python3"
    /// Not on everyone's PATH.
    static let nginxPath = "/usr/sbin/nginx"

    private static func hasModule(_ name: String) -> Bool {
        (try? Program.run(python, ["-c", "import \(name)"]))?.status == 0
    }

    private static func isExpected(_ package: String, _ isThere: () -> Bool) -> Bool {
        let run = isThere() || ProcessInfo.processInfo.environment["CI"] != nil
        if !run { print("skipped: the tests with \(package); `Scripts/bootstrap test` installs it") }
        return run
    }
}
