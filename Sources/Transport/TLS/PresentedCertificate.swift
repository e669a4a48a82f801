import CLibSSL
import Glibc

/// The certificate that a server shows. Its texts are the server's own: to be made safe before they are printed.
public struct PresentedCertificate: Sendable, Equatable {
    /// Whom it is for: "CN = relay".
    public let subject: String
    /// Who signed it.
    public let issuer: String
    /// The names and addresses it is for: "DNS:chat.example.org, IP Address:192.0.2.1"; empty when it has none.
    public let names: String
    /// Its first moment, in seconds since 1970.
    public let notBefore: Int64
    /// Its last moment, in seconds since 1970; before the first, where somebody made it so.
    public let notAfter: Int64
    /// Why it is not trusted; `nil` when it is, and for a server's own, which is not looked at.
    public let failure: TLSFailure?

    /// Texts beyond this many bytes are cut.
    private static let longestText = 1000

    init?(_ certificate: OpaquePointer, failure: TLSFailure?) {
        self.failure = failure
        subject = unsafe Self.text(of: X509_get_subject_name(certificate))
        issuer = unsafe Self.text(of: X509_get_issuer_name(certificate))
        let index = unsafe X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
        names = unsafe Self.text { bio in
            if index >= 0, let found = unsafe X509_get_ext(certificate, index) {
                unsafe X509V3_EXT_print(bio, found, 0, 0)
            }
        }
        guard let notBefore = unsafe Self.seconds(X509_get0_notBefore(certificate)),
            let notAfter = unsafe Self.seconds(X509_get0_notAfter(certificate))
        else { return nil }
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    private static func text(of name: OpaquePointer?) -> String {
        unsafe text { bio in
            if let name = unsafe name { unsafe X509_NAME_print_ex(bio, name, 0, mildam_name_flags()) }
        }
    }

    /// What is written to a buffer of OpenSSL's.
    private static func text(_ write: (OpaquePointer) -> Void) -> String {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(bio) }
        unsafe write(bio)
        var bytes = [UInt8](repeating: 0, count: longestText)
        let count = unsafe BIO_read(bio, &bytes, Int32(longestText))
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var parts = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return unsafe Int64(timegm(&parts))
    }
}
