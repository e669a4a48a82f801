import CZBar
import Glibc

/// QR codes in pixels, found and read by zbar; it looks for no other kind of code.
enum CodeReader {
    /// What each code holds, in the code's own bytes and zbar's order; none of a code that goes on in another image.
    ///
    /// zbar would guess an encoding where a code names none, and convert from it. Here only a code that names its encoding
    /// is converted, to UTF-8.
    static func texts(in image: borrowing GreyImage) -> [[UInt8]] {
        guard let scanner = unsafe zbar_image_scanner_create(), let picture = unsafe zbar_image_create() else {
            fatalError("no memory left to look for codes")
        }
        defer {
            unsafe zbar_image_destroy(picture)
            unsafe zbar_image_scanner_destroy(scanner)
        }
        unsafe zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        unsafe zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
        unsafe zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
        // White on black, as a terminal of the other background shows it.
        unsafe zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_TEST_INVERTED, 1)
        unsafe zbar_image_set_format(picture, Self.grey)
        unsafe zbar_image_set_size(picture, UInt32(image.width), UInt32(image.height))
        return unsafe image.pixels.withUnsafeBytes { pixels in
            // zbar reads from the pixels until the call returns, and neither changes nor frees them.
            unsafe zbar_image_set_data(picture, pixels.baseAddress, UInt(pixels.count), nil)
            guard unsafe zbar_scan_image(scanner, picture) > 0 else { return [] }
            var texts: [[UInt8]] = []
            var symbol = unsafe zbar_image_first_symbol(picture)
            while let found = unsafe symbol {
                if unsafe zbar_symbol_get_type(found) == ZBAR_QRCODE, let data = unsafe zbar_symbol_get_data(found) {
                    let count = unsafe Int(zbar_symbol_get_data_length(found))
                    unsafe texts.append(Array(UnsafeRawBufferPointer(start: data, count: count)))
                }
                unsafe symbol = zbar_symbol_next(found)
            }
            return texts
        }
    }

    /// Loads what converts from the encodings that codes name beside UTF-8, for a process that is about to lose the right to
    /// open files: ISO 8859-1, and Shift JIS.
    ///
    /// What is open stays loaded, so that zbar has it when it asks; it is never closed.
    static func loadConverters() {
        for encoding in ["ISO8859-1", "SJIS"] { unsafe _ = iconv_open("UTF-8", encoding) }
    }

    /// "Y800": a byte of brightness for each pixel.
    private static let grey = UInt(0x3030_3859)
}
