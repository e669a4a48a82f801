import MildamKeychain
import MildamTerminal

extension Action {
    /// Says what was found in a keychain.
    @discardableResult
    func tell(_ found: KeychainReport) throws -> ExitStatus {
        let answer = ReportAnswer(
            items: found.items,
            damaged: found.damaged,
            unopened: found.unopened,
            problem: found.problem.map { "\($0)" }
        )
        return try report.answer(answer) { line(of: found) }
    }

    /// What was found, for people: a line for each kind of fault.
    func line(of found: KeychainReport) -> String {
        var lines = ["\(found.items) items, \(found.damaged.count) damaged, \(found.unopened) not looked into"]
        if !found.damaged.isEmpty {
            lines.append("damaged: " + found.damaged.map(String.init).joined(separator: ", "))
        }
        if let problem = found.problem { lines.append(shown("\(problem)")) }
        return lines.joined(separator: "\n")
    }
}

private struct ReportAnswer: Encodable {
    var items: Int
    var damaged: [Int64]
    var unopened: Int
    var problem: String?
}
