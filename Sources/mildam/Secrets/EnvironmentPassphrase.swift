import Glibc
import MildamCrypto
import MildamTerminal

/// The passphrase in `MILDAM_PASSPHRASE`, taken out of the environment when the program starts: no child gets it, and
/// `/proc` shows it no more.
final class EnvironmentPassphrase: Sendable {
    static let variable = "MILDAM_PASSPHRASE"
    static let taken = EnvironmentPassphrase()

    private let value: SymmetricKey?

    private init() {
        guard let text = unsafe getenv(Self.variable) else {
            value = nil
            return
        }
        let memory = unsafe UnsafeMutableRawBufferPointer(start: text, count: strlen(text))
        value = unsafe memory.isEmpty ? nil : SymmetricKey(data: UnsafeRawBufferPointer(memory))
        unsafe explicit_bzero(text, memory.count)
        unsafe unsetenv(Self.variable)
    }

    var isThere: Bool { value != nil }

    /// A copy of it, if there was one.
    var copy: SecretBytes? { value.map { SecretBytes(copying: $0) } }
}
