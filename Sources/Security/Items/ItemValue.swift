import MildamKeychain

/// An item itself: what `kSecValueRef` takes and `kSecReturnRef` gives.
enum ItemValue {
    case key(SecKey)
    case certificate(SecCertificate)
    case identity(SecIdentity)

    /// - Throws: `errSecParam` for anything else.
    init(_ value: Any) throws(Refusal) {
        switch value {
        case let key as SecKey: self = .key(key)
        case let certificate as SecCertificate: self = .certificate(certificate)
        case let identity as SecIdentity: self = .identity(identity)
        default: throw .parameter("\(kSecValueRef) takes a SecKey, SecCertificate or SecIdentity")
        }
    }

    var itemClass: ItemClass {
        switch self {
        case .key: .key
        case .certificate: .certificate
        case .identity: .identity
        }
    }

    /// What tells the item from others of its class.
    var identifyingAttributes: ItemAttributes {
        switch self {
        case .key(let key): key.identifyingAttributes
        case .certificate(let certificate): certificate.identifyingAttributes
        case .identity(let identity): identity.certificate.identifyingAttributes
        }
    }

    /// What the item is kept with.
    var attributes: ItemAttributes {
        switch self {
        case .key(let key): key.attributes
        case .certificate(let certificate): certificate.attributes
        case .identity: [:]
        }
    }

    /// What the item is kept as.
    var secret: SecretValue {
        switch self {
        case .key(let key): key.storedForm
        case .certificate(let certificate): SecretValue(copying: certificate.der)
        case .identity: SecretValue(text: "")
        }
    }
}

extension NewItem {
    /// Fills in what a certificate's or a key's data say of themselves, where the request did not.
    ///
    /// - Throws: `errSecDecode` for a certificate that is none.
    mutating func completeFromSecret() throws(Refusal) {
        switch itemClass {
        case .certificate:
            let certificate = try SecCertificate(secret)
            let given = attributes
            attributes = certificate.attributes
            attributes.merge(given)
        case .key:
            guard attributes.number(.type) == SecKey.ellipticCurve, attributes[.tokenID] == nil,
                let key = try? SecKey(stored: secret, attributes)
            else { return }
            let given = attributes
            attributes = key.attributes
            attributes.merge(given)
        case .genericPassword, .internetPassword, .identity: break
        }
    }
}
