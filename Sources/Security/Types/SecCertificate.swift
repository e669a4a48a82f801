import FoundationEssentials
import MildamCrypto
import MildamKeychain

/// An X.509 certificate. Nothing of it was verified.
public final class SecCertificate: Hashable, Sendable, CustomStringConvertible {
    private let certificate: X509Certificate

    init(_ certificate: X509Certificate) { self.certificate = certificate }

    /// - Throws: `errSecDecode`.
    convenience init(_ secret: SecretValue) throws(Refusal) {
        let der = unsafe secret.withUnsafeBytes { unsafe Data($0) }
        do throws(CryptoKitError) { self.init(try X509Certificate(derRepresentation: der)) } catch {
            throw Refusal(errSecDecode, "the data are no certificate in DER")
        }
    }

    var der: Data { certificate.derRepresentation }
    var summary: String? { certificate.commonName }
    var serialNumber: Data { certificate.serialNumber }
    /// SHA-1 of the public key: what finds the private key.
    var publicKeyHash: [UInt8] { Array(Insecure.SHA1.hash(data: certificate.publicKey)) }

    /// The public key, when it is of a curve that is known here.
    var publicKey: SecKey? { try? SecKey(publicPoint: certificate.publicKey) }

    var identifyingAttributes: ItemAttributes {
        [
            .certificateType: .number(Int64(certificate.version) + 1), .issuer: .data(Array(certificate.issuer)),
            .serialNumber: .data(Array(certificate.serialNumber)),
        ]
    }

    /// What it is kept with.
    var attributes: ItemAttributes {
        var attributes = identifyingAttributes
        attributes[.certificateEncoding] = 3
        attributes[.subject] = .data(Array(certificate.subject))
        attributes[.publicKeyHash] = .data(publicKeyHash)
        attributes[.subjectKeyID] = certificate.subjectKeyIdentifier.map { .data(Array($0)) }
        attributes[.label] = summary.map { .text($0) }
        return attributes
    }

    /// Whether both are the same bytes.
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool { left.der == right.der }

    /// Feeds the bytes to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }

    /// The subject's common name.
    public var description: String { "SecCertificate (\(summary ?? "no name"))" }
}

/// A certificate from DER; `nil` for what is none.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    (try? X509Certificate(derRepresentation: data)).map(SecCertificate.init)
}

/// The certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { certificate.der }

/// The subject's common name.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? { certificate.summary }

/// The public key; `nil` when it is not of P-256, P-384 or P-521.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { certificate.publicKey }

/// The content of the serial number's INTEGER.
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    certificate.serialNumber
}
