import MildamKeychain

extension ItemRequest {
    /// The items that are meant. `kSecValueData` is passed over, as Apple's searches do: programs delete with the very
    /// dictionary that they add with.
    ///
    /// - Throws: `errSecParam` without a class and a reference.
    func query() throws(Refusal) -> KeychainQuery {
        var query: KeychainQuery
        if let persistentReference {
            query = KeychainQuery(persistentReference.item)
            if let synchronizable { query.synchronizable = synchronizable }
        } else {
            guard let itemClass else { throw .parameter("a request needs \(kSecClass)") }
            query = KeychainQuery(itemClass)
            query.synchronizable = synchronizable ?? .no
        }
        query.itemClass = itemClass
        query.attributes = attributes
        if let value { query.attributes.merge(value.identifyingAttributes) }
        query.accessGroup = accessGroup
        query.accessibility = accessibility
        return query
    }

    /// The item that is to be added.
    ///
    /// - Throws: `errSecParam` without a class, with what only a search has, or with two things to protect.
    func newItem() throws(Refusal) -> NewItem {
        guard let itemClass else { throw .parameter("a request needs \(kSecClass)") }
        guard limit == nil, persistentReference == nil, synchronizable != .any else {
            throw .parameter(
                "\(kSecMatchLimit), \(kSecValuePersistentRef) and \(kSecAttrSynchronizableAny) are for searches"
            )
        }
        guard attributes[.tokenID] == nil else { throw .parameter("an enclave's key is added as \(kSecValueRef)") }
        var item = NewItem(itemClass, attributes, secret: secret ?? SecretValue(text: ""))
        if let value {
            guard secret == nil else { throw .parameter("\(kSecValueRef) and \(kSecValueData) are one too many") }
            item.secret = value.secret
            item.attributes = value.attributes
            item.attributes.merge(attributes)
        } else {
            try item.completeFromSecret()
        }
        item.accessGroup = accessGroup
        item.isSynchronizable = synchronizable == .yes
        if let accessibility { item.accessibility = accessibility }
        if item.attributes[.tokenID] == nil { try accessControl?.checkWithoutEnclave() }
        return item
    }

    /// What is to become of the items that match.
    ///
    /// - Throws: `errSecParam` for what is no attribute and no secret.
    func change() throws(Refusal) -> ItemChange {
        guard itemClass == nil, limit == nil, wanted.isEmpty, value == nil, persistentReference == nil else {
            throw .parameter("an update changes attributes and \(kSecValueData)")
        }
        try accessControl?.checkWithoutEnclave()
        var change = ItemChange(secret: secret)
        for (attribute, value) in attributes.sorted {
            guard attribute != .creationDate, attribute != .modificationDate else {
                throw Refusal(errSecReadOnlyAttr, "the keychain sets \"\(attribute.rawValue)\" itself")
            }
            change.attributes[attribute] = value
        }
        change.accessibility = accessibility
        change.accessGroup = accessGroup
        switch synchronizable {
        case nil: break
        case .yes: change.isSynchronizable = true
        case .no: change.isSynchronizable = false
        case .any: throw .parameter("\(kSecAttrSynchronizableAny) is for searches")
        }
        return change
    }
}

extension ItemAttributes {
    /// Takes over what is there in the other, instead of what is here.
    mutating func merge(_ other: ItemAttributes) {
        for (attribute, value) in other.sorted { self[attribute] = value }
    }
}
