import FoundationEssentials
import MildamContent
import MildamFiles
import MildamGroupKey
import MildamRelayAPI

extension AttachedFile {
    /// The file of a message in a room of the first kind, which tells the size of the ciphertext alone.
    ///
    /// - Throws: `file-damaged` for what no such file can be.
    init(_ older: Attachment) throws(RoomFault) {
        guard (0...Limits.blob).contains(older.size), let size = AgeFile.contentSize(ofFile: older.size),
            let identity = try? AgeX25519Identity(older.identity),
            let file = try? AttachedFile(
                blob: older.blob,
                identity: identity.secretKey,
                digest: Array(older.digest),
                size: UInt64(size),
                contentType: older.type,
                filename: older.name
            )
        else { throw RoomFault(TransferFault.damaged.code) }
        self = file
    }
}
