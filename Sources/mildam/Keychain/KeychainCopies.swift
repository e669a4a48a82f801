import MildamKeychain
import MildamTerminal

let keychainCopies = ActionCommand(
    ["keychain", "copies"],
    summary: "List the copies of the keychain's last states, or put one back.",
    discussion: """
        They are made by themselves, at most one in a minute: ten, of 128 MiB together at most, in a folder beside the \
        keychain's file. Each is sealed as that is, and opened by the same. What was removed or changed is in the older \
        ones until they are gone; a change of what opens the keychain deletes them all. With a state that is put back, \
        sign-ins and the counters of one-time codes go back, too. What opens the keychain stays as it is, and so does the \
        profile's own key. Where something else has changed the keychain, what opened it then opens it again, together with \
        the way that is used now; slots that are lost by that are named.
        """,
    options: [
        OptionSpec(
            "restore",
            value: .init("STATE"),
            help: "Take the state of this number for the present one, which is copied before."
        ),
        OptionSpec("forget", help: "Delete the copies."),
        OptionSpec("yes", short: "y", help: "Do not ask."),
    ] + KeychainOpening.ofFile,
    examples: [
        .init("mildam keychain copies", "The newest first, each with the number of its state."),
        .init("mildam keychain copies --restore 412", "The keychain is as it was then."),
    ],
    exitNotes: [.init(.notFound, "there is no copy of that state"), .init(.refused, "it was not agreed to")]
) { action in
    let path = try action.keychainPath()
    let copies = try LocalKeychain.copies(of: path)
    let state = try action.invocation.integer("restore", in: 0...UInt64.max)
    if action.invocation.flag("forget") {
        guard state == nil else { throw action.wrong("--forget", "given without --restore") }
        return try action.forget(copies, of: path)
    }
    guard let state else { return try action.list(copies) }
    guard let copy = copies.first(where: { $0.number == state }) else { throw NoCopy(state: state) }
    return try await action.putBack(copy, at: path)
}

extension Action {
    fileprivate func list(_ copies: [KeychainCopy]) throws -> ExitStatus {
        let lines = copies.map { copy in
            CopyLine(state: copy.number, time: time(copy.time), items: try? copy.itemCount(), bytes: copy.size)
        }
        return try report.answer(["copies": lines]) {
            lines.isEmpty ? "nothing" : lines.map(\.text).joined(separator: "\n")
        }
    }

    fileprivate func forget(_ copies: [KeychainCopy], of path: String) throws -> ExitStatus {
        try agree("Delete \(copies.count) copies of the keychain's earlier states?")
        try LocalKeychain.removeCopies(of: path)
        return try report.answer(["deleted": copies.count]) { "deleted \(copies.count) copies" }
    }

    fileprivate func putBack(_ copy: KeychainCopy, at path: String) async throws -> ExitStatus {
        let line = CopyLine(
            state: copy.number,
            time: time(copy.time),
            items: try copy.itemCount(),
            bytes: copy.size
        )
        try agree("Take the state of \(line.time) for the present one? What was kept since is in a copy of that alone.")
        let keychain = try LocalKeychain(path: path, options: try keychainOptions())
        try await unlockForRepair(keychain, try await slotSecret())
        let restored = try await keychain.putBack(copy)
        // What an agent has refused before, it looks at again once it is unlocked anew.
        for agent in try place().keychain.everyAgent().agents { try? agent.lock() }
        return try report.answer(RestoredCopy(line, restored)) {
            var parts = ["the keychain is as it was at \(line.time): \(line.items ?? 0) items"]
            if restored.keptParts > 0 { parts.append("the profile's own key stays") }
            let file = restored.keptFile.map { shown("what it was before is kept: \($0)") }
            parts.append(file ?? "the copies have what it was before")
            if !restored.lostSlots.isEmpty {
                let numbers = restored.lostSlots.map(String.init).joined(separator: ", ")
                parts.append("no longer open it: the slots of the numbers \(numbers)")
            }
            return parts.joined(separator: "; ")
        }
    }

    private func agree(_ question: String) throws {
        guard !invocation.flag("yes") else { return }
        guard try Prompt().confirm(question, option: "--yes") else { throw Declined() }
    }
}

/// A copy as it is listed.
private struct CopyLine: Encodable {
    var state: UInt64
    var time: String
    /// Missing of a copy that is damaged.
    var items: Int?
    var bytes: Int?

    var text: String {
        "\(state)  \(time)  \(items.map { "\($0) items" } ?? "damaged")  \((bytes ?? 0) / 1024) KiB"
    }
}

/// A state that was put back.
private struct RestoredCopy: Encodable {
    var restored: CopyLine
    /// The file that has what was there before; missing where a copy has it.
    var kept: String?
    /// How many items of the profile itself stayed.
    var stayed: Int
    /// The numbers of the slots that no longer open the keychain.
    var lostSlots: [Int64]

    init(_ line: CopyLine, _ state: RestoredState) {
        restored = line
        kept = state.keptFile
        stayed = state.keptParts
        lostSlots = state.lostSlots
    }
}

/// There is no copy of a state.
private struct NoCopy: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.notFound
    let state: UInt64

    var description: String { "there is no copy of state \(state); `mildam keychain copies` lists those there are" }
}
