import MildamCrypto
import MildamSystem

/// Where the key that opens a profile's database comes from.
///
/// For now a file beside the database; a keychain can take its place without the database knowing.
public protocol RootKeySource: Sendable {
    /// The key, made on the first call.
    func rootKey() throws(MessengerError) -> SymmetricKey
}

/// A root key in a file with permissions 0600: whoever can copy the file and the database can read both.
public struct RootKeyFile: RootKeySource {
    private let path: String

    /// The key in the file at `path`.
    public init(path: String) {
        self.path = path
    }

    /// Reads the key, or makes one and writes it, synced, before it is used for anything.
    public func rootKey() throws(MessengerError) -> SymmetricKey {
        do {
            guard WholeFile.exists(path) else {
                let key = SymmetricKey(size: .bits256)
                let bytes = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
                try WholeFile.write(bytes.span, to: path)
                return key
            }
            let bytes = try WholeFile.read(path, limit: 64)
            guard bytes.count == 32 else { throw MessengerError.stateDamaged("\(path) is not a root key") }
            return SymmetricKey(data: bytes)
        } catch {
            throw MessengerError(error)
        }
    }
}
