import Glibc
import MildamCrypto
import MildamFiles
import MildamKeychain
import MildamSystem
import MildamTerminal

let keychainSet = ActionCommand(
    ["keychain", "set"],
    summary: "Keep a password or another secret.",
    discussion: """
        The secret comes from standard input, without the line break at its end, or is asked for, twice. An empty one is \
        refused. What is there under exactly this name is replaced, be it another program's or imported, and never \
        deleted first; on a terminal that is asked.
        """,
    operands: [serviceOperand, accountOperand],
    options: [
        OptionSpec("label", value: .init("TEXT"), help: "What people see."),
        OptionSpec("comment", value: .init("TEXT"), help: "A note, sealed like every attribute."),
        OptionSpec(
            "accessible",
            value: .init("WHEN", completion: .choices(KeychainWhen.names)),
            help: "When it can be read: \(KeychainWhen.names.joined(separator: ", ")); unlocked unless given."
        ),
        OptionSpec("exact", help: "Keep the line break at the end, too."),
        OptionSpec("replace", help: "Do not ask whether what is there is to be replaced."),
        numberOption, serverOption, itemGroupOption,
    ] + SecretOption.item.options + KeychainOpening.all,
    examples: [.init("mildam keychain set example.org alice < password.txt", "From a file.")],
    exitNotes: [.init(.refused, "several have the name; they are listed")]
) { action in
    let secret = try action.newSecret()
    let change = try action.change(secret)
    let name = try action.itemName()
    let keychain = try await action.openKeychain()
    guard let item = try ItemChooser(keychain).itemToReplace(named: name) else {
        try keychain.add(action.newItem(name, change, secret))
        return try action.report.answer(["kept": true]) { "kept" }
    }
    let line = ItemLine(item)
    try action.askWhetherToReplace(line)
    try keychain.update(KeychainQuery(item.reference), change)
    return try action.report.answer(ReplacedItem(replaced: line)) { "kept, in place of what was in \(line.name)" }
}

private struct ReplacedItem: Encodable {
    var kept = true
    var replaced: ItemLine
}

extension Action {
    /// What is to be kept, whether an item is there or not.
    fileprivate func change(_ secret: SecretValue) throws -> ItemChange {
        var change = ItemChange(secret: secret)
        if let label = invocation.value("label") { change.attributes[.label] = .text(label) }
        if let comment = invocation.value("comment") { change.attributes[.comment] = .text(comment) }
        if let name = invocation.value("accessible") {
            guard let accessibility = KeychainWhen.accessibility(name) else {
                throw wrong("--accessible", KeychainWhen.names.joined(separator: ", "))
            }
            change.accessibility = accessibility
        }
        return change
    }

    fileprivate func newItem(_ name: ItemName, _ change: ItemChange, _ secret: SecretValue) throws -> NewItem {
        guard name.number == nil else { throw NoItem(name: name, near: nil) }
        let itemClass = name.isServer ? ItemClass.internetPassword : .genericPassword
        var attributes: ItemAttributes = [:]
        for (attribute, value) in change.attributes { attributes[attribute] = value }
        attributes[name.isServer ? .server : .service] = .text(name.text)
        attributes[.account] = .text(name.account ?? "")
        var item = NewItem(itemClass, attributes, secret: secret)
        item.accessGroup = name.group
        if let accessibility = change.accessibility { item.accessibility = accessibility }
        return item
    }

    /// Asks, where somebody is there to be asked.
    fileprivate func askWhetherToReplace(_ line: ItemLine) throws {
        guard !invocation.flag("replace") else { return }
        let isAgreed: Bool
        do throws(PromptError) {
            isAgreed = try Prompt().confirm("Replace what is in \(line.name)?", option: "--replace")
        } catch .noTerminal {
            return
        }
        guard isAgreed else { throw Declined() }
    }

    /// From where the command line says, from standard input or, where that is a terminal, from whoever sits there.
    fileprivate func newSecret() throws -> SecretValue {
        var source = try invocation.source(of: .item)
        if source == nil, isatty(STDIN_FILENO) == 0 {
            try claimStandardInput()
            source = .descriptor(STDIN_FILENO)
        }
        let secret = SecretValue(
            try source.map(content) ?? self.secret(.item, "Secret", confirming: true)
        )
        guard secret.count > 0 else { throw SecretRefusal.empty }
        return secret
    }

    /// All that a place holds; without the line break at its end, unless that is asked for.
    private func content(of source: SecretSource) throws -> SecretBytes {
        let limit = SecretValue.maximumSize
        let read =
            switch source {
            case .file(let path): try SecretBytes.reading(Descriptor.open(path, O_RDONLY | O_NOCTTY), limit: limit, path: path)
            case .descriptor(let number): try SecretBytes.reading(Descriptor.copy(of: number), limit: limit)
            }
        guard let read else { throw KeychainError.invalidRequest(reason: "a secret of more than 4 MiB") }
        let text = read.span
        guard !invocation.flag("exact"), !text.isEmpty, text[text.count - 1] == UInt8(ascii: "\n") else { return read }
        return SecretBytes(copying: text.extracting(..<(text.count - 1)))
    }
}
