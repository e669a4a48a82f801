import MildamSystem

/// Why a file of keys was not read. Nothing of its content is in any case.
public enum AgeKeyError: Error, Equatable, Sendable, SystemFailure {
    /// A line, counted from 1, is no key that can be used.
    case unusableLine(Int, AgeKeyDefect)
    /// The file as a whole is one key, or should be, and cannot be used.
    case unusableFile(AgeKeyDefect)
    /// The file is larger than `AgeKeyFile.maximumSize`.
    case tooLarge
    /// Comments and empty lines, if anything.
    case noKeys
    /// The operating system refused.
    case io(SystemError)
}

/// Why a key cannot be used.
public enum AgeKeyDefect: String, Error, Equatable, Sendable {
    /// Not the beginning of any key that is known here.
    case unknownKind = "this is no age or SSH key"
    /// The beginning of an age key, and then something else.
    case malformedAgeKey = "the age key is malformed: a character is wrong or missing"
    /// An age key of a kind that cannot be used yet, such as the post-quantum ones.
    case unsupportedAgeKey = "this kind of age key is not supported"
    /// A secret key where a public one belongs.
    case secretKey = "this is a secret key, and a public one belongs here"
    /// A public key where a secret one belongs.
    case publicKey = "this is a public key, and a secret one belongs here"
    /// An SSH key that is not what its first words say.
    case malformedSSHKey = "the SSH key is malformed"
    /// An RSA key where one of Ed25519 belongs.
    case rsaKey = "this is an ssh-rsa key, and an ssh-ed25519 key belongs here"
    /// An RSA key of a size that is not taken.
    case rsaKeySize = "an RSA key has 2048 to 16384 bits: make a longer one, or an ed25519 key"
    /// An SSH key of a type other than RSA and Ed25519.
    case unsupportedSSHKey = "this type of SSH key is not supported: use an ed25519 key"
    /// An SSH private key under a passphrase.
    case encryptedSSHKey = "the SSH key is under a passphrase"
    /// An SSH private key under a passphrase, by other means than AES and `bcrypt_pbkdf`.
    case unsupportedSSHCipher = """
        the cipher of the SSH key is not supported: run ssh-keygen -p -Z aes256-ctr -f FILE on a copy of it
        """
    /// An SSH private key whose passphrase takes more work than is allowed.
    case costlySSHKey = """
        opening the SSH key would take minutes: run ssh-keygen -p -a 16 -f FILE on a copy of it
        """
    /// An RSA private key under a passphrase, in the form before OpenSSH's own.
    case encryptedPEMKey = """
        a key in this form is not read under a passphrase: run ssh-keygen -p -f FILE on a copy of it
        """
    /// A private key in another format than OpenSSH's own.
    case otherPrivateKeyFile = "this private key file is not in OpenSSH's format"
    /// A key file that is itself an age file, and not one under a passphrase.
    case encryptedFile = "the key file is encrypted for other keys: decrypt it first"
    /// A key file that is itself an age file, whose header or armor is damaged.
    case damagedFile = "the key file is encrypted, and damaged"
}

extension AgeKeyError: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .unusableLine(let line, let defect): "line \(line): \(defect.rawValue)"
        case .unusableFile(let defect): defect.rawValue
        case .tooLarge: "a file of keys has at most \(AgeKeyFile.maximumSize) bytes"
        case .noKeys: "there is no key in the file"
        case .io(let error): error.description
        }
    }
}

extension AgeKeyDefect: CustomStringConvertible {
    /// What is wrong, and where something can be done about it, what.
    public var description: String { rawValue }
}
