import MildamWire

/// How the rows of a keyring travel from `mildam-keyring`:
/// ```
/// enum { login(0), locked(1), tooLarge(2), (255) } RowKind;
/// struct { opaque name<0..2^22>; opaque value<0..2^22>; } Field;
/// struct {
///     RowKind kind;
///     uint32 position;
///     opaque title<0..2^22>;
///     select (kind) {
///         case login: opaque username<0..2^22>; optional password; optional realm; optional folder;
///                     uint16 count; opaque addresses<0..2^22>[count]; uint16 count; Field fields[count];
///         case locked, tooLarge: ;
///     };
/// } Row;
/// ```
/// A length has 32 bits.
extension ImportedLogins.Row: WireEncodable, WireDecodable {
    private enum Kind: UInt8 {
        case login = 0
        case locked = 1
        case tooLarge = 2
    }

    /// Appends the row, with its secrets. Of defects there are those that a keyring's items have.
    public func encode(into writer: inout WireWriter) {
        switch self {
        case .refused(let position, let name, let reason):
            writer.integer((reason == .locked ? Kind.locked : Kind.tooLarge).rawValue)
            writer.integer(UInt32(clamping: position))
            writer.text(UInt32.self, name)
        case .login(let login):
            writer.integer(Kind.login.rawValue)
            writer.integer(UInt32(clamping: login.position))
            writer.text(UInt32.self, login.title)
            writer.text(UInt32.self, login.username)
            writer.optional(login.password) { $1.secret($0) }
            writer.optional(login.realm) { $1.text(UInt32.self, $0) }
            writer.optional(login.folder) { $1.text(UInt32.self, $0) }
            writer.integer(UInt16(clamping: login.addresses.count))
            for address in login.addresses.prefix(Int(UInt16.max)) { writer.text(UInt32.self, address) }
            writer.integer(UInt16(clamping: login.fields.count))
            for field in login.fields.prefix(Int(UInt16.max)) {
                writer.text(UInt32.self, field.name)
                writer.secret(field.value)
            }
        }
    }

    /// Reads a row.
    public init(from reader: inout WireReader) throws(WireError) {
        let kind = try reader.value(Kind.self)
        let position = Int(try reader.integer(UInt32.self))
        let title = try reader.longText()
        switch kind {
        case .locked: self = .refused(position: position, name: title, reason: .locked)
        case .tooLarge: self = .refused(position: position, name: title, reason: .tooLarge)
        case .login:
            var login = ImportedLogin(position: position)
            login.title = title
            login.username = try reader.longText()
            login.password = try reader.flag() ? try reader.secret() : nil
            login.realm = try reader.flag() ? try reader.longText() : nil
            login.folder = try reader.flag() ? try reader.longText() : nil
            for _ in 0..<(try reader.integer(UInt16.self)) { login.addresses.append(try reader.longText()) }
            for _ in 0..<(try reader.integer(UInt16.self)) {
                let name = try reader.longText()
                login.fields.append(ImportedLogin.Field(name, try reader.secret()))
            }
            self = .login(login)
        }
    }

    /// As many bytes as it takes at the most.
    var maximumWireSize: Int {
        guard case .login(let login) = self else { return 4096 }
        var size = 64 + login.title.utf8.count + login.username.utf8.count + (login.password?.count ?? 0)
        size += (login.realm?.utf8.count ?? 0) + (login.folder?.utf8.count ?? 0)
        for address in login.addresses { size += 4 + address.utf8.count }
        for field in login.fields { size += 8 + field.name.utf8.count + field.value.count }
        return size
    }
}

extension WireReader {
    /// Reads a text of 4 MiB at most.
    @_lifetime(self: copy self)
    fileprivate mutating func longText() throws(WireError) -> String {
        try text(UInt32.self, in: 0...SecretValue.maximumSize)
    }
}
