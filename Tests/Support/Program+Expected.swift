import Foundation

extension Program {
    /// Whether a suite that needs these programs runs; where it does not, says so. Under `CI` it always does, so that a
    /// missing program fails it.
    ///
    /// - Parameter packages: what to install.
    public static func areExpected(_ names: [String], from packages: String) -> Bool {
        let missing = names.filter { (try? find($0)) == nil }
        if !missing.isEmpty {
            print("skipped: what needs \(missing.joined(separator: ", ")); `apt-get install \(packages)` brings it")
        }
        return missing.isEmpty || ProcessInfo.processInfo.environment["CI"] != nil
    }
}
