import MildamCrypto

/// Who is asked for the passphrase of a key file that is under one.
public struct AgeKeyQuestions: Sendable {
    private let ask: @Sendable (_ file: String) throws -> SecretBytes

    /// Asks by `ask`, which is told the name of the key file. What it throws is told as the reason why there is no
    /// passphrase.
    public init(_ ask: @escaping @Sendable (_ file: String) throws -> SecretBytes) {
        self.ask = ask
    }

    /// There is nobody to ask: such a key file opens nothing, and says so where it might have.
    public static let nobody = AgeKeyQuestions { _ in throw NobodyToAsk() }

    /// The passphrase of a key file.
    ///
    /// - Throws: `lockedKey` with `noPassphrase`.
    func passphrase(of file: String) throws(AgeError) -> SecretBytes {
        do {
            return try ask(file)
        } catch {
            throw .lockedKey(file: file, .noPassphrase(reason: "\(error)"))
        }
    }
}

private struct NobodyToAsk: Error, CustomStringConvertible {
    var description: String { "there is nobody to ask for it" }
}
