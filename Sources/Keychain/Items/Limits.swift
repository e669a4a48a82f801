// What a request may not exceed, whichever way it takes: the agent's, or the file's own.

extension NewItem {
    /// Throws for an item that there cannot be.
    func check() throws(KeychainError) {
        guard itemClass != .identity else {
            throw .invalidRequest(reason: "an identity is added as its certificate and its key")
        }
        try attributes.check(itemClass)
        try secret.check()
        if let accessGroup { try ItemContent.check(group: accessGroup) }
    }
}

extension ItemChange {
    /// Throws for a change that no item can take.
    func check() throws(KeychainError) {
        guard !isEmpty else { throw .invalidRequest(reason: "an update that changes nothing") }
        for (attribute, value) in attributes {
            if let value { try attribute.check(value) }
            guard !attribute.isKept else {
                throw .invalidRequest(reason: "\(attribute.rawValue) is set by the keychain itself")
            }
        }
        try secret?.check()
        if let accessGroup { try ItemContent.check(group: accessGroup) }
    }
}

extension SecretValue {
    /// Throws for more than an item may protect.
    func check() throws(KeychainError) {
        guard count <= Self.maximumSize else { throw .invalidRequest(reason: "a secret of more than 4 MiB") }
    }
}

extension SlotSecret {
    /// Throws for a passphrase that is none.
    func check() throws(KeychainError) {
        switch self {
        case .passphrase(let text), .enclavePIN(let text), .enclaveAndPassphrase(let text):
            guard (1...Self.maximumSize).contains(text.count) else {
                throw .invalidRequest(reason: "a passphrase or PIN has 1 to \(Self.maximumSize) bytes")
            }
        case .recoveryCode, .enclaveUnattended: break
        }
    }
}

extension AccessGrant {
    /// Throws for a grant to nobody, or of nothing.
    func check() throws(KeychainError) {
        guard (1...4096).contains(program.executable.utf8.count) else {
            throw .invalidRequest(reason: "a grant needs a program")
        }
        try ItemContent.check(group: group)
    }
}

extension ItemContent {
    /// Throws for a name that no group has.
    static func check(group: String) throws(KeychainError) {
        guard (1...maximumGroup).contains(group.utf8.count) else {
            throw .invalidRequest(reason: "an access group's name has 1 to \(maximumGroup) bytes")
        }
    }
}
