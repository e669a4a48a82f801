import Foundation
import MildamCrypto
import TestSupport
import Testing

/// Keys in DER, as OpenSSL writes them.
@Suite("RFC 5480, 5915 and 5958: keys in DER")
struct KeyDERTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs `openssl`; what it writes is the file that is named last.
    private func openssl(_ arguments: String...) throws -> [UInt8] {
        let path = folder.file(UUID().uuidString)
        let result = try Program.run("openssl", arguments + ["-out", path])
        try #require(result.status == 0, "\(result)")
        return try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func keys(_ curve: any NISTCurve.Type) throws -> (pkcs8: [UInt8], sec1: [UInt8], info: [UInt8]) {
        let name = "\(curve)".replacing("P", with: "P-")
        let pkcs8 = try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "group:" + name, "-outform", "DER")
        let path = folder.file("key")
        try Data(pkcs8).write(to: URL(fileURLWithPath: path))
        let sec1 = try openssl("ec", "-inform", "DER", "-in", path, "-outform", "DER")
        return (pkcs8, sec1, try openssl("pkey", "-inform", "DER", "-in", path, "-pubout", "-outform", "DER"))
    }

    @Test(arguments: NISTCurveTests.curves) func whatOpenSSLWritesIsRead(curve: any NISTCurve.Type) throws {
        try read(curve)
    }

    private func read<Curve: NISTCurve>(_ curve: Curve.Type) throws {
        let (pkcs8, sec1, info) = try keys(curve)
        let key = try ECDH<Curve>.PrivateKey(derRepresentation: pkcs8.span)
        let same = try ECDH<Curve>.PrivateKey(derRepresentation: sec1.span)
        let publicKey = try ECDH<Curve>.PublicKey(derRepresentation: info.span)
        #expect(key.rawRepresentation == same.rawRepresentation && key.publicKey == publicKey)
        #expect(Array(publicKey.derRepresentation) == info, "a key that is written is what was read")
        let signing = try ECDSA<Curve>.PublicKey(x963Representation: publicKey.x963Representation)
        #expect(Array(signing.derRepresentation) == info)
        for other in NISTCurveTests.curves where other != curve { try refuse(pkcs8, sec1, info, other) }
    }

    private func refuse<Curve: NISTCurve>(
        _ pkcs8: [UInt8],
        _ sec1: [UInt8],
        _ info: [UInt8],
        _: Curve.Type
    ) throws {
        for der in [pkcs8, sec1, info] {
            #expect(throws: CryptoKitError.invalidParameter) {
                _ = try ECDH<Curve>.PrivateKey(derRepresentation: der.span)
            }
            #expect(throws: CryptoKitError.invalidParameter) {
                _ = try ECDH<Curve>.PublicKey(derRepresentation: der.span)
            }
        }
    }

    @Test(arguments: NISTCurveTests.curves) func cutChangedAndLongerKeysAreRefused(curve: any NISTCurve.Type) throws {
        try refuseChanges(curve)
    }

    private func refuseChanges<Curve: NISTCurve>(_ curve: Curve.Type) throws {
        let (pkcs8, sec1, info) = try keys(curve)
        for der in [pkcs8, sec1] {
            let genuine = try ECDH<Curve>.PrivateKey(derRepresentation: der.span).rawRepresentation
            for changed in changes(of: der) {
                let read = try? ECDH<Curve>.PrivateKey(derRepresentation: changed.span)
                #expect(read == nil, "\(genuine.count) bytes")
            }
        }
        for changed in changes(of: info) {
            #expect((try? ECDH<Curve>.PublicKey(derRepresentation: changed.span)) == nil)
        }
    }

    /// Cut at every byte, with each bit changed, and with a byte more.
    private func changes(of der: [UInt8]) -> [[UInt8]] {
        var changes = (0..<der.count).map { Array(der[..<$0]) } + [der + [0]]
        for index in der.indices {
            for bit in 0..<8 {
                var changed = der
                changed[index] ^= 1 << bit
                changes.append(changed)
            }
        }
        return changes
    }

    /// A curve that is spelled out may be another than it seems (CVE-2020-0601).
    @Test func curvesThatAreSpelledOutAreRefused() throws {
        let der = try openssl(
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "group:P-256",
            "-pkeyopt",
            "ec_param_enc:explicit",
            "-outform",
            "DER"
        )
        #expect(throws: CryptoKitError.invalidParameter) {
            _ = try P256.KeyAgreement.PrivateKey(derRepresentation: der.span)
        }
    }

    /// The example of RFC 5958's version 2: the public key beside the private one, which must be its own.
    @Test func aPublicKeyBesideIsHeldAgainstThePrivateOne() throws {
        let key = P256.KeyAgreement.PrivateKey()
        let point = Array(key.publicKey.x963Representation)
        func oneAsymmetricKey(_ version: UInt8, _ point: [UInt8]?) -> [UInt8] {
            let curve: [UInt8] = [
                0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
                0x3D, 0x03, 0x01, 0x07,
            ]
            let ec: [UInt8] = [0x30, 37, 2, 1, 1, 4, 32] + Array(key.rawRepresentation)
            var body: [UInt8] = [2, 1, version] + curve
            body += [4, UInt8(ec.count)] + ec
            if let point { body += [0x81, 66, 0] + point }
            let head: [UInt8] = body.count < 128 ? [0x30] : [0x30, 0x81]
            return head + [UInt8(body.count)] + body
        }
        for good in [oneAsymmetricKey(0, nil), oneAsymmetricKey(1, point)] {
            let read = try P256.KeyAgreement.PrivateKey(derRepresentation: good.span)
            #expect(read.rawRepresentation == key.rawRepresentation)
        }
        let other = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        for bad in [oneAsymmetricKey(1, other), oneAsymmetricKey(1, nil), oneAsymmetricKey(0, point)] {
            #expect((try? P256.KeyAgreement.PrivateKey(derRepresentation: bad.span)) == nil)
        }
    }

    /// The same in another encoding of the length is BER, and refused.
    @Test func lengthsHaveOneForm() throws {
        let info = Array(P256.KeyAgreement.PrivateKey().publicKey.derRepresentation)
        let lengths: [[UInt8]] = [[0x81, 89], [0x82, 0, 89], [0x83, 0, 0, 89], [0x80], [0xFF]]
        for length in lengths {
            let other: [UInt8] = [0x30] + length + Array(info.dropFirst(2))
            #expect((try? P256.KeyAgreement.PublicKey(derRepresentation: other.span)) == nil)
        }
    }
}
