import MildamFiles
import MildamTerminal

/// A file of which nobody knows how to decrypt it.
struct UnknownFile: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.damaged
    let mediaType: String?

    var description: String {
        let known = mediaType.map { $0 == ContentType.unknown ? "" : " (it is \($0))" } ?? ""
        return
            "this is no age and no RNCryptor file\(known); name a layout with --format, also rncryptor where the beginning is damaged"
    }
}
