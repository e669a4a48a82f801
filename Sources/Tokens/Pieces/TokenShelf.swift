import MildamKeychain
import MildamWire

/// Where the manager's record lies: in the keychain, and, where that was asked for, under an enclave's key before.
///
/// What the enclave has decrypted once it is not asked for again while the packet is the same: a re-read after each lock
/// would otherwise cost a chip a fifth of a second each time. One owner: the manager's actor.
struct TokenShelf {
    private let keychain: KeychainService
    private let enclave: EnclaveService?
    private var last: (packet: SecretValue, record: TokenRecord)?

    init(_ keychain: KeychainService, _ enclave: EnclaveService?) {
        self.keychain = keychain
        self.enclave = enclave
    }

    /// What is kept; `nil` when nothing is.
    mutating func read(isolation: isolated (any Actor)? = #isolation) async throws(TokenError) -> TokenRecord? {
        let kept: SecretValue?
        do throws(KeychainError) { kept = try keychain.read() } catch { throw .notNow(TokenShelf.obstacle(error)) }
        guard let kept else { return nil }
        guard let enclave else { return try TokenShelf.record(kept) }
        if let last, last.packet.constantTimeEquals(kept) { return last.record }
        let opened: SecretValue
        do throws(EnclaveServiceError) { opened = try await enclave.decrypt(kept.bytes) } catch {
            throw .notNow(TokenShelf.obstacle(error))
        }
        let record = try TokenShelf.record(opened)
        last = (kept, record)
        return record
    }

    /// Keeps a record; it is on the disk when this returns.
    mutating func write(
        _ record: TokenRecord,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(TokenError) {
        guard let enclave else { return try store(record.bytes) }
        let packet: [UInt8]
        do throws(EnclaveServiceError) { packet = try await enclave.encrypt(record.bytes) } catch {
            throw .notNow(TokenShelf.obstacle(error))
        }
        let sealed = SecretValue(copying: packet.span)
        try store(sealed)
        last = (sealed, record)
    }

    /// Takes away what is kept.
    mutating func remove() throws(TokenError) {
        last = nil
        do throws(KeychainError) { try keychain.delete() } catch { throw .notNow(TokenShelf.obstacle(error)) }
    }

    private func store(_ secret: SecretValue) throws(TokenError) {
        do throws(KeychainError) { try keychain.store(secret) } catch { throw .notNow(TokenShelf.obstacle(error)) }
    }

    private static func record(_ secret: SecretValue) throws(TokenError) -> TokenRecord {
        do throws(WireError) {
            return try secret.withSpan { (bytes) throws(WireError) in try TokenRecord(bytes: bytes) }
        } catch {
            throw .notNow(.unreadable)
        }
    }

    private static func obstacle(_ error: KeychainError) -> TokenError.Obstacle {
        switch error {
        case .locked, .needsPassphrase: .locked
        default: .keychain(error)
        }
    }

    private static func obstacle(_ error: EnclaveServiceError) -> TokenError.Obstacle {
        guard case .key(.keychain(let error)) = error else { return .enclave(error) }
        return obstacle(error)
    }
}
