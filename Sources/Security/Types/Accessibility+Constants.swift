import MildamKeychain

extension Accessibility {
    /// - Throws: `errSecParam` for what is none of the constants, and for `…Always…`.
    init(constant: Any) throws(Refusal) {
        guard let text = constant as? String else { throw .parameter("\(kSecAttrAccessible) takes a constant") }
        guard let known = Accessibility.allCases.first(where: { $0.constant == text }) else {
            throw .parameter("\"\(text)\" is no time at which an item can be read here")
        }
        self = known
    }

    /// Apple's value.
    var constant: CFString {
        switch self {
        case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
        case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        }
    }
}
