import MildamCrypto
import MildamSystem

/// Where the key that opens a profile's database comes from.
///
/// For now a file beside the database; a keychain can take its place without the database knowing.
public protocol RootKeySource: Sendable {
    /// The key.
    ///
    /// - Parameter making: whether to make one when there is none; not for a database that was sealed under another.
    func rootKey(making: Bool) throws(MessengerError) -> SymmetricKey
}

/// A root key in a file with permissions 0600: whoever can copy the file and the database can read both.
public struct RootKeyFile: RootKeySource {
    private let path: String

    /// The key in the file at `path`.
    public init(path: String) {
        self.path = path
    }

    /// Reads the key, or makes one and writes it, synced, before it is used for anything.
    public func rootKey(making: Bool) throws(MessengerError) -> SymmetricKey {
        do {
            guard WholeFile.exists(path) else {
                guard making else {
                    throw MessengerError.stateDamaged(
                        "\(path) is missing, and nothing else opens the messages; restore it from a backup"
                    )
                }
                let key = SymmetricKey(size: .bits256)
                var bytes = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
                defer { bytes.wipe() }
                try WholeFile.write(bytes.span, to: path)
                return key
            }
            var bytes = try WholeFile.read(path, limit: 64)
            defer { bytes.wipe() }
            guard bytes.count == 32 else {
                throw MessengerError.stateDamaged("\(path) is not a root key; restore it from a backup")
            }
            return SymmetricKey(data: bytes)
        } catch {
            throw MessengerError(error)
        }
    }
}
