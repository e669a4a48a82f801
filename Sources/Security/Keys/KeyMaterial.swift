import FoundationEssentials
import MildamCrypto
import MildamKeychain

/// A public key, of any curve.
protocol PublicKeyMaterial: Sendable {
    /// 256, 384 or 521.
    var sizeInBits: Int { get }
    /// 0x04 ‖ X ‖ Y: 65, 97 or 133 bytes.
    var point: Data { get }
    func encrypt(_ message: Data, _ parameters: ECIES.Parameters) throws(Refusal) -> Data
    /// Whether the signature is this key's; `false` for what is none.
    func verify(_ signature: Data, _ form: KeyOperation.SignatureForm, of digest: some Digest) -> Bool
}

/// A private key: of any curve in memory, or of P-256 in an enclave.
protocol PrivateKeyMaterial: Sendable {
    var publicKey: any PublicKeyMaterial { get }
    /// What holds it (`kSecAttrTokenID`); `nil` is the keychain.
    var tokenID: String? { get }
    /// What it can do.
    var abilities: KeyAbilities { get }
    /// What an item keeps of it: 0x04 ‖ X ‖ Y ‖ scalar, or what an enclave gave.
    var storedForm: SecretValue { get }
    func decrypt(_ packet: Data, _ parameters: ECIES.Parameters) throws(Refusal) -> Data
    func sign(_ digest: some Digest, _ form: KeyOperation.SignatureForm) throws(Refusal) -> Data
    func agree(with point: Data) throws(Refusal) -> SharedSecret
}

/// What a private key can do. One of an enclave does one of both.
typealias KeyAbilities = ItemAttributes.KeyUse
