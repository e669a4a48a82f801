/// What is wrong with a request by its form alone, whatever is in the keychain: the keychain refuses it, and so does a
/// program before it asks the agent.

extension NewItem {
    /// Throws `invalidRequest` for what can be no item.
    func check() throws(KeychainError) {
        guard itemClass != .identity else {
            throw .invalidRequest(reason: "an identity is added as its certificate and its key")
        }
        try attributes.check(itemClass)
        try secret.check()
        if let accessGroup { try ItemContent.check(group: accessGroup) }
        guard !(isSynchronizable && accessibility.staysOnThisDevice) else {
            throw .invalidRequest(reason: "what stays on this device cannot be synchronizable")
        }
    }
}

extension KeychainQuery {
    /// Throws `invalidRequest` for what can match nothing.
    func check() throws(KeychainError) {
        guard itemClass != nil || reference != nil else {
            throw .invalidRequest(reason: "a query needs a class, or the reference of an item")
        }
        guard itemClass != .identity else {
            throw .invalidRequest(reason: "an identity is found through its certificate and its key")
        }
        try attributes.check(itemClass)
        if let accessGroup { try ItemContent.check(group: accessGroup) }
    }
}

extension ItemChange {
    /// Throws `invalidRequest` for what can be done to no item.
    func check() throws(KeychainError) {
        guard !isEmpty else { throw .invalidRequest(reason: "an update that changes nothing") }
        var size = 0
        for (attribute, value) in attributes {
            if let value { try attribute.check(value) }
            guard !attribute.isKept else {
                throw .invalidRequest(reason: "\(attribute.rawValue) is set by the keychain itself")
            }
            size += value?.size ?? 0
        }
        guard size <= ItemAttributes.maximumSize else { throw ItemAttributes.tooLong }
        if let secret { try secret.check() }
        if let accessGroup { try ItemContent.check(group: accessGroup) }
    }
}

extension ItemAttributes {
    fileprivate static let tooLong = KeychainError.invalidRequest(reason: "attributes of more than 2 MiB")

    /// Throws `invalidRequest` for attributes that the class has not, or values of a kind that the attribute has not.
    func check(_ itemClass: ItemClass?) throws(KeychainError) {
        guard size <= Self.maximumSize else { throw Self.tooLong }
        for (attribute, value) in sorted {
            try attribute.check(value)
            guard itemClass?.attributes.contains(attribute) ?? true else {
                throw .invalidRequest(reason: "the class has no attribute \(attribute.rawValue)")
            }
        }
    }
}

extension ItemAttribute {
    fileprivate func check(_ value: AttributeValue) throws(KeychainError) {
        guard value.kind == kind else {
            throw .invalidRequest(reason: "\(rawValue) takes a \(kind), and not a \(value.kind)")
        }
        guard value.size <= AttributeValue.maximumSize else {
            throw .invalidRequest(reason: "\(rawValue) of more than 1 MiB")
        }
    }
}

extension SecretValue {
    fileprivate func check() throws(KeychainError) {
        guard count <= Self.maximumSize else { throw .invalidRequest(reason: "a secret of more than 4 MiB") }
    }
}

extension ItemContent {
    /// Throws `invalidRequest` for what can be no group's name.
    static func check(group: String) throws(KeychainError) {
        guard (1...maximumGroup).contains(group.utf8.count) else {
            throw .invalidRequest(reason: "an access group's name has 1 to \(maximumGroup) bytes")
        }
    }
}

extension AccessGrant {
    /// Throws `invalidRequest` for what can be no grant.
    func check() throws(KeychainError) {
        guard (1...4096).contains(program.executable.utf8.count) else {
            throw .invalidRequest(reason: "a program's path has 1 to 4096 bytes")
        }
        try ItemContent.check(group: group)
    }
}

extension SlotSecret {
    /// Throws `invalidRequest` for a passphrase or PIN that is empty or too long.
    func check() throws(KeychainError) {
        switch self {
        case .passphrase(let text), .enclavePIN(let text), .enclaveAndPassphrase(let text):
            guard (1...Self.maximumSize).contains(text.count) else {
                throw .invalidRequest(reason: "a passphrase has 1 to \(Self.maximumSize) bytes")
            }
        case .recoveryCode, .enclaveUnattended: break
        }
    }
}
