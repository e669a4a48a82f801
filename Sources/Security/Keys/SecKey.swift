import FoundationEssentials
import MildamCrypto
import MildamKeychain

/// A public or private key of P-256, P-384 or P-521. A private one is wiped when its last owner goes, or is in an
/// enclave.
public final class SecKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// `kSecAttrKeyTypeECSECPrimeRandom` as a number.
    static let ellipticCurve = ItemAttributes.ellipticCurve

    let publicMaterial: any PublicKeyMaterial
    private let privateMaterial: (any PrivateKeyMaterial)?

    init(_ material: any PrivateKeyMaterial) {
        privateMaterial = material
        publicMaterial = material.publicKey
    }

    init(_ material: any PublicKeyMaterial) {
        privateMaterial = nil
        publicMaterial = material
    }

    /// - Throws: `errSecDecode` for what is no point of a curve.
    convenience init(publicPoint point: Data) throws(Refusal) {
        guard let curve = CurveSize.ofPoint(point.count) else {
            throw Refusal(errSecDecode, "the data are no public key of P-256, P-384 or P-521")
        }
        self.init(try curve.publicKey(point: point))
    }

    /// A key as an item keeps it.
    ///
    /// - Throws: `errSecDecode`; `errSecUnimplemented` for a key of another type.
    convenience init(stored: SecretValue, _ attributes: ItemAttributes) throws(Refusal) {
        guard attributes.number(.type) == SecKey.ellipticCurve else {
            throw Refusal(errSecUnimplemented, "only keys of P-256, P-384 and P-521 are used here")
        }
        if let token = attributes.text(.tokenID), !token.isEmpty {
            guard token == kSecAttrTokenIDSecureEnclave else {
                throw Refusal(errSecUnimplemented, "there is no token \(token)")
            }
            self.init(try EnclaveMaterial(stored: stored))
        } else if attributes.number(.keyClass) == 0 {
            try self.init(publicPoint: Data(stored.bytes))
        } else {
            guard let curve = CurveSize.ofPrivateKey(stored.count) else {
                throw Refusal(errSecDecode, "the data are no private key of P-256, P-384 or P-521")
            }
            let material = try unsafe stored.withUnsafeBytes { (bytes) throws(Refusal) in
                try unsafe curve.privateKey(x963: bytes)
            }
            self.init(material)
        }
    }

    var isPrivate: Bool { privateMaterial != nil }
    /// SHA-1 of the public key.
    var applicationLabel: [UInt8] { Array(Insecure.SHA1.hash(data: publicMaterial.point)) }
    /// What the key can do, as a private key.
    var abilities: KeyAbilities { privateMaterial?.abilities ?? [] }

    /// The private key.
    ///
    /// - Throws: `errSecParam` for a public one.
    func privateKey() throws(Refusal) -> any PrivateKeyMaterial {
        guard let privateMaterial else { throw .parameter("this takes a private key") }
        return privateMaterial
    }

    /// What the key is found by.
    var identifyingAttributes: ItemAttributes {
        [.keyClass: isPrivate ? 1 : 0, .applicationLabel: .data(applicationLabel)]
    }

    /// What the key is kept with.
    var attributes: ItemAttributes {
        ItemAttributes(
            ellipticCurveKey: publicMaterial.point,
            sizeInBits: publicMaterial.sizeInBits,
            uses: privateMaterial?.abilities,
            token: privateMaterial?.tokenID
        )
    }

    /// What an item keeps of the key.
    var storedForm: SecretValue { privateMaterial?.storedForm ?? SecretValue(copying: publicMaterial.point) }

    /// Whether both are the same half of the same pair.
    public static func == (left: SecKey, right: SecKey) -> Bool {
        left.isPrivate == right.isPrivate && left.publicMaterial.point == right.publicMaterial.point
    }

    /// Feeds the public key to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(isPrivate)
        hasher.combine(publicMaterial.point)
    }

    /// Which half of a pair it is, and nothing of the key.
    public var description: String { "SecKey (P-\(publicMaterial.sizeInBits), \(isPrivate ? "private" : "public"))" }

    /// Empty: a dump shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
