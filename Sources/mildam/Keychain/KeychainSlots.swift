import MildamKeychain
import MildamTerminal

let keychainSlots = ActionCommand(
    ["keychain", "slots"],
    summary: "List what opens the keychain.",
    examples: [.init("mildam keychain slots", "What they are, and since when.")]
) { action in
    let slots = try LocalKeychain(path: try action.keychainPath()).slots()
    let lines = slots.map { SlotLine(number: $0.number, way: $0.kind.option, created: action.time($0.created)) }
    return try action.report.answer(["slots": lines]) {
        lines.map { "\($0.number)  \($0.created.prefix(10))  \($0.way)" }.joined(separator: "\n")
    }
}

private struct SlotLine: Encodable {
    var number: Int64
    var way: String
    var created: String
}
