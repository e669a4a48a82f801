import MildamSystem

/// Why no text came out of an image.
public enum ImageScannerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// `mildam-scan` is neither beside this program nor on `PATH`.
    case programMissing
    /// There is no QR code in the image, or none that can be read.
    case noCode
    /// The image is damaged; in the words of `mildam-scan`, which are to be shown as text from elsewhere is.
    case damaged(String)
    /// The image is not one that is read: of another format, too large, or none; in the words of `mildam-scan`.
    case refused(String)
    /// It took too long, or gave more text than there is in an image.
    case gaveUp
    /// `mildam-scan` failed, with a status of its own or 128 and the number of a signal; in its words.
    case failed(status: Int32, String)
    /// The system refused something.
    case io(SystemError)

    /// One line.
    public var description: String {
        switch self {
        case .programMissing: "mildam-scan, which reads images, is neither beside this program nor on PATH"
        case .noCode: "there is no QR code in the image that could be read: try a sharper or larger picture of it"
        case .damaged(let words), .refused(let words): words
        case .gaveUp: "the image takes too long to read, or holds too much: cut it to the code"
        case .failed(let status, let words): words.isEmpty ? "mildam-scan failed with status \(status)" : words
        case .io(let error): "\(error)"
        }
    }
}
