/// Why a file of certificates, keys or authorities cannot be used.
public enum TLSFileFault: Equatable, Sendable, CustomStringConvertible {
    /// It cannot be opened: the system's `errno`.
    case unreadable(Int32)
    /// There is no certificate in it.
    case noCertificate
    /// There is no private key in it.
    case noKey
    /// Its key is under a password, and nobody is asked for one.
    case keyUnderPassword
    /// Its key does not belong to the certificate.
    case otherKey
    /// OpenSSL refuses it, in its own words: "ee key too small".
    case refused(String)

    /// What is wrong, and what to do about it.
    public var description: String {
        switch self {
        case .unreadable(let code): "it cannot be opened (error \(code))"
        case .noCertificate: "there is no certificate in it; it has to be in PEM form"
        case .noKey: "there is no private key in it; it has to be in PEM form"
        case .keyUnderPassword: "its key is under a password; write it without one: openssl pkey -in FILE -out NEW"
        case .otherKey: "its key does not belong to the certificate"
        case .refused(let words): words
        }
    }
}
