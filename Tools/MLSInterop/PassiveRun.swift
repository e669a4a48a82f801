import Foundation

/// A run of passive-client files.
public struct PassiveRun: Sendable {
    /// How many cases came out as their file says.
    public private(set) var passed = 0
    /// How many did not, files that cannot be read or hold nothing among them.
    public private(set) var failed = 0
    /// How many commits were followed.
    public private(set) var commits = 0
    /// What failed, and how.
    public private(set) var complaints: [String] = []

    /// A run of nothing yet.
    public init() {}

    /// Runs the cases of a file.
    public mutating func run(_ path: String) {
        let cases: [PassiveCase]
        do {
            cases = try JSONDecoder().decode([PassiveCase].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            return fail("\(path): cannot be read: \(error)")
        }
        if cases.isEmpty { fail("\(path): holds no case") }
        for (number, one) in cases.enumerated() {
            do {
                commits += try one.follow()
                passed += 1
            } catch {
                fail("\(path): case \(number), suite \(one.cipher_suite): \(error)")
            }
        }
    }

    private mutating func fail(_ complaint: String) {
        failed += 1
        complaints.append(complaint)
    }

    /// "N passed, M failed".
    public var summary: String { "\(passed) passed, \(failed) failed" }
}
