import FoundationEssentials
import MildamEnclave
import MildamKeychain

/// What `SecKeyCreateRandomKey` is to make.
struct KeyRequest {
    private let size: CurveSize
    private let isInEnclave: Bool
    private let privateHalf: ItemRequest
    private let publicHalf: ItemRequest?

    /// - Throws: `errSecParam`; `errSecUnimplemented` for RSA and foreign tokens; `errSecKeySizeNotAllowed`.
    init(_ parameters: CFDictionary) throws(Refusal) {
        var common = parameters
        let halves = (common.removeValue(forKey: kSecPrivateKeyAttrs), common.removeValue(forKey: kSecPublicKeyAttrs))
        var whole = try KeyRequest.half(common)
        guard whole.attributes.number(.type) == SecKey.ellipticCurve else {
            throw whole.attributes[.type] == nil
                ? .parameter("a key needs \(kSecAttrKeyType)")
                : Refusal(errSecUnimplemented, "only keys of P-256, P-384 and P-521 are made here")
        }
        guard let size = CurveSize(rawValue: Int(whole.attributes.number(.keySizeInBits) ?? 256)) else {
            throw Refusal(errSecKeySizeNotAllowed, "a key has 256, 384 or 521 bits")
        }
        self.size = size
        switch whole.attributes.text(.tokenID) {
        case nil: isInEnclave = false
        case kSecAttrTokenIDSecureEnclave:
            guard size == .p256 else { throw Refusal(errSecKeySizeNotAllowed, "an enclave's key has 256 bits") }
            isInEnclave = true
        case .some(let token): throw Refusal(errSecUnimplemented, "there is no token \(token)")
        }
        // The key says these itself.
        for attribute in [ItemAttribute.type, .keySizeInBits, .tokenID] { whole.attributes[attribute] = nil }
        privateHalf = try KeyRequest.half(common, halves.0, whole)
        publicHalf = try halves.1.map { (half) throws(Refusal) in try KeyRequest.half([:], half, nil) }
    }

    /// A half's own attributes, over those that are said of the whole.
    private static func half(_ common: CFDictionary, _ own: Any?, _ whole: ItemRequest?) throws(Refusal) -> ItemRequest
    {
        guard let own else {
            guard let whole else { return try half(common) }
            return whole
        }
        guard let dictionary = own as? CFDictionary else { throw .parameter("a key's attributes are a dictionary") }
        var request = try half(common.merging(dictionary) { $1 })
        for attribute in [ItemAttribute.type, .keySizeInBits, .tokenID] { request.attributes[attribute] = nil }
        return request
    }

    private static func half(_ dictionary: CFDictionary) throws(Refusal) -> ItemRequest {
        let request = try ItemRequest(dictionary.merging([kSecClass: kSecClassKey]) { $1 })
        guard request.secret == nil, request.value == nil, request.persistentReference == nil, request.wanted.isEmpty
        else { throw .parameter("a key that is to be made has no value yet") }
        return request
    }

    /// Makes the key, and keeps it where it is to be permanent.
    func make() throws(Refusal) -> SecKey {
        let key = SecKey(try material())
        // The private half last: what a failure may leave behind is then no private key.
        if let publicHalf, publicHalf.isPermanent { try KeyRequest.keep(SecKey(key.publicMaterial), publicHalf) }
        if privateHalf.isPermanent { try KeyRequest.keep(key, privateHalf) }
        return key
    }

    private func material() throws(Refusal) -> any PrivateKeyMaterial {
        guard isInEnclave else {
            try privateHalf.accessControl?.checkWithoutEnclave()
            return size.makePrivateKey()
        }
        let signs = privateHalf.attributes[.canSign] == true
        return try EnclaveMaterial.make(
            signs ? .signing : .keyAgreement,
            mustHavePIN: try privateHalf.accessControl?.asksForPIN() ?? false
        )
    }

    private static func keep(_ key: SecKey, _ half: ItemRequest) throws(Refusal) {
        var request = half
        request.value = .key(key)
        request.attributes[.canSign] = nil
        _ = try SecKeychain.current().add(request)
    }
}

extension ItemRequest {
    fileprivate var isPermanent: Bool { attributes[.isPermanent] == true }
}
