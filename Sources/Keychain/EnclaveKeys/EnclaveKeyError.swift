import MildamEnclave

/// Why a named key of an enclave was not found or not kept.
public enum EnclaveKeyError: Error, Equatable, Sendable {
    /// No key has this name.
    case noKey(name: String)
    /// A key has this name already.
    case nameTaken(name: String)
    /// Keys of several access groups have this name.
    case ambiguous(name: String, groups: [String])
    /// A name has 1 to 255 bytes, none of them a control character.
    case invalidName
    /// What the keychain holds is no key of an enclave that this program knows.
    case unusable(name: String, EnclaveError)
    /// The keychain refused.
    case keychain(KeychainError)
}

extension EnclaveKeyError: CustomStringConvertible {
    /// What happened, to what, and what to do.
    public var description: String {
        switch self {
        case .noKey(let name): "there is no key \(name); see `mildam enclave list`"
        case .nameTaken(let name): "there is a key \(name) already: choose another name, or delete it first"
        case .ambiguous(let name, let groups):
            "keys of several access groups are called \(name); name one with --group: \(groups.joined(separator: ", "))"
        case .invalidName: "a key's name has 1 to 255 bytes, and no control characters"
        case .unusable(let name, let error): "\(name): \(error)"
        case .keychain(let error): error.description
        }
    }
}
