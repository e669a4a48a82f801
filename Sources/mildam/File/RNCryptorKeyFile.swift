import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamTerminal
import MildamWire

/// The two keys of an RNCryptor file that was made without a password: a file of two lines in hexadecimal, the
/// encryption key's and the HMAC key's.
enum RNCryptorKeyFile {
    /// Reads the keys.
    ///
    /// - Throws: `Malformed`, `PromptError` when the file cannot be read.
    static func secret(at path: String) throws -> RNCryptorSecret {
        let file = try Descriptor.open(path, O_RDONLY)
        return .keys(encryption: try key(file, path), hmac: try key(file, path))
    }

    private static func key(_ file: borrowing Descriptor, _ path: String) throws -> SymmetricKey {
        let key = try PasswordFile.read(descriptor: file.number, named: path) { line in
            try? SymmetricKey(
                unsafe SecretBytes(count: 32) { memory in
                    var bytes = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
                    try Hex.decode(ascii: line, into: &bytes)
                }
            )
        }
        guard let key else { throw Malformed(path: path) }
        return key
    }

    /// A file that is not two lines of keys. Nothing of it is in here.
    struct Malformed: EndsWithStatus, CustomStringConvertible {
        let exitStatus = ExitStatus.damaged
        let path: String

        var description: String { "\(path) is not two lines of 64 hexadecimal digits each" }
    }
}

let rnCryptorKeysOption = OptionSpec(
    "rncryptor-keys",
    value: .init("FILE", completion: .file),
    help: "Of RNCryptor, in place of a password: two lines of 64 hexadecimal digits, for encryption and for the HMAC."
)

extension Action {
    /// What opens or makes an RNCryptor file: the two keys of `--rncryptor-keys`, or a password.
    func rnCryptorSecret(isNew: Bool) throws -> RNCryptorSecret {
        guard let path = invocation.value("rncryptor-keys") else {
            return .password(try isNew ? newSecret(.filePassphrase, "Password") : secret(.filePassphrase, "Password"))
        }
        return try RNCryptorKeyFile.secret(at: path)
    }
}
