import FoundationEssentials
import MildamCrypto
import MildamKeychain

/// The curves, by their sizes.
enum CurveSize: Int, CaseIterable {
    case p256 = 256
    case p384 = 384
    case p521 = 521

    /// The size of a coordinate in bytes.
    var byteCount: Int { (rawValue + 7) / 8 }

    func makePrivateKey() -> any PrivateKeyMaterial {
        switch self {
        case .p256: ECPrivateMaterial<P256>(size: self, ECDH<P256>.PrivateKey())
        case .p384: ECPrivateMaterial<P384>(size: self, ECDH<P384>.PrivateKey())
        case .p521: ECPrivateMaterial<P521>(size: self, ECDH<P521>.PrivateKey())
        }
    }

    /// - Throws: `errSecDecode` for what is no point of the curve.
    func publicKey(point: Data) throws(Refusal) -> any PublicKeyMaterial {
        do throws(CryptoKitError) {
            return switch self {
            case .p256: ECPublicMaterial<P256>(size: self, try ECDH<P256>.PublicKey(x963Representation: point))
            case .p384: ECPublicMaterial<P384>(size: self, try ECDH<P384>.PublicKey(x963Representation: point))
            case .p521: ECPublicMaterial<P521>(size: self, try ECDH<P521>.PublicKey(x963Representation: point))
            }
        } catch {
            throw Refusal(errSecDecode, "the data are no point of P-\(rawValue)")
        }
    }

    /// - Parameter secret: 0x04 ‖ X ‖ Y ‖ scalar.
    /// - Throws: `errSecDecode` for anything else, and for a scalar that is not the point's.
    func privateKey(x963 secret: UnsafeRawBufferPointer) throws(Refusal) -> any PrivateKeyMaterial {
        do throws(CryptoKitError) {
            return switch self {
            case .p256:
                ECPrivateMaterial<P256>(size: self, try unsafe ECDH<P256>.PrivateKey(x963Representation: secret))
            case .p384:
                ECPrivateMaterial<P384>(size: self, try unsafe ECDH<P384>.PrivateKey(x963Representation: secret))
            case .p521:
                ECPrivateMaterial<P521>(size: self, try unsafe ECDH<P521>.PrivateKey(x963Representation: secret))
            }
        } catch {
            throw Refusal(errSecDecode, "the data are no private key of P-\(rawValue)")
        }
    }

    /// The curve of a public key's bytes.
    static func ofPoint(_ count: Int) -> CurveSize? { allCases.first { 1 + 2 * $0.byteCount == count } }

    /// The curve of a private key's bytes.
    static func ofPrivateKey(_ count: Int) -> CurveSize? { allCases.first { 1 + 3 * $0.byteCount == count } }
}

/// A public key of one curve.
private struct ECPublicMaterial<Curve: NISTCurve>: PublicKeyMaterial {
    private let size: CurveSize
    private let agreement: ECDH<Curve>.PublicKey

    init(size: CurveSize, _ agreement: ECDH<Curve>.PublicKey) {
        self.size = size
        self.agreement = agreement
    }

    var sizeInBits: Int { size.rawValue }
    var point: Data { agreement.x963Representation }

    func encrypt(_ message: Data, _ parameters: ECIES.Parameters) throws(Refusal) -> Data {
        do throws(ECIESError) {
            return try ECIES.seal(message, to: agreement, parameters: parameters).combined
        } catch {
            throw Refusal(error)
        }
    }

    func verify(_ signature: Data, _ form: KeyOperation.SignatureForm, of digest: some Digest) -> Bool {
        do throws(CryptoKitError) {
            let signature =
                switch form {
                case .der: try ECDSA<Curve>.ECDSASignature(derRepresentation: signature)
                case .raw: try ECDSA<Curve>.ECDSASignature(rawRepresentation: signature)
                }
            let key = try ECDSA<Curve>.PublicKey(x963Representation: point)
            return key.isValidSignature(signature, for: digest)
        } catch {
            return false
        }
    }
}

/// A private key of one curve, in memory.
private struct ECPrivateMaterial<Curve: NISTCurve>: PrivateKeyMaterial {
    private let size: CurveSize
    private let key: ECDH<Curve>.PrivateKey
    let publicKey: any PublicKeyMaterial
    let tokenID: String? = nil
    let abilities: KeyAbilities = [.agreeing, .signing]

    init(size: CurveSize, _ key: ECDH<Curve>.PrivateKey) {
        self.size = size
        self.key = key
        publicKey = ECPublicMaterial(size: size, key.publicKey)
    }

    var storedForm: SecretValue {
        let point = key.publicKey.x963Representation
        return SecretValue(
            unsafe SecretBytes(count: point.count + size.byteCount) { whole in
                unsafe whole.copyBytes(from: point)
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: whole[point.count...])
                unsafe key.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
            }
        )
    }

    func decrypt(_ packet: Data, _ parameters: ECIES.Parameters) throws(Refusal) -> Data {
        do throws(ECIESError) {
            let message = try ECIES.open(ECIES.Packet<Curve>(combined: packet), with: key, parameters: parameters)
            return unsafe message.withUnsafeBytes { unsafe Data($0) }
        } catch {
            throw Refusal(error)
        }
    }

    func sign(_ digest: some Digest, _ form: KeyOperation.SignatureForm) throws(Refusal) -> Data {
        do throws(CryptoKitError) {
            let signing = try unsafe key.withUnsafeBytes { scalar in
                Result { () throws(CryptoKitError) in
                    try unsafe ECDSA<Curve>.PrivateKey(rawRepresentation: scalar)
                }
            }.get()
            let signature = try signing.signature(for: digest)
            return switch form {
            case .der: signature.derRepresentation
            case .raw: signature.rawRepresentation
            }
        } catch {
            throw Refusal(error)
        }
    }

    func agree(with point: Data) throws(Refusal) -> SharedSecret {
        do throws(CryptoKitError) {
            return try key.sharedSecretFromKeyAgreement(with: ECDH<Curve>.PublicKey(x963Representation: point))
        } catch {
            throw .parameter("the public key is not of the private key's curve")
        }
    }
}
