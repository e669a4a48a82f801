import Foundation

/// Whether the `age` programs are here. Under `CI` their absence fails the suite.
public let ageIsExpected: Bool = {
    let isInstalled = (try? Program.find("age")) != nil && (try? Program.find("age-keygen")) != nil
    if !isInstalled { print("skipped: the suite against the age program; `apt-get install age` brings it") }
    return isInstalled || ProcessInfo.processInfo.environment["CI"] != nil
}()
