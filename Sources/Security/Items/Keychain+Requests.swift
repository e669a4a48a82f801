import FoundationEssentials
import MildamKeychain

/// The four calls, for every class but identities.
extension Keychain {
    func add(_ request: ItemRequest) throws(Refusal) -> CFTypeRef? {
        let item = try request.newItem()
        let reference = try asking { () throws(KeychainError) in try add(item) }
        guard !request.wanted.isEmpty else { return nil }
        return try copy(KeychainQuery(reference), .one, request.wanted)
    }

    func copy(_ request: ItemRequest) throws(Refusal) -> CFTypeRef? {
        try copy(request.query(), request.limit ?? .one, request.wanted)
    }

    func update(_ request: ItemRequest, _ change: ItemChange) throws(Refusal) {
        let query = try request.query()
        if let itemClass = request.itemClass {
            for attribute in change.attributes.keys.sorted(by: { $0.rawValue < $1.rawValue })
            where !itemClass.attributes.contains(attribute) {
                throw Refusal(
                    errSecNoSuchAttr,
                    "items of class \(itemClass.constant) have no \"\(attribute.rawValue)\""
                )
            }
        }
        _ = try asking { () throws(KeychainError) in try update(query, change) }
    }

    private func copy(
        _ query: KeychainQuery,
        _ limit: KeychainQuery.Limit,
        _ wanted: ItemRequest.Wanted
    ) throws(Refusal) -> CFTypeRef? {
        // Apple's call, too, says whether there is an item without opening it.
        let needsSecrets = !wanted.isDisjoint(with: [.data, .reference])
        let items = try asking { () throws(KeychainError) in
            try copyMatching(query, limit: limit, returningSecrets: needsSecrets)
        }
        var answers: [Any] = []
        for item in items { if let answer = try item.answer(wanted) { answers.append(answer) } }
        return limit.object(answers)
    }
}

extension KeychainQuery.Limit {
    /// One thing by itself, several as a list; `nil` when nothing was wanted.
    func object(_ answers: [Any]) -> CFTypeRef? {
        guard let first = answers.first else { return nil }
        return self == .one ? first as AnyObject : answers as AnyObject
    }
}

extension KeychainItem {
    /// The item in the form that is wanted: one thing by itself, several under their keys in a dictionary.
    func answer(_ wanted: ItemRequest.Wanted) throws(Refusal) -> Any? {
        var parts: CFDictionary = [:]
        if wanted.contains(.data), let secret {
            parts[kSecValueData] = unsafe secret.withUnsafeBytes { unsafe Data($0) }
        }
        if wanted.contains(.reference) { parts[kSecValueRef] = try object() }
        if wanted.contains(.persistentReference) {
            parts[kSecValuePersistentRef] = PersistentReference(itemClass, reference).data
        }
        return wanted.answer(parts, dictionary)
    }

    /// The item itself.
    ///
    /// - Throws: `errSecUnimplemented` for a password, of which there is no object; `errSecDecode`.
    func object() throws(Refusal) -> AnyObject {
        guard let secret else { throw Refusal(errSecInternalComponent, "an item came without its secret") }
        switch itemClass {
        case .key: return try SecKey(stored: secret, attributes)
        case .certificate: return try SecCertificate(secret)
        case .genericPassword, .internetPassword, .identity:
            throw Refusal(errSecUnimplemented, "a password is given as data; there is no object of it")
        }
    }

    /// Its attributes, by Apple's keys.
    var dictionary: CFDictionary {
        var dictionary: CFDictionary = [
            kSecClass: itemClass.constant,
            kSecAttrAccessGroup: accessGroup,
            kSecAttrSynchronizable: isSynchronizable,
            kSecAttrAccessible: accessibility.constant,
            kSecAttrAccessControl: SecAccessControl(
                accessibility,
                attributes[.tokenID] == nil ? [] : [.privateKeyUsage]
            ),
        ]
        for (attribute, value) in attributes.sorted { dictionary[attribute.rawValue] = value.object }
        return dictionary
    }
}

extension ItemRequest.Wanted {
    /// One thing by itself; several, and attributes, in a dictionary; `nil` when nothing was asked for.
    func answer(_ parts: CFDictionary, _ attributes: @autoclosure () -> CFDictionary) -> Any? {
        if contains(.attributes) { return attributes().merging(parts) { $1 } }
        return parts.count > 1 ? parts : parts.values.first
    }
}
