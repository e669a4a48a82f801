/// Pixels of one byte each, row by row: 0 is black, 255 is white.
struct GreyImage: ~Copyable {
    /// Pixels in a row.
    let width: Int
    /// Rows.
    let height: Int
    /// All of them.
    private(set) var pixels: [UInt8]

    /// A white image.
    ///
    /// - Throws: `ScanError.tooManyPixels`, before memory is taken for it.
    init(width: Int, height: Int) throws(ScanError) {
        guard (1...Scan.sideLimit).contains(width), (1...Scan.sideLimit).contains(height),
            width * height <= Scan.pixelLimit
        else { throw .tooManyPixels(width: width, height: height) }
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 255, count: width * height)
    }

    /// Lets a decoder write the pixels.
    mutating func fill(by decode: (UnsafeMutablePointer<UInt8>?) -> Bool) -> Bool {
        unsafe pixels.withUnsafeMutableBufferPointer { unsafe decode($0.baseAddress) }
    }
}
