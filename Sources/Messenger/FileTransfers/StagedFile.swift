import FoundationEssentials
import Glibc
import MildamFiles
import MildamRelayAPI
import MildamSystem

/// A file that was encrypted, and lies in the profile until the relay has it.
struct StagedFile: Codable, Equatable, Sendable {
    /// The ciphertext's size in bytes.
    let size: Int
    /// The ciphertext's SHA-256, 32 bytes.
    let digest: Data
    /// The file's own size in bytes.
    let contentSize: UInt64
    /// Its media type, by its first bytes.
    let contentType: String

    /// Encrypts a file to a path, in constant memory; there is a file then, whole and synced, or nothing.
    ///
    /// - Parameter stop: whether to stop.
    /// - Throws: `final`, with `file-too-large` as soon as more was read than a relay takes.
    init(
        _ source: OpenSource,
        for identity: AgeX25519Identity,
        to path: String,
        unless stop: Lock<Bool>
    ) throws(TransferFault) {
        let read = Lock(0)
        let monitor = FileMonitor(
            progress: { done, _ in read.withLock { $0 = done } },
            isCancelled: { stop.withLock { $0 } || read.withLock { $0 } > Limits.blob }
        )
        let file: FileSource
        let type: String
        do throws(SystemError) {
            file = try source.content()
            type = ContentType.glimpsed(in: try file.beginning(ContentType.signatureSize))
        } catch {
            throw TransferFault(error)
        }
        let made: AgeCiphertext
        do throws(AgeError) {
            made = try AgeFile.encrypt(
                file,
                to: FileTarget(path),
                recipients: [identity.recipient],
                digesting: true,
                monitor: monitor
            )
        } catch {
            throw read.withLock { $0 } > Limits.blob ? .tooLarge : TransferFault(error)
        }
        guard made.size <= Limits.blob, let digest = made.digest,
            let content = AgeFile.contentSize(ofFile: made.size)
        else {
            StagedFile.remove(path)
            throw .tooLarge
        }
        size = made.size
        self.digest = Data(Array(digest))
        contentSize = UInt64(content)
        contentType = type
    }

    /// Removes a ciphertext that nobody needs any more, if it is there.
    static func remove(_ path: String) { unsafe unlink(path) }
}

extension StagedFile {
    /// Removes what lies in a folder and was not changed since a moment, in seconds since 1970.
    static func removeOld(in folder: String, changedBefore moment: Int64) {
        for name in Folder.names(in: folder) {
            var status = stat()
            let path = folder + "/" + name
            guard unsafe stat(path, &status) == 0, Int64(status.st_mtim.tv_sec) < moment else { continue }
            remove(path)
        }
    }
}
