extension NewItem {
    /// Throws `invalidRequest` for what can be no item, whatever is in the keychain.
    func check() throws(KeychainError) {
        guard itemClass != .identity else {
            throw .invalidRequest(reason: "an identity is added as its certificate and its key")
        }
        try attributes.check(itemClass)
        guard secret.count <= SecretValue.maximumSize else {
            throw .invalidRequest(reason: "a secret of more than 4 MiB")
        }
    }
}
