import FoundationEssentials
import MildamKeychain

/// A certificate's item, and the item of its private key.
private struct Joined {
    let certificate: KeychainItem
    let key: KeychainItem

    /// The attributes of both; where both have one, the certificate's.
    var dictionary: CFDictionary {
        key.dictionary.merging(certificate.dictionary) { $1 }.merging([kSecClass: kSecClassIdentity]) { $1 }
    }
}

/// Identities: no row holds one; it is there where a certificate's `publicKeyHash` is a private key's
/// `applicationLabel`.
extension Keychain {
    /// Adds certificate and key, or the one of them that is missing.
    ///
    /// - Throws: `errSecDuplicateItem` when both are there.
    func addIdentity(_ request: ItemRequest) throws(Refusal) -> CFTypeRef? {
        guard case .identity(let identity) = request.value else {
            throw .parameter("an identity is added as \(kSecValueRef)")
        }
        var certificate = request.part(.certificate)
        certificate.value = .certificate(identity.certificate)
        var key = request.part(.key)
        key.value = .key(identity.privateKey)
        let (newKey, newCertificate) = (try key.newItem(), try certificate.newItem())
        let addedKey = try addUnlessThere(newKey)
        let addedCertificate: ItemReference?
        do throws(Refusal) { addedCertificate = try addUnlessThere(newCertificate) } catch {
            // Half an identity is none.
            if let addedKey { _ = try? delete(KeychainQuery(addedKey)) }
            throw error
        }
        guard addedKey != nil || addedCertificate != nil else {
            throw Refusal(errSecDuplicateItem, "certificate and key are there already")
        }
        guard !request.wanted.isEmpty else { return nil }
        var query = certificate
        query.synchronizable = request.synchronizable ?? .no
        query.attributes = [:]
        query.wanted = request.wanted
        query.value = request.value
        query.itemClass = .identity
        return try copyIdentities(query)
    }

    private func addUnlessThere(_ item: NewItem) throws(Refusal) -> ItemReference? {
        do throws(KeychainError) { return try add(item) } catch .duplicateItem { return nil } catch {
            throw Refusal(error)
        }
    }

    /// Finds certificates, and for each its key.
    func copyIdentities(_ request: ItemRequest) throws(Refusal) -> CFTypeRef? {
        let limit = request.limit ?? .one
        let found = try identities(
            request,
            limit,
            returningSecrets: !request.wanted.isDisjoint(with: [.data, .reference])
        )
        var answers: [Any] = []
        for joined in found { if let answer = try answer(joined, request.wanted) { answers.append(answer) } }
        return limit.object(answers)
    }

    /// Deletes certificates and keys; a key that another certificate needs stays.
    func deleteIdentities(_ request: ItemRequest) throws(Refusal) {
        for joined in try identities(request, .all, returningSecrets: false) {
            let certificate = joined.certificate
            _ = try asking { () throws(KeychainError) in try delete(KeychainQuery(certificate.reference)) }
            guard let hash = certificate.attributes[.publicKeyHash] else { continue }
            var others = KeychainQuery(.certificate, [.publicKeyHash: hash])
            others.synchronizable = .any
            do throws(KeychainError) {
                _ = try copyMatching(others, limit: .one, returningSecrets: false)
            } catch .itemNotFound {
                // Two certificates of one key may both be among those that go.
                do throws(KeychainError) { _ = try delete(KeychainQuery(joined.key.reference)) } catch .itemNotFound {
                } catch {
                    throw Refusal(error)
                }
            } catch {
                throw Refusal(error)
            }
        }
    }

    private func identities(
        _ request: ItemRequest,
        _ limit: KeychainQuery.Limit,
        returningSecrets: Bool
    ) throws(Refusal) -> [Joined] {
        let certificates = try request.part(.certificate).query()
        let keys = request.part(.key)
        var joined: [Joined] = []
        // The limit counts certificates that have a key, so it cannot be left to the keychain.
        let found = try asking { () throws(KeychainError) in
            try copyMatching(certificates, limit: .all, returningSecrets: returningSecrets)
        }
        for certificate in found where joined.count < limit.maximum {
            guard let hash = certificate.attributes[.publicKeyHash] else { continue }
            var key = try keys.query()
            key.attributes.merge([.keyClass: 1, .applicationLabel: hash])
            do throws(KeychainError) {
                let matching = try copyMatching(key, limit: .one, returningSecrets: returningSecrets)
                if let first = matching.first { joined.append(Joined(certificate: certificate, key: first)) }
            } catch .itemNotFound {
                continue
            } catch {
                throw Refusal(error)
            }
        }
        guard !joined.isEmpty else { throw Refusal(KeychainError.itemNotFound) }
        return joined
    }

    private func answer(_ joined: Joined, _ wanted: ItemRequest.Wanted) throws(Refusal) -> Any? {
        var parts: CFDictionary = [:]
        // The certificate, as for its own class: a private key goes out only when it is asked for itself.
        if wanted.contains(.data), let secret = joined.certificate.secret {
            parts[kSecValueData] = unsafe secret.withUnsafeBytes { unsafe Data($0) }
        }
        if wanted.contains(.reference) {
            guard let certificate = try joined.certificate.object() as? SecCertificate,
                let key = try joined.key.object() as? SecKey, let identity = SecIdentity(certificate, key)
            else { throw Refusal(errSecDecode, "the certificate and the key do not belong together") }
            parts[kSecValueRef] = identity
        }
        if wanted.contains(.persistentReference) {
            parts[kSecValuePersistentRef] = PersistentReference(.identity, joined.certificate.reference).data
        }
        return wanted.answer(parts, joined.dictionary)
    }
}

extension ItemRequest {
    /// What the request says of one half of an identity: each attribute goes to the class that has it, the label to the
    /// certificate.
    fileprivate func part(_ half: ItemClass) -> ItemRequest {
        var part = self
        part.itemClass = half
        part.limit = nil
        part.wanted = []
        part.value = nil
        part.persistentReference = nil
        part.attributes = [:]
        for (attribute, value) in attributes.sorted {
            let isOfCertificate = ItemClass.certificate.attributes.contains(attribute)
            if isOfCertificate == (half == .certificate) { part.attributes[attribute] = value }
        }
        guard half == .certificate else { return part }
        if case .identity(let identity) = value { part.value = .certificate(identity.certificate) }
        if let persistentReference {
            part.persistentReference = PersistentReference(.certificate, persistentReference.item)
        }
        return part
    }
}

extension KeychainQuery.Limit {
    fileprivate var maximum: Int {
        switch self {
        case .one: 1
        case .atMost(let count): count
        case .all: .max
        }
    }
}
