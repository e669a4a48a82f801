import FoundationEssentials
import Glibc
import MildamCrypto
import MildamKeychain
import MildamProfile
import MildamSystem
import MildamTerminal

/// Secrets: kept, printed, listed, removed.
extension Action {
    func setSecret() async throws {
        var item = NewItem(itemClass, attributes(), secret: try newSecret())
        item.accessGroup = invocation.value("group")
        if let label = invocation.value("label") { item.attributes[.label] = .text(label) }
        if let comment = invocation.value("comment") { item.attributes[.comment] = .text(comment) }
        if let name = invocation.value("accessible") {
            guard let accessibility = KeychainWhen.accessibility(name) else {
                throw UsageError(
                    .invalidValue(name: "--accessible", expected: KeychainWhen.names.joined(separator: ", ")),
                    command: invocation.fullName
                )
            }
            item.accessibility = accessibility
        }
        try await openKeychain().set(item)
        try report.answer(["kept": true]) { "kept" }
    }

    func getSecret() async throws {
        let item = try await openKeychain().item(query())
        guard let secret = item.secret else { throw KeychainError.itemNotFound }
        if report.isJSON {
            var bytes = secret.bytes
            defer { bytes.wipe() }
            return try report.answer(SecretLine(item, Data(bytes))) { "" }
        }
        try writeOut(secret)
    }

    func listSecrets() async throws {
        var query = KeychainQuery(itemClass)
        if let service = invocation.optionalOperand("SERVICE") { query.attributes[serviceAttribute] = .text(service) }
        query.accessGroup = invocation.value("group")
        query.synchronizable = .any
        let keychain = try await openKeychain()
        let found = try keychain.all(query, returningSecrets: false).map(ItemLine.init)
        try report.answer(["items": found]) {
            found.isEmpty ? "nothing" : found.map(\.text).joined(separator: "\n")
        }
    }

    func removeSecret() async throws {
        let keychain = try await openKeychain()
        if invocation.value("group") == nil {
            let found = try keychain.all(query(), returningSecrets: false)
            guard !found.contains(where: { $0.accessGroup == ProfileRootKey.accessGroup }) else {
                throw ProfileKeyStays()
            }
        }
        let count = try keychain.delete(query())
        try report.answer(["removed": count]) { "removed" }
    }

    // MARK: Parts

    private var itemClass: ItemClass { invocation.flag("server") ? .internetPassword : .genericPassword }
    private var serviceAttribute: ItemAttribute { invocation.flag("server") ? .server : .service }

    private func attributes() -> ItemAttributes {
        var attributes: ItemAttributes = [:]
        attributes[serviceAttribute] = .text(invocation.operand("SERVICE"))
        attributes[.account] = .text(invocation.operand("ACCOUNT"))
        return attributes
    }

    private func query() -> KeychainQuery {
        var query = KeychainQuery(itemClass, attributes())
        query.accessGroup = invocation.value("group")
        query.synchronizable = .any
        return query
    }

    /// From standard input or, where that is a terminal, from whoever sits there.
    private func newSecret() throws -> SecretValue {
        guard isatty(STDIN_FILENO) == 0 else {
            return SecretValue(
                try Prompt().password("Secret: ", option: "standard input") { SecretBytes(copying: $0) }
            )
        }
        guard var bytes = try StandardInput.bytes(limit: SecretValue.maximumSize) else {
            throw KeychainError.invalidRequest(reason: "a secret of more than 4 MiB")
        }
        defer { bytes.wipe() }
        if !invocation.flag("exact"), bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return SecretValue(copying: bytes.span)
    }

    /// The bytes as they are, and a line break for a terminal.
    func writeOut(_ secret: SecretValue) throws {
        var bytes = secret.bytes
        defer { bytes.wipe() }
        if isatty(STDOUT_FILENO) == 1 { bytes.append(UInt8(ascii: "\n")) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw SystemError.last("write", "standard output") }
            rest = rest.dropFirst(written)
        }
    }
}

/// An item as it is listed.
private struct ItemLine: Encodable {
    var number: Int64
    var service: String
    var account: String
    var label: String?
    var comment: String?
    var group: String
    var accessible: String

    init(_ item: KeychainItem) {
        number = item.reference.number
        service = item.attributes.text(.service) ?? item.attributes.text(.server) ?? ""
        account = item.attributes.text(.account) ?? ""
        label = item.attributes.text(.label)
        comment = item.attributes.text(.comment)
        group = item.accessGroup
        accessible = KeychainWhen.name(item.accessibility)
    }

    var text: String { shown([service, account, label ?? ""].filter { !$0.isEmpty }.joined(separator: "  ")) }
}

/// A secret for a program: text where it is text, base64 otherwise.
private struct SecretLine: Encodable {
    var service: String
    var account: String
    var secret: String?
    var base64: String?

    init(_ item: KeychainItem, _ bytes: Data) {
        let line = ItemLine(item)
        service = line.service
        account = line.account
        secret = item.secret?.text
        base64 = secret == nil ? bytes.base64EncodedString() : nil
    }
}

/// What is to be removed is the profile's own key.
struct ProfileKeyStays: Error, CustomStringConvertible {
    var description: String {
        "this is the key of the profile itself: without it, its messages and its vaults open to nobody; to remove it all "
            + "the same, name its group: --group \(ProfileRootKey.accessGroup)"
    }
}
