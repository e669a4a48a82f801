/// Which items are parts of one login: the other way round than ``ImportedLogin`` makes items of it.
extension ImportedLogin {
    /// What the fields of a login have as their `account`.
    ///
    /// - Parameter item: the login's password.
    /// - Returns: `nil` for what is no password, or is a field itself.
    public static func reference(of item: KeychainItem) -> String? {
        guard item.itemClass == .internetPassword || item.itemClass == .genericPassword, field(of: item) == nil else {
            return nil
        }
        return CSVRow(item).reference
    }

    /// Which field an item is: "note", or the name that the file gave it.
    ///
    /// - Returns: `nil` for an item that is none.
    public static func field(of item: KeychainItem) -> String? {
        guard item.itemClass == .genericPassword, let service = item.attributes.text(.service) else { return nil }
        if service == noteService { return noteService }
        let beginning = Self.service(ofField: "")
        return service.hasPrefix(beginning) ? String(service.dropFirst(beginning.count)) : nil
    }

    /// The `service` of a field, as ``field(of:)`` tells it.
    public static func service(named field: String) -> String {
        field == noteService ? noteService : service(ofField: field)
    }
}
