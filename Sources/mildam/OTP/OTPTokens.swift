import MildamOneTimeCode
import MildamProfile
import MildamTerminal

let tokenOperand = Operand("NAME", help: "The token: its account or issuer, or a part that only one has.")

/// The tokens that are kept.
extension Action {
    func tokens() async throws -> OneTimeCodeStore { OneTimeCodeStore(keychain: try await openKeychain()) }

    /// The tokens; what lies beside them and is none is not passed over in silence.
    func told(_ kept: (tokens: [OneTimeCodeStore.Entry], others: [String])) -> [OneTimeCodeStore.Entry] {
        for account in kept.others {
            console.complain(
                shown("mildam: the item \(OneTimeCodeStore.service), \(account), is no token; it was left out")
            )
        }
        return kept.tokens
    }

    /// Keeps what was read, and names what is no token.
    func keep(_ found: [TokenImport.Row]) async throws -> ExitStatus {
        let store = try await tokens()
        var refused: [RefusedRow] = []
        var statuses: [ExitStatus] = []
        var kept = 0
        for row in found {
            switch row.token {
            case .success(let token):
                do {
                    try store.keep(token)
                    kept += 1
                } catch let error as AnotherToken {
                    refused.append(RefusedRow(row: row.number, reason: "\(error)"))
                    statuses.append(error.exitStatus)
                }
            case .failure(let error):
                refused.append(RefusedRow(row: row.number, reason: "\(error)"))
                statuses.append(error.exitStatus)
            }
        }
        for row in refused { report.note("row \(row.row): \(row.reason)") }
        let (count, rows) = (kept, refused)
        try report.answer(ImportAnswer(kept: count, refused: rows)) {
            rows.isEmpty ? "kept \(count)" : "kept \(count), \(rows.count) not"
        }
        return .of(statuses)
    }

    func bytes(limit: Int) throws -> [UInt8] {
        guard let bytes = try standardInput(limit: limit) else {
            throw ImportError.tooLarge(limit: limit)
        }
        return bytes
    }
}

private struct RefusedRow: Encodable {
    var row: Int
    var reason: String
}

private struct ImportAnswer: Encodable {
    var kept: Int
    var refused: [RefusedRow]
}
