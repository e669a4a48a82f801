import MildamCrypto
import MildamWire

/// How items and queries travel between a program and the agent.

extension WireWriter {
    /// Appends a flag and, when there is one, the value.
    mutating func optional<Value>(_ value: Value?, _ encode: (Value, inout WireWriter) -> Void) {
        integer(UInt8(value == nil ? 0 : 1))
        if let value { encode(value, &self) }
    }

    /// Appends a secret with its length. The writer's bytes are the caller's to wipe.
    mutating func secret(_ secret: SecretValue) {
        integer(UInt32(secret.count))
        unsafe secret.withUnsafeBytes { unsafe fixed($0) }
    }
}

extension WireReader {
    /// Reads what `optional` wrote.
    @_lifetime(self: copy self)
    mutating func flag() throws(WireError) -> Bool {
        switch try integer(UInt8.self) {
        case 0: false
        case 1: true
        default: throw .invalidValue(field: "flag")
        }
    }

    /// Reads a count of 8 bytes.
    @_lifetime(self: copy self)
    mutating func count() throws(WireError) -> Int {
        let number = try integer(UInt64.self)
        guard let count = Int(exactly: number) else { throw .lengthOutOfRange(.max) }
        return count
    }

    /// Reads a signed number of 8 bytes.
    @_lifetime(self: copy self)
    mutating func number() throws(WireError) -> Int64 { Int64(bitPattern: try integer(UInt64.self)) }

    /// Reads a secret.
    @_lifetime(self: copy self)
    mutating func secret(limit: Int = SecretValue.maximumSize) throws(WireError) -> SecretValue {
        var bytes = try vector(UInt32.self, in: 0...limit)
        defer { bytes.wipe() }
        return SecretValue(copying: bytes.span)
    }

    /// Reads an access group's name.
    @_lifetime(self: copy self)
    mutating func group() throws(WireError) -> String { try text(UInt16.self, in: 0...ItemContent.maximumGroup) }

    /// Reads one of an enumeration's raw values.
    @_lifetime(self: copy self)
    mutating func value<Value: RawRepresentable>(_ type: Value.Type) throws(WireError) -> Value
    where Value.RawValue == UInt8 {
        guard let value = Value(rawValue: try integer()) else { throw .invalidValue(field: "\(type)") }
        return value
    }
}

extension ItemReference: WireEncodable, WireDecodable {
    /// Appends keychain[16] and number, 8 bytes.
    public func encode(into writer: inout WireWriter) {
        writer.fixed(keychain.bytes)
        writer.integer(UInt64(bitPattern: number))
    }

    /// Reads a reference, 24 bytes.
    public init(from reader: inout WireReader) throws(WireError) {
        guard let keychain = KeychainIdentifier(try reader.fixed(KeychainIdentifier.size)) else {
            throw .invalidValue(field: "keychain")
        }
        self.init(keychain: keychain, number: Int64(bitPattern: try reader.integer(UInt64.self)))
    }
}

extension NewItem: WireEncodable, WireDecodable {
    /// Appends the item, its secret last.
    public func encode(into writer: inout WireWriter) {
        writer.integer(itemClass.rawValue)
        writer.optional(accessGroup) { $1.text(UInt16.self, $0) }
        writer.integer(UInt8(isSynchronizable ? 1 : 0))
        writer.integer(accessibility.rawValue)
        attributes.encode(into: &writer)
        writer.secret(secret)
    }

    /// Reads an item.
    public init(from reader: inout WireReader) throws(WireError) {
        let itemClass = try reader.value(ItemClass.self)
        let group = try reader.flag() ? try reader.group() : nil
        let isSynchronizable = try reader.flag()
        let accessibility = try reader.value(Accessibility.self)
        let attributes = try ItemAttributes(from: &reader)
        self.init(itemClass, attributes, secret: try reader.secret())
        accessGroup = group
        self.isSynchronizable = isSynchronizable
        self.accessibility = accessibility
    }
}

extension KeychainQuery: WireEncodable, WireDecodable {
    /// Appends the query.
    public func encode(into writer: inout WireWriter) {
        writer.integer(itemClass?.rawValue ?? 0)
        attributes.encode(into: &writer)
        writer.optional(accessGroup) { $1.text(UInt16.self, $0) }
        writer.integer(synchronizable.rawValue)
        writer.integer(accessibility?.rawValue ?? 0)
        writer.optional(reference) { $0.encode(into: &$1) }
    }

