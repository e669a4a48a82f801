import Foundation
import MildamCrypto
import MildamOneTimeCode
import TestSupport

/// What the tests of QR codes share.
enum QRSamples {
    /// Whether the programs are here that draw and read codes.
    static let programsAreExpected = Program.areExpected(["qrencode", "zbarimg"], from: "qrencode zbar-tools")

    static let uri =
        "otpauth://totp/Example:alice@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example&digits=6"

    /// From the smallest version to one of the largest, in each of the alphabets that a code has.
    static let texts = [
        "1", "HELLO WORLD", uri, "otpauth://hotp/밀담:앨리스?secret=JBSWY3DPEHPK3PXP&counter=1", "a\nb",
        String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 24),
    ]

    static func code(_ text: String, _ correction: QRCode.Correction = .medium) throws(QRCodeError) -> QRCode {
        try QRCode(text: Array(text.utf8).span, correction: correction)
    }

    static func bytes(of secret: borrowing SecretBytes) -> [UInt8] {
        secret.span.indices.map { secret.span[$0] }
    }

    /// What zbar's own program reads from an image.
    static func read(_ image: [UInt8], _ options: [String] = []) throws -> String {
        let folder = try TemporaryFolder()
        try Data(image).write(to: URL(fileURLWithPath: folder.file("image")))
        let arguments = ["-q", "--raw", "--nodbus", "-Sdisable", "-Sqrcode.enable", "-Sbinary"] + options
        return try Program.run("zbarimg", arguments + [folder.file("image")]).output
    }
}
