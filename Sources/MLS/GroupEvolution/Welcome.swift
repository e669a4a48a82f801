import MildamWire

/// The secrets of an epoch for one new member (RFC 9420, section 12.4.3.1).
///
///     struct {
///       KeyPackageRef new_member;
///       HPKECiphertext encrypted_group_secrets;
///     } EncryptedGroupSecrets;
public struct EncryptedGroupSecrets: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Whose.
    public var newMember: KeyPackageRef
    /// GroupSecrets, encrypted to the key package's init key.
    public var encryptedGroupSecrets: HPKECiphertext

    init(newMember: KeyPackageRef, encryptedGroupSecrets: HPKECiphertext) {
        self.newMember = newMember
        self.encryptedGroupSecrets = encryptedGroupSecrets
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        newMember = try KeyPackageRef(from: &reader)
        encryptedGroupSecrets = try HPKECiphertext(from: &reader)
    }

    /// Appends it.
    public func encode(into writer: inout WireWriter) {
        newMember.encode(into: &writer)
        encryptedGroupSecrets.encode(into: &writer)
    }
}

/// What new members need to come in (RFC 9420, section 12.4.3.1).
///
///     struct {
///       CipherSuite cipher_suite;
///       EncryptedGroupSecrets secrets<V>;
///       opaque encrypted_group_info<V>;
///     } Welcome;
public struct Welcome: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The group's suite.
    public var cipherSuite: CipherSuite
    /// The secrets for each.
    public var secrets: [EncryptedGroupSecrets]
    /// The group's state, for all of them.
    public var encryptedGroupInfo: [UInt8]

    init(cipherSuite: CipherSuite, secrets: [EncryptedGroupSecrets], encryptedGroupInfo: [UInt8]) {
        self.cipherSuite = cipherSuite
        self.secrets = secrets
        self.encryptedGroupInfo = encryptedGroupInfo
    }

    /// Reads a Welcome.
    public init(from reader: inout WireReader) throws(WireError) {
        cipherSuite = try CipherSuite(from: &reader)
        secrets = try reader.vector(of: EncryptedGroupSecrets.self)
        encryptedGroupInfo = try reader.vector()
    }

    /// Appends the Welcome.
    public func encode(into writer: inout WireWriter) {
        cipherSuite.encode(into: &writer)
        writer.vector(of: secrets)
        writer.vector(encryptedGroupInfo)
    }
}
