import FoundationEssentials
import MildamCrypto

extension ItemAttributes {
    /// `kSecAttrKeyTypeECSECPrimeRandom` as a number: a prime curve of NIST.
    public static let ellipticCurve: Int64 = 73

    /// `kSecAttrTokenIDSecureEnclave`: the key is an enclave's, and the item holds its blob.
    public static let secureEnclave = "com.apple.setoken"

    /// What a private key is for.
    public struct KeyUse: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Uses of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// It agrees on secrets, and so decrypts.
        public static let agreeing = KeyUse(rawValue: 1)
        /// It signs.
        public static let signing = KeyUse(rawValue: 2)
    }

    /// What an item of the class `key` says of a key of P-256, P-384 or P-521, whichever interface it was made through.
    ///
    /// - Parameters:
    ///   - point: the public key, 0x04 ‖ X ‖ Y.
    ///   - sizeInBits: 256, 384 or 521.
    ///   - uses: what the private key is for; `nil` for a public key.
    ///   - token: what holds a private key; `nil` is the keychain itself.
    public init(ellipticCurveKey point: Data, sizeInBits: Int, uses: KeyUse?, token: String?) {
        let size = AttributeValue.number(Int64(sizeInBits))
        let (agrees, signs) = (uses?.contains(.agreeing) ?? false, uses?.contains(.signing) ?? false)
        let isPublic = AttributeValue.flag(uses == nil)
        self = [
            .type: .number(ItemAttributes.ellipticCurve), .keySizeInBits: size, .effectiveKeySize: size,
            .isPermanent: true, .keyClass: uses == nil ? 0 : 1,
            .applicationLabel: .data(Array(Insecure.SHA1.hash(data: point))),
            .canEncrypt: isPublic, .canDecrypt: .flag(agrees), .canDerive: .flag(agrees), .canSign: .flag(signs),
            .canVerify: isPublic, .canWrap: isPublic, .canUnwrap: .flag(agrees),
        ]
        self[.tokenID] = token.map { .text($0) }
    }
}
