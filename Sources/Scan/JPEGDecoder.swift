import CImages

/// JPEG files, through TurboJPEG's API, which reports errors as results.
enum JPEGDecoder {
    /// The image in grey.
    ///
    /// A file that the decoder warns of, such as one that ends early, is damaged: there may be a code where it guesses.
    ///
    /// - Throws: `damaged`, `tooManyPixels`.
    static func decode(_ file: Span<UInt8>) throws(ScanError) -> GreyImage {
        guard let decoder = unsafe tjInitDecompress() else { throw .damaged(.jpeg, "no decoder") }
        defer { unsafe tjDestroy(decoder) }
        return try unsafe file.withUnsafeBytes { (bytes) throws(ScanError) in
            let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            let count = UInt(bytes.count)
            var width: Int32 = 0
            var height: Int32 = 0
            var subsampling: Int32 = 0
            var colours: Int32 = 0
            guard
                unsafe tjDecompressHeader3(decoder, start, count, &width, &height, &subsampling, &colours) == 0
            else { throw unsafe .damaged(.jpeg, words(of: decoder)) }
            // A file of tables only is sound to the decoder.
            guard width > 0, height > 0 else { throw .damaged(.jpeg, "there is no picture in it") }
            var image = try GreyImage(width: Int(width), height: Int(height))
            // Nothing is guessed behind the first damage. A file of many scans takes long for few bytes: 500 are the most.
            let flags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS
            // The image has a byte for each pixel, and rows as long as the pitch.
            let isRead = unsafe image.fill {
                unsafe tjDecompress2(
                    decoder,
                    start,
                    count,
                    $0,
                    width,
                    width,
                    height,
                    Int32(TJPF_GRAY.rawValue),
                    flags
                ) == 0
            }
            guard isRead else { throw unsafe .damaged(.jpeg, words(of: decoder)) }
            return image
        }
    }

    private static func words(of decoder: tjhandle) -> String {
        unsafe tjGetErrorStr2(decoder).map { unsafe String(cString: $0) } ?? "no reason given"
    }
}
