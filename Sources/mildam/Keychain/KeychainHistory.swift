import FoundationEssentials
import MildamCrypto
import MildamKeychain
import MildamTerminal

let keychainHistory = ActionCommand(
    ["keychain", "history"],
    summary: "List the values that an item had, or give it one again.",
    discussion: """
        `mildam keychain set`, `edit`, `generate` and `import --replace` keep the last five values that they replace, sealed \
        as they were. The newest comes first. They go with the item.
        """,
    operands: [serviceOperand, accountOperand],
    options: [
        OptionSpec("show", value: .init("N"), help: "Print the value that is listed under this number."),
        OptionSpec(
            "restore",
            value: .init("N"),
            help: "Give the item this value again; the one that it has is kept."
        ),
        OptionSpec("forget", value: .init("N"), help: "Give up this value for good."),
        fieldOption, numberOption, serverOption, itemGroupOption,
    ] + KeychainOpening.all,
    examples: [
        .init("mildam keychain history example.org alice", "When each was replaced."),
        .init("mildam keychain history example.org alice --restore 7", "As listed."),
    ],
    exitNotes: [
        .init(.notFound, "there is no such item, or no such value of it"),
        .init(.refused, "several items have the name; they are listed"),
    ]
) { action in
    let wish = try action.pastWish()
    let keychain = try await action.openKeychain()
    let chooser = ItemChooser(keychain)
    let isChange = wish?.isChange ?? false
    let item = isChange ? try action.itemToChange(from: chooser) : try action.item(from: chooser)
    let values = Array(try keychain.past(of: item.reference).reversed())
    guard let wanted = wish else {
        return try action.report.answer(["values": values.map { PastLine($0, action) }]) {
            values.isEmpty ? "no other value is kept" : values.map(\.historyLine).joined(separator: "\n")
        }
    }
    guard values.contains(where: { $0.number == wanted.number }) else {
        throw NoPast(number: wanted.number, list: "history")
    }
    let line = ItemLine(item)
    switch wanted {
    case .show(let number): return try action.show(keychain.pastSecret(number))
    case .restore(let number):
        // Every item has the date: it is the keychain that writes it.
        try keychain.restore(number, unlessChangedSince: item.attributes.date(.modificationDate) ?? 0)
        return try action.report.answer(["restored": line]) {
            "\(line.name) has that value again; the one that it had is kept"
        }
    case .forget(let number):
        try keychain.forget(number)
        return try action.report.answer(["forgotten": 1]) { "gave up a value of \(line.name)" }
    }
}

/// What is to become of a former value.
private enum PastWish {
    case show(Int64)
    case restore(Int64)
    case forget(Int64)

    var number: Int64 {
        switch self {
        case .show(let number), .restore(let number), .forget(let number): number
        }
    }

    /// Whether it needs the exact name of the item.
    var isChange: Bool {
        if case .show = self { false } else { true }
    }
}

extension Action {
    fileprivate func pastWish() throws(UsageError) -> PastWish? {
        let wishes = [
            try pastNumber("show").map(PastWish.show), try pastNumber("restore").map(PastWish.restore),
            try pastNumber("forget").map(PastWish.forget),
        ].compactMap(\.self)
        guard wishes.count < 2 else { throw wrong("--show, --restore and --forget", "given one at a time") }
        return wishes.first
    }

    private func pastNumber(_ option: String) throws(UsageError) -> Int64? {
        try invocation.integer(option, in: 1...Int64.max)
    }

    fileprivate func show(_ secret: SecretValue) throws -> ExitStatus {
        guard report.isJSON else {
            try writeOut(secret)
            return .done
        }
        return try report.answer(PastSecret(secret)) { "" }
    }
}

/// A former value for a program: text where it is text, base64 otherwise.
private struct PastSecret: Encodable {
    var secret: String?
    var base64: String?

    init(_ value: SecretValue) {
        secret = value.text
        guard secret == nil else { return }
        var bytes = value.bytes
        defer { bytes.wipe() }
        base64 = Data(bytes).base64EncodedString()
    }
}

extension PastItem {
    /// "7  replaced 2026-11-21 18:04".
    fileprivate var historyLine: String { "\(number)  replaced \(LocalTime(time).text)" }
}
