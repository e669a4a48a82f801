import FoundationEssentials
import MildamKeychain

/// A dictionary that `SecItem…` was given, read once and checked.
///
/// What would narrow a search, or protect an item, and is not done here, is refused; only what asks a person, or names
/// one of a Mac's two keychains, is passed over.
struct ItemRequest {
    /// What is to be given back.
    struct Wanted: OptionSet {
        let rawValue: Int
        static let data = Wanted(rawValue: 1)
        static let attributes = Wanted(rawValue: 2)
        static let reference = Wanted(rawValue: 4)
        static let persistentReference = Wanted(rawValue: 8)
    }

    /// The kind of item.
    var itemClass: ItemClass?
    /// The attributes.
    var attributes = ItemAttributes()
    /// The access group.
    var accessGroup: String?
    /// `kSecAttrSynchronizable`.
    var synchronizable: KeychainQuery.Synchronizable?
    /// `kSecAttrAccessible`, or that of `kSecAttrAccessControl`.
    var accessibility: Accessibility?
    /// `kSecAttrAccessControl`.
    var accessControl: SecAccessControl?
    /// `kSecMatchLimit`.
    var limit: KeychainQuery.Limit?
    /// `kSecReturn…`.
    var wanted: Wanted = []
    /// `kSecValueData`.
    var secret: SecretValue?
    /// `kSecValueRef`.
    var value: ItemValue?
    /// `kSecValuePersistentRef`.
    var persistentReference: PersistentReference?

    /// - Throws: `errSecParam` for keys that nobody knows, values that make no sense, and what is not done here;
    ///   `errSecNoSuchClass`; `errSecNoSuchAttr` for an attribute that the class has not.
    init(_ dictionary: CFDictionary) throws(Refusal) {
        // In a fixed order, so that a request with two faults is always refused for the same one.
        for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            if let attribute = ItemAttribute(rawValue: key) {
                attributes[attribute] = try AttributeValue(value, of: attribute)
            } else {
                try take(key, value)
            }
        }
        if let named = value?.itemClass ?? persistentReference?.itemClass {
            guard itemClass == nil || itemClass == named else {
                throw .parameter("the item that is named is of another class")
            }
            itemClass = named
        }
        try checkAttributes()
    }

    private mutating func take(_ key: String, _ value: Any) throws(Refusal) {
        switch key {
        case kSecClass: itemClass = try ItemClass(constant: value)
        case kSecAttrAccessGroup:
            guard let group = value as? String else { throw .parameter("\(key) takes text") }
            accessGroup = group
        case kSecAttrSynchronizable: synchronizable = try ItemRequest.synchronizable(value)
        case kSecAttrAccessible: accessibility = try Accessibility(constant: value)
        case kSecAttrAccessControl:
            guard let control = value as? SecAccessControl else { throw .parameter("\(key) takes a SecAccessControl") }
            accessControl = control
        case kSecMatchLimit: limit = try ItemRequest.limit(value)
        case kSecReturnData: try want(.data, key, value)
        case kSecReturnAttributes: try want(.attributes, key, value)
        case kSecReturnRef: try want(.reference, key, value)
        case kSecReturnPersistentRef: try want(.persistentReference, key, value)
        case kSecValueData:
            guard let data = value as? Data else { throw .parameter("\(key) takes Data") }
            secret = SecretValue(copying: data)
        case kSecValueRef: self.value = try ItemValue(value)
        case kSecValuePersistentRef:
            guard let data = value as? Data else { throw .parameter("\(key) takes Data") }
            persistentReference = try PersistentReference(data)
        case kSecMatchCaseInsensitive, kSecMatchTrustedOnly:
            guard DictionaryValue.flag(value) == false else { throw .parameter("\(key) is not done here") }
        case kSecUseAuthenticationUI:
            let known = [kSecUseAuthenticationUIAllow, kSecUseAuthenticationUIFail, kSecUseAuthenticationUISkip]
            guard let text = value as? String, known.contains(text) else { throw .parameter("\(key) takes a constant") }
        case kSecUseDataProtectionKeychain, kSecUseAuthenticationContext, kSecUseOperationPrompt,
            kSecUseNoAuthenticationUI:
            break
        default:
            throw key.utf8.count == 4
                ? Refusal(errSecNoSuchAttr, "there is no attribute \"\(key)\"")
                : .parameter("\"\(key)\" is no key of a request here")
        }
    }

    private mutating func want(_ what: Wanted, _ key: String, _ value: Any) throws(Refusal) {
        guard let flag = DictionaryValue.flag(value) else { throw .parameter("\(key) takes a flag") }
        if flag { wanted.insert(what) }
    }

    private mutating func checkAttributes() throws(Refusal) {
        if let accessControl {
            guard accessibility == nil || accessibility == accessControl.accessibility else {
                throw .parameter("an access control says itself when the item can be read")
            }
            accessibility = accessControl.accessibility
        }
        guard let itemClass else { return }
        for (attribute, _) in attributes.sorted where !itemClass.attributes.contains(attribute) {
            throw Refusal(errSecNoSuchAttr, "items of class \(itemClass.constant) have no \"\(attribute.rawValue)\"")
        }
    }

    private static func synchronizable(_ value: Any) throws(Refusal) -> KeychainQuery.Synchronizable {
        if let text = value as? String, text == kSecAttrSynchronizableAny { return .any }
        guard let flag = DictionaryValue.flag(value) else { throw .parameter("\(kSecAttrSynchronizable) takes a flag") }
        return flag ? .yes : .no
    }

    private static func limit(_ value: Any) throws(Refusal) -> KeychainQuery.Limit {
        if let text = value as? String {
            if text == kSecMatchLimitOne { return .one }
            if text == kSecMatchLimitAll { return .all }
        }
        guard let number = DictionaryValue.number(value), number > 0 else {
            throw .parameter("\(kSecMatchLimit) takes kSecMatchLimitOne, kSecMatchLimitAll or a number from 1")
        }
        return number == 1 ? .one : .atMost(Int(number))
    }
}
