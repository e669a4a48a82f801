/// The items of a keychain, as an export goes through them: attributes first, and each secret by itself.
enum ExportedItems {
    /// The items of a class that may leave this device, in the order in which they were added; the others are counted.
    static func list(
        _ itemClass: ItemClass,
        _ keychain: any Keychain,
        _ report: inout ExportReport
    ) throws(TransferError) -> [KeychainItem] {
        var query = KeychainQuery(itemClass)
        query.synchronizable = .any
        let items: [KeychainItem]
        do throws(KeychainError) {
            items = try keychain.copyMatching(query, limit: .all, returningSecrets: false)
        } catch .itemNotFound {
            return []
        } catch {
            throw .keychain(error)
        }
        let leaving = items.filter { !$0.accessibility.staysOnThisDevice }
        report.staysOnThisDevice += items.count - leaving.count
        return leaving
    }

    /// What an item protects.
    static func secret(_ reference: ItemReference, _ keychain: any Keychain) throws(TransferError) -> SecretValue {
        do throws(KeychainError) {
            guard let secret = try keychain.item(KeychainQuery(reference)).secret else { throw .itemNotFound }
            return secret
        } catch {
            throw .keychain(error)
        }
    }
}

extension SecretValue {
    /// Runs `body` on the bytes; the span is valid in it only.
    func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBytes { (bytes) throws(Failure) in try unsafe body(Span(_unsafeBytes: bytes)) }
    }
}
