import MildamKeychain
import MildamTerminal

let enclaveList = ActionCommand(
    ["enclave", "list"],
    summary: "List the keys.",
    options: [enclaveGroupOption] + KeychainOpening.all,
    examples: [.init("mildam enclave list --json", "With the public keys.")],
    exitNotes: [.init(.damaged, "what is kept of a key is damaged; the others are listed")]
) { action in
    var lines: [EnclaveKeyLine] = []
    var damaged: [String] = []
    for key in try await action.enclaveKeys().all(group: action.invocation.value("group")) {
        do throws(EnclaveKeyError) {
            lines.append(EnclaveKeyLine(key.name, try key.blob(), group: key.accessGroup))
        } catch {
            damaged.append(key.name)
            action.report.note("\(error)")
        }
    }
    let answer = EnclaveKeyList(keys: lines, damaged: damaged)
    try action.report.answer(answer) {
        answer.keys.isEmpty ? "nothing" : answer.keys.map(\.text).joined(separator: "\n")
    }
    return answer.damaged.isEmpty ? .done : .damaged
}

/// Keys, and the names of those that are damaged.
private struct EnclaveKeyList: Encodable {
    var keys: [EnclaveKeyLine]
    var damaged: [String]
}
