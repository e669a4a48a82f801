/// Why an image is not read.
public enum ScanError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is not a byte.
    case empty
    /// The file has more bytes than the limit.
    case tooLong
    /// The format is another, by this name where it has a known one.
    case unknownFormat(String?)
    /// The PNG file has several pictures.
    case animated
    /// The image has more pixels, or longer sides, than the limits.
    case tooManyPixels(width: Int, height: Int)
    /// The file is damaged, or uses what the decoder does not know; in the decoder's words.
    case damaged(ImageFormat, String)
    /// There is no QR code in it that can be read.
    case noCode

    /// One line; the decoder's words in it may hold what stood in the file.
    public var description: String {
        switch self {
        case .empty: "there is no image: nothing came on standard input"
        case .tooLong: "the image is larger than \(Scan.fileLimit >> 20) MiB: cut it to the code"
        case .unknownFormat(let name?): "a \(name) image is not read: make a PNG or JPEG of it"
        case .unknownFormat(nil): "this is no image that is read: make a PNG or JPEG of it"
        case .animated: "an animated PNG is not read: make a PNG of the one picture with the code"
        case .tooManyPixels(let width, let height):
            "the image of \(width) by \(height) pixels is too large: cut it to the code "
                + "(\(Scan.pixelLimit >> 20) million pixels, \(Scan.sideLimit) on a side)"
        case .damaged(let format, let words): "the \(format.rawValue) image is damaged: \(words)"
        case .noCode: "there is no QR code in the image that could be read: try a sharper or larger picture of it"
        }
    }
}
