import MildamWire

/// Who a member says they are (RFC 9420, section 5.3). Whether it is so, the application is asked.
///
///     struct {
///         CredentialType credential_type;
///         select (Credential.credential_type) {
///             case basic: opaque identity<V>;
///             case x509:  Certificate certificates<V>;
///         };
///     } Credential;
public enum Credential: Hashable, Sendable {
    /// An identity of any bytes.
    case basic(identity: [UInt8])
    /// Certificates in DER, the end entity's first.
    case x509(certificates: [Certificate])

    /// One certificate: `struct { opaque cert_data<V>; } Certificate;`.
    public struct Certificate: Hashable, Sendable, WireEncodable, WireDecodable {
        /// The certificate in DER.
        public var data: [UInt8]

        /// A certificate of this DER.
        public init(data: [UInt8]) { self.data = data }

        /// Reads one.
        public init(from reader: inout WireReader) throws(WireError) { data = try reader.vector() }

        /// Appends it.
        public func encode(into writer: inout WireWriter) { writer.vector(data) }
    }

    /// What kind it is.
    public var type: CredentialType {
        switch self {
        case .basic: .basic
        case .x509: .x509
        }
    }
}

extension Credential: WireEncodable, WireDecodable {
    /// Reads a credential.
    ///
    /// - Throws: `invalidValue` for a kind that the RFC does not have: where it ends cannot be known.
    public init(from reader: inout WireReader) throws(WireError) {
        switch try CredentialType(from: &reader) {
        case .basic: self = .basic(identity: try reader.vector())
        case .x509: self = .x509(certificates: try reader.vector(of: Certificate.self))
        default: throw .invalidValue(field: "credential_type")
        }
    }

    /// Appends the credential.
    public func encode(into writer: inout WireWriter) {
        type.encode(into: &writer)
        switch self {
        case .basic(let identity): writer.vector(identity)
        case .x509(let certificates): writer.vector(of: certificates)
        }
    }
}
