import CImages

/// PNG files, through libpng's simplified API, which reports errors as results.
enum PNGDecoder {
    /// The first picture in grey; what is transparent lies on white.
    ///
    /// - Throws: `damaged`, `tooManyPixels`.
    static func decode(_ file: Span<UInt8>) throws(ScanError) -> GreyImage {
        var control = unsafe png_image()
        unsafe control.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { unsafe png_image_free(&control) }
        // libpng keeps the pointer until the picture is read or freed: the span is lent until then.
        return try unsafe file.withUnsafeBytes { (bytes) throws(ScanError) in
            guard unsafe png_image_begin_read_from_memory(&control, bytes.baseAddress, bytes.count) != 0 else {
                throw unsafe .damaged(.png, words(of: control))
            }
            var image = try unsafe GreyImage(width: Int(control.width), height: Int(control.height))
            unsafe control.format = png_uint_32(PNG_FORMAT_GRAY)
            var white = png_color(red: 255, green: 255, blue: 255)
            let stride = png_int_32(image.width)
            // The image has a byte for each pixel, and rows as long as the stride.
            let isRead = unsafe image.fill { unsafe png_image_finish_read(&control, &white, $0, stride, nil) != 0 }
            guard isRead else { throw unsafe .damaged(.png, words(of: control)) }
            return image
        }
    }

    /// What libpng says, which it ends with a zero.
    private static func words(of control: png_image) -> String {
        unsafe withUnsafeBytes(of: control.message) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
