import MildamFiles

/// A file of which nobody knows how to decrypt it.
struct UnknownFile: Error, CustomStringConvertible {
    let mediaType: String?

    var description: String {
        let known = mediaType.map { $0 == ContentType.unknown ? "" : " (it is \($0))" } ?? ""
        return
            "this is no age and no RNCryptor file\(known); name a layout with --format, also rncryptor where the beginning is damaged"
    }
}
