import Glibc
import MildamCrypto
import MildamSystem

/// Reads the QR codes of an image, in another process.
///
/// Decoders of images are where hostile ones do their work. They run in `mildam-scan`, which has none of this process's
/// memory, environment or files, and cannot open any.
public struct ImageScanner: Sendable {
    /// How many bytes an image may have: 32 MiB. `mildam-scan` has the same limit.
    public static let imageLimit = 32 << 20
    /// How many bytes the texts of an image may have together: 1 MiB.
    static let textLimit = 1 << 20

    private let program: String
    private let seconds: Int

    /// A scanner that starts `mildam-scan`: the one beside this process's own program, otherwise the first on `PATH`.
    ///
    /// - Parameter seconds: how long an image may take.
    /// - Throws: `programMissing`.
    public init(within seconds: Int = 60) throws(ImageScannerError) {
        guard let program = SiblingProgram.path(of: "mildam-scan") else { throw .programMissing }
        self.init(program: program, within: seconds)
    }

    /// A scanner that starts the program at a path.
    init(program: String, within seconds: Int) {
        self.program = program
        self.seconds = seconds
    }

    /// The texts in an image: one at least.
    ///
    /// - Parameter image: a PNG or JPEG file.
    /// - Throws: `noCode`, `damaged`, `refused`, `gaveUp`, `failed`, `io`.
    public func texts(in image: Span<UInt8>) throws(ImageScannerError) -> ScannedTexts {
        guard image.count <= Self.imageLimit else {
            throw .refused("the image is larger than \(Self.imageLimit >> 20) MiB: cut it to the code")
        }
        let answer = try answer(to: image)
        guard answer.status == 0 else { throw Self.failure(answer) }
        let texts = ScannedTexts(nullEnded: answer.text)
        guard texts.count > 0 else { throw .failed(status: 0, "") }
        return texts
    }

    private struct Answer: ~Copyable {
        let status: Int32
        let text: SecretBytes
    }

    private func answer(to image: Span<UInt8>) throws(ImageScannerError) -> Answer {
        do throws(SystemError) {
            // Without an environment: it may have secrets in it.
            var child = try Child(program, ["read", "--null"], environment: [], errors: .withOutput)
            var received = 0
            let text = try unsafe SecretBytes(count: Self.textLimit) { (buffer) throws(SystemError) in
                var room = unsafe MutableSpan<UInt8>(_unsafeBytes: buffer)
                received = try child.exchange(image, for: &room, within: seconds)
            }
            return Answer(
                status: try child.status(within: 5),
                text: SecretBytes(copying: text.span.extracting(first: received))
            )
        } catch {
            throw error.code == ETIMEDOUT || error.code == EMSGSIZE ? .gaveUp : .io(error)
        }
    }

    /// What a status other than 0 means (the house's statuses), with what was said of it.
    private static func failure(_ answer: borrowing Answer) -> ImageScannerError {
        switch answer.status {
        case 2, 6: .refused(words(of: answer))
        case 4: .noCode
        case 5: .damaged(words(of: answer))
        case 128 + SIGXCPU, 128 + SIGKILL: .gaveUp
        default: .failed(status: answer.status, words(of: answer))
        }
    }

    /// The first line, without the program's name.
    private static func words(of answer: borrowing Answer) -> String {
        let said = answer.text.span
        var line: [UInt8] = []
        for place in said.indices.prefix(512) {
            guard said[place] != UInt8(ascii: "\n") else { break }
            line.append(said[place])
        }
        let text = String(decoding: line, as: UTF8.self)
        return text.hasPrefix("mildam-scan: ") ? String(text.dropFirst("mildam-scan: ".count)) : text
    }
}
