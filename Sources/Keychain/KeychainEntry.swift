import FoundationEssentials
import MildamCrypto

/// One place in a keychain, to be read and written like a variable: `keychain[.genericPassword(service: "x", account: "y")]`.
public struct KeychainEntry {
    private let keychain: any Keychain
    private let query: KeychainQuery

    init(_ keychain: any Keychain, _ query: KeychainQuery) {
        self.keychain = keychain
        self.query = query
    }

    /// What is there; `nil` when nothing is.
    ///
    /// - Throws: `locked`, `damagedItem`: what cannot be read is never taken for missing.
    public func read() throws(KeychainError) -> SecretValue? {
        do throws(KeychainError) { return try keychain.item(query).secret } catch .itemNotFound { return nil }
    }

    /// Puts a secret there: what is there stays until this is.
    public func write(_ secret: SecretValue, accessibility: Accessibility = .whenUnlocked) throws(KeychainError) {
        guard let itemClass = query.itemClass else { throw .invalidRequest(reason: "an entry needs a class") }
        var item = NewItem(itemClass, query.attributes, secret: secret)
        item.accessGroup = query.accessGroup
        item.isSynchronizable = query.synchronizable == .yes
        item.accessibility = accessibility
        try keychain.set(item)
    }

    /// Puts a text there.
    public func write(text: String, accessibility: Accessibility = .whenUnlocked) throws(KeychainError) {
        try write(SecretValue(text: text), accessibility: accessibility)
    }

    /// A value that was written with ``write(value:accessibility:)``; `nil` when nothing is there.
    ///
    /// - Throws: `invalidRequest` when what is there is another type's.
    public func read<Value: Decodable>(_ type: Value.Type) throws(KeychainError) -> Value? {
        guard let secret = try read() else { return nil }
        var data = unsafe secret.withUnsafeBytes { unsafe Data($0) }
        defer { data.wipe() }
        do { return try JSONDecoder().decode(type, from: data) } catch {
            throw .invalidRequest(reason: "the item does not hold a \(type)")
        }
    }

    /// Puts a value there, as JSON.
    public func write<Value: Encodable>(
        value: Value,
        accessibility: Accessibility = .whenUnlocked
    ) throws(KeychainError) {
        var data: Data
        do { data = try JSONEncoder().encode(value) } catch {
            throw .invalidRequest(reason: "a \(Value.self) cannot be written as JSON")
        }
        defer { data.wipe() }
        try write(SecretValue(copying: data), accessibility: accessibility)
    }

    /// Takes away what is there; `false` when nothing was.
    @discardableResult
    public func remove() throws(KeychainError) -> Bool {
        do throws(KeychainError) { return try keychain.delete(query) > 0 } catch .itemNotFound { return false }
    }
}
