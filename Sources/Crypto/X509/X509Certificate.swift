import CLibCrypto
import FoundationEssentials

/// What an X.509 certificate says of itself (RFC 5280, section 4.1). That it could be read says nothing of who made it:
/// nothing is verified.
public struct X509Certificate: Equatable, Sendable {
    /// The most bytes of a certificate that is read: 1 MiB.
    public static let maximumByteCount = 1 << 20

    /// The certificate in DER.
    public let derRepresentation: Data
    /// The issuer's name as it is encoded.
    public let issuer: Data
    /// The subject's name as it is encoded.
    public let subject: Data
    /// The subject's common name, the last if there are several.
    public let commonName: String?
    /// The content of the serial number's INTEGER: big-endian, in two's complement, 127 bytes at most.
    public let serialNumber: Data
    /// The subject key identifier (section 4.2.1.2).
    public let subjectKeyIdentifier: Data?
    /// The content of the public key's BIT STRING; of an elliptic curve 0x04 ‖ X ‖ Y (RFC 5480, section 2.2).
    public let publicKey: Data
    /// What the public key is for, where that is a scheme of ``SignatureAlgorithm``; a key for ECDSA may be used otherwise, too.
    public let signatureAlgorithm: SignatureAlgorithm?
    /// The version as it is written: 0 for version 1, 2 for version 3.
    public let version: Int

    /// Reads a certificate in DER; what libcrypto's decoder takes of BER is read, too.
    ///
    /// - Throws: `incorrectParameterSize` above `maximumByteCount`; `invalidParameter` for what is no certificate, bytes
    ///   after one, or a longer serial number.
    public init(derRepresentation: some DataProtocol) throws(CryptoKitError) {
        guard derRepresentation.count <= X509Certificate.maximumByteCount else { throw .incorrectParameterSize }
        let der = Data(derRepresentation)
        guard let certificate = unsafe X509Certificate.decode(der) else {
            _ = LibCrypto.lastError()
            throw .invalidParameter
        }
        defer { unsafe X509_free(certificate) }
        let subjectName = unsafe X509_get_subject_name(certificate)
        let serial = unsafe X509Certificate.encoding {
            unsafe i2d_ASN1_INTEGER(X509_get0_serialNumber(certificate), $0)
        }
        guard let key = unsafe X509_get0_pubkey_bitstr(certificate),
            let subject = unsafe X509Certificate.encoding({ unsafe i2d_X509_NAME(subjectName, $0) }),
            let issuer = unsafe X509Certificate.encoding({
                unsafe i2d_X509_NAME(X509_get_issuer_name(certificate), $0)
            }),
            // A tag, a length of one byte, and the number.
            let serial, serial.count > 2, serial[1] < 0x80
        else {
            _ = LibCrypto.lastError()
            throw .invalidParameter
        }
        self.derRepresentation = der
        self.subject = subject
        self.issuer = issuer
        serialNumber = Data(serial.dropFirst(2))
        publicKey = unsafe X509Certificate.content(key)
        signatureAlgorithm = unsafe X509_get0_pubkey(certificate).flatMap { unsafe X509Certificate.algorithm(of: $0) }
        subjectKeyIdentifier = unsafe X509_get0_subject_key_id(certificate).map { unsafe X509Certificate.content($0) }
        commonName = unsafe X509Certificate.commonName(of: subjectName)
        version = unsafe X509_get_version(certificate)
        ERR_clear_error()
    }

    private static func decode(_ der: Data) -> OpaquePointer? {
        unsafe der.withUnsafeBytes { der in
            var position = unsafe der.octets
            guard let certificate = unsafe d2i_X509(nil, &position, der.count) else { return nil }
            guard unsafe position == der.octets.map({ unsafe $0 + der.count }) else {
                unsafe X509_free(certificate)
                return nil
            }
            return unsafe certificate
        }
    }

    /// What one of libcrypto's encoders writes.
    private static func encoding(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
    ) -> Data? {
        var start: UnsafeMutablePointer<UInt8>?
        let size = unsafe encode(&start)
        guard size > 0, let start = unsafe start else { return nil }
        defer { unsafe CRYPTO_free(start, #file, #line) }
        return unsafe Data(bytes: start, count: Int(size))
    }

    private static func content(_ string: UnsafePointer<ASN1_STRING>) -> Data {
        guard let start = unsafe ASN1_STRING_get0_data(string) else { return Data() }
        return unsafe Data(bytes: start, count: Int(ASN1_STRING_length(string)))
    }

    private static func algorithm(of key: OpaquePointer) -> SignatureAlgorithm? {
        if unsafe EVP_PKEY_is_a(key, "ED25519") == 1 { return .ed25519 }
        if unsafe EVP_PKEY_is_a(key, "ED448") == 1 { return .ed448 }
        guard unsafe EVP_PKEY_is_a(key, "EC") == 1 else { return nil }
        var name = [CChar](repeating: 0, count: 80)
        var size = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &size) == 1 else { return nil }
        let curves: [String: SignatureAlgorithm] = [
            "prime256v1": .ecdsaP256, "secp384r1": .ecdsaP384, "secp521r1": .ecdsaP521,
        ]
        return String(validating: name.prefix(size).map(UInt8.init(bitPattern:)), as: UTF8.self).flatMap { curves[$0] }
    }

    private static func commonName(of name: OpaquePointer?) -> String? {
        var index: Int32 = -1
        var found: OpaquePointer?
        while true {
            index = unsafe X509_NAME_get_index_by_NID(name, NID_commonName, index)
            guard index >= 0 else { break }
            unsafe found = X509_NAME_get_entry(name, index)
        }
        guard let value = unsafe found.flatMap({ unsafe X509_NAME_ENTRY_get_data($0) }),
            let utf8 = unsafe encoding({ unsafe ASN1_STRING_to_UTF8($0, value) })
        else { return nil }
        return String(validating: utf8, as: UTF8.self)
    }
}