    /// Reads a query.
    public init(from reader: inout WireReader) throws(WireError) {
        let itemClass = try reader.integer(UInt8.self)
        self.init(.genericPassword, try ItemAttributes(from: &reader))
        self.itemClass = try Self.known(itemClass)
        accessGroup = try reader.flag() ? try reader.group() : nil
        synchronizable = try reader.value(Synchronizable.self)
        accessibility = try Self.known(try reader.integer(UInt8.self))
        reference = try reader.flag() ? try ItemReference(from: &reader) : nil
    }

    /// The value of a number; `nil` for zero.
    private static func known<Value: RawRepresentable>(_ number: UInt8) throws(WireError) -> Value?
    where Value.RawValue == UInt8 {
        if number == 0 { return nil }
        guard let value = Value(rawValue: number) else { throw .invalidValue(field: "\(Value.self)") }
        return value
    }
}

extension ItemChange: WireEncodable, WireDecodable {
    /// Appends the change, its attributes by ascending code, a new secret last.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(attributes.count))
        for (attribute, value) in attributes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.fixed(attribute.rawValue.utf8)
            writer.optional(value) { $0.encode(into: &$1) }
        }
        writer.integer(accessibility?.rawValue ?? 0)
        writer.optional(accessGroup) { $1.text(UInt16.self, $0) }
        writer.optional(isSynchronizable) { $1.integer(UInt8($0 ? 1 : 0)) }
        writer.optional(secret) { $1.secret($0) }
    }

    /// Reads a change; of each attribute one value at most, in their order, and of its kind.
    public init(from reader: inout WireReader) throws(WireError) {
        self.init()
        var before = ""
        var size = 0
        for _ in 0..<(try reader.integer(UInt8.self)) {
            let code = String(decoding: try reader.fixed(4), as: UTF8.self)
            guard let attribute = ItemAttribute(rawValue: code), code > before else {
                throw .invalidValue(field: "attribute")
            }
            before = code
            let value = try reader.flag() ? try AttributeValue(from: &reader) : nil
            guard value.map({ $0.kind == attribute.kind }) ?? true else { throw .invalidValue(field: code) }
            size += value?.size ?? 0
            guard size <= ItemAttributes.maximumSize else { throw .lengthOutOfRange(size) }
            attributes[attribute] = .some(value)
        }
        let number = try reader.integer(UInt8.self)
        accessibility = Accessibility(rawValue: number)
        guard number == 0 || accessibility != nil else { throw .invalidValue(field: "accessibility") }
        accessGroup = try reader.flag() ? try reader.group() : nil
        isSynchronizable = try reader.flag() ? try reader.flag() : nil
        secret = try reader.flag() ? try reader.secret() : nil
    }
}

extension KeychainItem: WireEncodable, WireDecodable {
    /// Appends the item, its secret last.
    public func encode(into writer: inout WireWriter) {
        reference.encode(into: &writer)
        writer.integer(itemClass.rawValue)
        writer.text(UInt16.self, accessGroup)
        writer.integer(UInt8(isSynchronizable ? 1 : 0))
        writer.integer(accessibility.rawValue)
        attributes.encode(into: &writer)
        writer.optional(secret) { $1.secret($0) }
    }

    /// Reads an item.
    public init(from reader: inout WireReader) throws(WireError) {
        reference = try ItemReference(from: &reader)
        itemClass = try reader.value(ItemClass.self)
        accessGroup = try reader.group()
        isSynchronizable = try reader.flag()
        accessibility = try reader.value(Accessibility.self)
        attributes = try ItemAttributes(from: &reader)
        secret = try reader.flag() ? try reader.secret() : nil
    }
}

extension SlotSecret: WireEncodable, WireDecodable {
    /// Appends the kind and the secret.
    public func encode(into writer: inout WireWriter) {
        writer.integer(kind.rawValue)
        switch self {
        case .passphrase(let text), .enclavePIN(let text), .enclaveAndPassphrase(let text): writer.secret(text)
        case .recoveryCode(let code): writer.secret(code.secret)
        case .enclaveUnattended: break
        }
    }

    /// Reads a secret.
    public init(from reader: inout WireReader) throws(WireError) {
        switch try reader.value(SlotKind.self) {
        case .passphrase: self = .passphrase(try reader.secret(limit: Self.maximumSize))
        case .enclavePIN: self = .enclavePIN(try reader.secret(limit: Self.maximumSize))
        case .enclaveAndPassphrase: self = .enclaveAndPassphrase(try reader.secret(limit: Self.maximumSize))
        case .enclaveUnattended: self = .enclaveUnattended
        case .recoveryCode:
            let secret = try reader.secret(limit: RecoveryCode.size)
            guard let code = RecoveryCode(bytes: secret) else { throw .invalidValue(field: "code") }
            self = .recoveryCode(code)
        }
    }
}
