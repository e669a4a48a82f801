import MildamCrypto
import MildamWire

/// Bitwarden's JSON exports: in clear, and encrypted under a password of the export's own ("password protected").
///
/// Logins, notes, cards, identities and SSH keys are read, with their fields; folders become comments. Passkeys,
/// attachments (which no export has), earlier passwords and marks are counted. An export that only the account itself can
/// open ("account restricted") cannot be read.
public enum BitwardenImport {
    /// Reads an export.
    ///
    /// - Parameter password: the export's, where it has one.
    /// - Throws: `tooLarge`; `notUTF8`, `malformed`, `notThisFormat`; `needsPassword`, `wrongPassword`, `damaged`,
    ///   `costsTooHigh`, `unsupported`; `tooManyRows`.
    public static func read(_ text: Span<UInt8>, password: SecretValue? = nil) throws(TransferError) -> ImportedLogins {
        guard text.count <= TransferLimits.documentSize else { throw .tooLarge(limit: TransferLimits.documentSize) }
        let root = try parse(text)
        guard root["encrypted"]?.flag == true else { return try items(of: root, in: text) }
        guard root["passwordProtected"]?.flag == true else {
            throw .unsupported(
                reason:
                    "this export can be opened by its own Bitwarden account only; export it again, password protected"
            )
        }
        guard let password else { throw .needsPassword }
        let content = try content(of: root, in: text, password)
        let inner = try parse(content.span)
        return try items(of: inner, in: content.span)
    }

    private static func parse(_ text: Span<UInt8>) throws(TransferError) -> JSONNode {
        do throws(JSONDefect) {
            return try JSONReader.read(text)
        } catch {
            switch error {
            case .notUTF8: throw .notUTF8
            case .malformed(let place): throw .malformed(at: place, reason: "this is no JSON")
            case .duplicateName(let place): throw .malformed(at: place, reason: "a name is there for the second time")
            case .tooDeep: throw .malformed(at: 0, reason: "it is nested more than \(JSONReader.maximumDepth) deep")
            case .tooManyValues: throw .malformed(at: 0, reason: "it has more than \(JSONReader.maximumNodes) values")
            }
        }
    }

    private static func content(
        of root: JSONNode,
        in text: Span<UInt8>,
        _ password: SecretValue
    ) throws(TransferError) -> SecretBytes {
        guard let check = ciphertext(root["encKeyValidation_DO_NOT_EDIT"], text),
            let data = ciphertext(root["data"], text)
        else { throw .notThisFormat(reason: "what is encrypted in it is not as Bitwarden writes it") }
        let keys = try BitwardenKeys(password, root, in: text)
        guard try check.open(keys) != nil else { throw .wrongPassword }
        guard let content = try data.open(keys) else { throw .damaged }
        return content
    }

    private static func ciphertext(_ node: JSONNode?, _ text: Span<UInt8>) -> BitwardenCiphertext? {
        guard let secret = node?.secret(in: text) else { return nil }
        return BitwardenCiphertext(secret.span)
    }

    private static func items(of root: JSONNode, in text: Span<UInt8>) throws(TransferError) -> ImportedLogins {
        guard let items = root["items"]?.elements else {
            throw .notThisFormat(reason: "it has no items, as a Bitwarden export has")
        }
        guard items.count <= TransferLimits.rows else { throw .tooManyRows(limit: TransferLimits.rows) }
        // An organization's export calls its folders collections.
        var folders: [String: String] = [:]
        for folder in (root["folders"]?.elements ?? []) + (root["collections"]?.elements ?? []) {
            if let id = folder["id"]?.string(in: text), let name = folder["name"]?.string(in: text) {
                folders[id] = name
            }
        }
        var result = ImportedLogins()
        for (place, node) in items.enumerated() {
            let item = BitwardenItem(node: node, position: place + 1)
            do throws(RowDefect) {
                result.rows.append(.login(try item.login(text, folders, &result)))
            } catch {
                let name = node["name"]?.string(in: text) ?? ""
                result.rows.append(.refused(position: place + 1, name: name, reason: error))
            }
        }
        return result
    }
}
