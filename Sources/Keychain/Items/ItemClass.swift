/// The kinds of item, each with attributes and a primary key of its own (Keychain Services, "Item Class Keys and Values").
public enum ItemClass: UInt8, CaseIterable, Sendable {
    /// A password or another secret of a service (`kSecClassGenericPassword`).
    case genericPassword = 1
    /// A password for a server on the network (`kSecClassInternetPassword`).
    case internetPassword = 2
    /// An X.509 certificate (`kSecClassCertificate`).
    case certificate = 3
    /// A cryptographic key (`kSecClassKey`).
    case key = 4
    /// A certificate and the private key that belongs to it (`kSecClassIdentity`): found where a certificate's
    /// `publicKeyHash` is a key's `applicationLabel`; no row of its own.
    case identity = 5

    /// The attributes that, together with access group and `synchronizable`, tell one item from another.
    ///
    /// What is missing in an item counts as empty: two items without a `path` have the same path.
    public var primaryKey: [ItemAttribute] {
        switch self {
        case .genericPassword: [.account, .service]
        case .internetPassword:
            [.account, .securityDomain, .server, .protocol, .authenticationType, .port, .path]
        case .certificate: [.certificateType, .issuer, .serialNumber]
        case .key:
            [
                .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySizeInBits, .effectiveKeySize,
                .startDate, .endDate,
            ]
        case .identity: []
        }
    }

    /// The attributes that items of the class may have.
    public var attributes: Set<ItemAttribute> {
        switch self {
        case .genericPassword: Self.ofGenericPasswords
        case .internetPassword: Self.ofInternetPasswords
        case .certificate: Self.ofCertificates
        case .key: Self.ofKeys
        case .identity: Self.ofIdentities
        }
    }

    private static let ofAll: Set<ItemAttribute> = [.label, .creationDate, .modificationDate]
    private static let ofPasswords = ofAll.union([
        .account, .description, .comment, .creator, .type, .alias, .isInvisible, .isNegative,
    ])
    private static let ofGenericPasswords = ofPasswords.union([.service, .generic])
    private static let ofInternetPasswords = ofPasswords.union([
        .securityDomain, .server, .protocol, .authenticationType, .port, .path,
    ])
    private static let ofCertificates = ofAll.union([
        .certificateType, .certificateEncoding, .subject, .issuer, .serialNumber, .subjectKeyID, .publicKeyHash,
    ])
    private static let ofKeys = ofAll.union([
        .keyClass, .applicationLabel, .applicationTag, .creator, .type, .keySizeInBits, .effectiveKeySize, .startDate,
        .endDate, .isPermanent, .tokenID, .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify, .canWrap,
        .canUnwrap,
        // A key's data may be an enclave's blob, and what it protects may lie beside it.
        .generic,
    ])
    private static let ofIdentities = ofCertificates.union(ofKeys)
}
