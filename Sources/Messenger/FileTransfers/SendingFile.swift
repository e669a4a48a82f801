import FoundationEssentials
import MildamCrypto
import MildamFiles
import MildamIdentity
import MildamSystem

/// A file on its way to a room, as the profile has it until its message is said.
struct SendingFile: Codable, Sendable {
    /// The id that its message will have.
    let message: MessageID
    /// The room that it is for.
    let room: RoomID
    /// Where it lies.
    let path: String
    /// How it stood when it was named; `nil` for a pipe.
    let mark: FileMark?
    /// What its sender says of it.
    let text: String
    /// When it was named: milliseconds since 1970.
    let wished: UInt64
    /// The blob that it will be at the relay: another one each time that it is encrypted, since pieces of two ciphertexts
    /// are no file.
    var blob: BlobID
    /// The 32 bytes of the age identity that it is encrypted to: a secret.
    private let key: Data
    /// Its ciphertext, once that lies in the profile.
    var staged: StagedFile?
    /// The last number of the room when its message was about to be said.
    var saidAfter: UInt64?
    /// Why it is not sent.
    var failure: String?

    /// A file that was named just now, under an id that its sender chose, and a key of its own.
    init(_ source: OpenSource, saying text: String, in room: RoomID, at wished: UInt64, as message: MessageID) {
        self.message = message
        self.room = room
        path = source.path
        mark = source.mark
        self.text = text
        self.wished = wished
        blob = .random()
        key = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }
    }

    /// What it is called.
    var name: String {
        // By bytes: a mark that combines with the slash makes another character of it.
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? "file"
    }

    /// Its own size in bytes, as far as it is known.
    var size: UInt64 { staged?.contentSize ?? UInt64(mark?.size ?? 0) }

    /// The name of its ciphertext's file.
    var stagedName: String { "\(blob).age" }

    /// What opens it.
    var secret: SymmetricKey { SymmetricKey(data: key) }

    /// The file again, after an interruption.
    ///
    /// - Throws: `file-changed` where it is another one by now; `file-interrupted` for a pipe.
    func reopened() throws(TransferFault) -> OpenSource {
        guard let mark else { throw .interrupted }
        let source: OpenSource
        do throws(SystemError) { source = try OpenSource(path) } catch { throw TransferFault(error) }
        guard source.mark == mark else { throw .changed }
        return source
    }
}

extension SendingFile: CustomStringConvertible, CustomReflectable {
    /// Its blob and size, without what opens it.
    var description: String { "SendingFile (\(blob), \(size) bytes)" }

    /// The same: nothing that prints what lies in it shows the key.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
