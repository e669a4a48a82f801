import MildamKeychain

extension ItemClass {
    /// - Throws: `errSecParam` for what is no text; `errSecNoSuchClass` for what is no class.
    init(constant: Any) throws(Refusal) {
        guard let text = constant as? String else { throw .parameter("\(kSecClass) takes a constant") }
        guard let known = ItemClass.allCases.first(where: { $0.constant == text }) else {
            throw Refusal(errSecNoSuchClass, "there is no class \"\(text)\"")
        }
        self = known
    }

    /// Apple's value, of four characters.
    var constant: CFString {
        switch self {
        case .genericPassword: kSecClassGenericPassword
        case .internetPassword: kSecClassInternetPassword
        case .certificate: kSecClassCertificate
        case .key: kSecClassKey
        case .identity: kSecClassIdentity
        }
    }
}
