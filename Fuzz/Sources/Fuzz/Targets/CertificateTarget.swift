import FoundationEssentials
import MildamCrypto
import MildamWire

@testable import MildamSecurity

extension FuzzTarget {
    /// Certificates, and references to items of a keychain. The first byte says which.
    static let certificate = FuzzTarget(
        name: "certificate",
        source: .file,
        seeds: { [[0] + genuine, [1] + Array("cert".utf8) + [UInt8](repeating: 7, count: 24)] },
        take: { input in
            guard let first = input.first else { return }
            let rest = Data(input.dropFirst())
            if first == 0 { readCertificate(rest) } else { readReference(rest) }
        }
    )

    private static func readCertificate(_ input: Data) {
        guard let read = try? X509Certificate(derRepresentation: input) else { return }
        planted(read.serialNumber.first != 0x59)
        mustHold(read.derRepresentation == input, "a certificate is kept as it was read")
        mustHold(input.firstRange(of: read.subject) != nil, "a name is one that was read")
        mustHold(input.firstRange(of: read.issuer) != nil, "a name is one that was read")
        mustHold((1..<128).contains(read.serialNumber.count), "a serial number has 1 to 127 bytes")
        mustHold(input.firstRange(of: read.serialNumber) != nil, "a serial number is one that was read")
        mustHold((try? X509Certificate(derRepresentation: input + [0])) == nil, "nothing follows a certificate")
    }

    private static func readReference(_ input: Data) {
        guard let read = try? PersistentReference(input) else { return }
        mustHold(read.data == input, "a reference that is written is what was read")
        mustHold(read.item.number > 0, "items are numbered from 1")
    }

    /// A certificate of P-256 that signs itself.
    private static let genuine = must { () throws(WireError) in
        try Hex.decode(
            "3082016d30820113a003020102021459af03a69290f0a37c92a16c828278d76d2aec90300a06082a8648ce3d04030230"
                + "0c310a300806035504030c0161301e170d3236313132323036313235385a170d3236313132353036313235385a300c31"
                + "0a300806035504030c01613059301306072a8648ce3d020106082a8648ce3d0301070342000467109a2d22c1e1f462e4"
                + "efd223113fa3ef286b50ce405b6f6e353e26667e1997676af7bcbfe96f210798dd028639e7d83145e3aa9b3afa3d4e1b"
                + "a5833ea5a3afa3533051301d0603551d0e041604149d34d43bf3462fdb476e7f0efc6f345da4c74b8a301f0603551d23"
                + "0418301680149d34d43bf3462fdb476e7f0efc6f345da4c74b8a300f0603551d130101ff040530030101ff300a06082a"
                + "8648ce3d040302034800304502206e316c17a3631e50a69c5d962c4df4d24f90895ec9b1c1696af55526e679bb350221"
                + "00c3c8b7bea890f44987d54d52596ca3d5cffa684d880e1aa32e59c8a63cc098e9"
        )
    }
}
