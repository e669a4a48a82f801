import MildamCrypto
import MildamSystem

/// Where the key that opens somebody's databases comes from: a file beside them, or a keychain.
public protocol RootKeySource: Sendable {
    /// The key.
    ///
    /// - Parameter making: whether to make one when there is none; not for a database that was sealed under another.
    func rootKey(making: Bool) throws(StorageError) -> SymmetricKey

    /// The key that this one takes the place of: what does not open under ``rootKey(making:)`` may lie under it still, and
    /// is to be sealed anew. `nil` where there was none.
    func earlierRootKey() throws(StorageError) -> SymmetricKey?
}

extension RootKeySource {
    /// None.
    public func earlierRootKey() throws(StorageError) -> SymmetricKey? { nil }
}

/// A root key in a file with permissions 0600: whoever can copy the file and the database can read both.
public struct RootKeyFile: RootKeySource {
    private let path: String

    /// The key in the file at `path`.
    public init(path: String) {
        self.path = path
    }

    /// Reads the key, or makes one and writes it, synced, before it is used for anything.
    ///
    /// - Throws: `damaged` when it is missing and not to be made, or is no key; `io`.
    public func rootKey(making: Bool) throws(StorageError) -> SymmetricKey {
        guard try WholeFile.isThere(stored: path) else {
            guard making else {
                throw .damaged(path: path, reason: "it is missing, and nothing else opens what is here")
            }
            return try make()
        }
        var bytes: [UInt8]
        do throws(SystemError) { bytes = try WholeFile.read(path, limit: 64) } catch { throw .io(error) }
        defer { bytes.wipe() }
        guard bytes.count == 32 else { throw .damaged(path: path, reason: "it is not a root key") }
        return SymmetricKey(data: bytes)
    }

    private func make() throws(StorageError) -> SymmetricKey {
        let key = SymmetricKey(size: .bits256)
        var bytes = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
        defer { bytes.wipe() }
        do throws(SystemError) { try WholeFile.write(bytes.span, to: path) } catch { throw .io(error) }
        return key
    }
}
