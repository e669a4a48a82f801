import MildamWire

/// An item of a Bitwarden export.
struct BitwardenItem {
    let node: JSONNode
    let position: Int

    /// What it says.
    ///
    /// - Throws: `unknownKind` for a type that is not 1 to 5, or lacks its part; `empty`, `tooLarge`.
    func login(
        _ text: Span<UInt8>,
        _ folders: [String: String],
        _ result: inout ImportedLogins
    ) throws(RowDefect) -> ImportedLogin {
        var login = ImportedLogin(position: position)
        login.title = node["name"]?.string(in: text) ?? ""
        login.note = node["notes"]?.secretValue(in: text)
        login.folder = folder(text, folders)
        switch node["type"]?.integer(in: text) {
        case 1: try readLogin(text, &login, &result)
        case 2: break
        case 3: try readParts("card", text, &login)
        case 4: try readParts("identity", text, &login)
        case 5: try readParts("sshKey", text, &login)
        default: throw .unknownKind
        }
        for field in node["fields"]?.elements ?? [] {
            let name = field["name"]?.string(in: text) ?? ""
            if field["value"] == nil, field["linkedId"] != nil {
                result.leaveOut("fields that repeat a user name or password")
            } else {
                login.add(name, value(field["value"], text))
            }
        }
        let history = node["passwordHistory"]?.elements?.count ?? 0
        for _ in 0..<history { result.leaveOut("earlier passwords") }
        guard !login.isEmpty else { throw .empty }
        let secrets = [login.password, login.note, login.oneTimeCode] + login.fields.map { $0.value }
        guard secrets.allSatisfy({ ($0?.count ?? 0) <= SecretValue.maximumSize }) else { throw .tooLarge }
        return login
    }

    private func readLogin(
        _ text: Span<UInt8>,
        _ login: inout ImportedLogin,
        _ result: inout ImportedLogins
    ) throws(RowDefect) {
        guard let part = node["login"] else { throw .unknownKind }
        for uri in part["uris"]?.elements ?? [] {
            if let address = uri["uri"]?.string(in: text), !address.isEmpty { login.addresses.append(address) }
        }
        login.username = part["username"]?.string(in: text) ?? ""
        login.password = part["password"]?.secretValue(in: text)
        login.oneTimeCode = part["totp"]?.secretValue(in: text)
        for _ in part["fido2Credentials"]?.elements ?? [] { result.leaveOut("passkeys") }
    }

    /// A card, an identity or a key: each member is a field.
    private func readParts(_ name: String, _ text: Span<UInt8>, _ login: inout ImportedLogin) throws(RowDefect) {
        guard let members = node[name]?.members else { throw .unknownKind }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) { login.add(name, value(member, text)) }
    }

    private func folder(_ text: Span<UInt8>, _ folders: [String: String]) -> String? {
        if let id = node["folderId"]?.string(in: text), let name = folders[id] { return name }
        for collection in node["collectionIds"]?.elements ?? [] {
            if let id = collection.string(in: text), let name = folders[id] { return name }
        }
        return nil
    }

    /// The value of a field, in secret memory: a text, or "true" and "false".
    private func value(_ node: JSONNode?, _ text: Span<UInt8>) -> SecretValue? {
        if let flag = node?.flag { return SecretValue(text: "\(flag)") }
        return node?.secretValue(in: text)
    }
}
