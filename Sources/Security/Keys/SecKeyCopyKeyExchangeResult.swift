import FoundationEssentials
import MildamCrypto
import MildamKeychain

/// A key of the parameters of `SecKeyCopyKeyExchangeResult`. The raw values are Apple's.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: CFString

    /// The parameter of a name.
    public init(rawValue: CFString) { self.rawValue = rawValue }

    /// How many bytes the key is to have: a number from 1 to 65,536.
    public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")
    /// What goes into the derivation beside the secret: data.
    public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}

/// Agrees on a secret with the holder of another key.
///
/// - Parameters:
///   - privateKey: the own key.
///   - algorithm: one of `ecdhKeyExchange…`.
///   - publicKey: the other's, of the same curve.
///   - parameters: for the algorithms with a KDF, `SecKeyKeyExchangeParameter`.
///   - error: where an error goes.
/// - Returns: the x-coordinate, or a key derived from it, in memory that nothing wipes.
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ publicKey: SecKey,
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe unless(error) { () throws(Refusal) in
        guard case .keyExchange(let hash) = try KeyOperation(algorithm) else {
            throw .parameter("\(algorithm.rawValue) is no key exchange")
        }
        guard !publicKey.isPrivate else { throw .parameter("the other's key is a public one") }
        let secret = try privateKey.usable(for: .agreeing).agree(with: publicKey.publicMaterial.point)
        guard let hash else { return unsafe secret.withUnsafeBytes { unsafe Data($0) } }
        guard let size = parameters[SecKeyKeyExchangeParameter.requestedSize.rawValue].flatMap(DictionaryValue.number),
            (1...65_536).contains(size)
        else { throw .parameter("a derived key needs a requestedSize of 1 to 65,536 bytes") }
        let info = parameters[SecKeyKeyExchangeParameter.sharedInfo.rawValue]
        guard let sharedInfo = info == nil ? Data() : info as? Data else { throw .parameter("sharedInfo takes Data") }
        return unsafe hash.derive(secret, sharedInfo, count: Int(size)).withUnsafeBytes { unsafe Data($0) }
    }
}
