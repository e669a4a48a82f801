import MildamKeychain
import MildamProfile
import MildamTokens

/// What an item is, in words: told by what it says of itself.
enum ItemKind: String, CaseIterable, Encodable {
    case password
    case login
    case note
    case oneTimeCode = "one-time-code"
    case field
    /// Several fields without a login, as of a card.
    case record
    case key
    case enclaveKey = "enclave-key"
    case certificate
    case signIn = "sign-in"
    case profileKey = "profile-key"

    init(_ item: KeychainItem) {
        switch item.itemClass {
        case .internetPassword: self = .login
        case .certificate, .identity: self = .certificate
        case .key: self = item.attributes.text(.tokenID) == nil ? .key : .enclaveKey
        case .genericPassword: self = Self.ofPassword(item)
        }
    }

    private static func ofPassword(_ item: KeychainItem) -> ItemKind {
        if item.accessGroup == ProfileRootKey.accessGroup { return .profileKey }
        let service = item.attributes.text(.service) ?? ""
        switch service {
        case OneTimeCodeStore.service: return .oneTimeCode
        case ImportedLogin.noteService: return .note
        case SignInStore.service: return .signIn
        default: return service.hasPrefix(ImportedLogin.service(ofField: "")) ? .field : .password
        }
    }

    /// Whether it is what somebody means by the name of a login that has several parts.
    var isLogin: Bool { self == .password || self == .login }

    /// Whether it is this program's own, and never meant by a part of a name.
    var isOwn: Bool { self == .signIn || self == .profileKey }
}
