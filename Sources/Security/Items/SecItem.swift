import MildamKeychain

/// Adds an item to the keychain.
///
/// - Parameters:
///   - attributes: its class, attributes, `kSecValueData` or `kSecValueRef`, and what is to be given back.
///   - result: where the item goes, in the form that `kSecReturn…` asks for.
/// - Returns: `errSecSuccess`; `errSecDuplicateItem` when an item has its primary key; and see Documentation/keychain.md.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    status { () throws(Refusal) in
        let request = try unsafe ItemRequest(attributes).with(result)
        let keychain = try SecKeychain.current()
        let added = request.itemClass == .identity ? try keychain.addIdentity(request) : try keychain.add(request)
        if let added { unsafe result?.pointee = added }
    }
}

/// Finds items.
///
/// - Parameters:
///   - query: their class, attributes or reference, how many, and what is to be given back.
///   - result: where they go: one, or a list of them.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecInteractionNotAllowed` when the keychain is locked; and see
///   Documentation/keychain.md.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    status { () throws(Refusal) in
        let request = try unsafe ItemRequest(query).with(result)
        let keychain = try SecKeychain.current()
        let found = request.itemClass == .identity ? try keychain.copyIdentities(request) : try keychain.copy(request)
        if let found { unsafe result?.pointee = found }
    }
}

/// Changes all items that match, or none.
///
/// - Parameters:
///   - query: the items, as for `SecItemCopyMatching`.
///   - attributesToUpdate: attributes with their new values, and `kSecValueData`.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecDuplicateItem` when an item would take another's primary key.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    status { () throws(Refusal) in
        let request = try ItemRequest(query)
        let change = try ItemRequest(attributesToUpdate).change()
        let keychain = try SecKeychain.current()
        guard request.itemClass != .identity else {
            throw Refusal(errSecUnimplemented, "an identity is changed through its certificate and its key")
        }
        guard request.wanted.isEmpty else { throw .parameter("an update gives nothing back") }
        guard request.limit == nil || request.limit == .all else { throw .parameter("an update is of all that match") }
        try keychain.update(request, change)
    }
}

/// Deletes all items that match.
///
/// - Parameter query: the items, as for `SecItemCopyMatching`.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    status { () throws(Refusal) in
        let request = try ItemRequest(query)
        let keychain = try SecKeychain.current()
        guard request.limit == nil || request.limit == .all else { throw .parameter("a deletion is of all that match") }
        if request.itemClass == .identity {
            try keychain.deleteIdentities(request)
        } else {
            let query = try request.query()
            _ = try asking { () throws(KeychainError) in try keychain.delete(query) }
        }
    }
}

extension ItemRequest {
    /// The request, once there is a place for what it asks for.
    fileprivate func with(_ result: UnsafeMutablePointer<CFTypeRef?>?) throws(Refusal) -> ItemRequest {
        guard unsafe wanted.isEmpty || result != nil else {
            throw .parameter("something is to be given back, and there is no place for it")
        }
        return self
    }
}
