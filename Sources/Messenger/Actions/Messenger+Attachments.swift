import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamSystem

/// How far a transfer is: bytes done, and bytes in all.
public typealias TransferProgress = @Sendable (_ done: Int, _ total: Int) -> Void

extension Messenger {
    /// Sends a file: encrypted on this machine to a fresh identity, uploaded in pieces, and told of in a message.
    ///
    /// The ciphertext lies in the profile until the relay has all of it, so that an interrupted upload goes on.
    public func sendFile(
        _ path: String,
        to room: String,
        progress: @escaping TransferProgress = { _, _ in }
    ) async throws(MessengerError) -> SentMessage {
        try await alone { (messenger, store) throws(MessengerError) in
            let ledger = try messenger.resolve(room, store)
            let blob = BlobID.random()
            let identity = AgeIdentity()
            let ciphertext: AgeCiphertext
            let type: ContentType
            do {
                try Folder.create(messenger.profile.outgoing)
                type = try ContentType(ofFile: path)
                ciphertext = try AgeFile.encrypt(
                    path,
                    to: messenger.staged(blob),
                    recipients: [identity.recipient],
                    digesting: true
                )
            } catch {
                throw MessengerError(error)
            }
            let file = Attachment(
                blob: blob,
                identity: identity.secretText,
                size: ciphertext.size,
                digest: Data(ciphertext.digest.map(Array.init) ?? []),
                name: path.split(separator: "/").last.map(String.init) ?? "file",
                type: type.rawValue
            )
            let item = messenger.item(.attachment(file: file), in: ledger.room)
            messenger.progress = progress
            defer { messenger.progress = nil }
            return try await messenger.deliver(item, store)
        }
    }

    /// Fetches an attachment, checks its ciphertext against the message, and decrypts it to a path.
    ///
    /// The file appears under its name whole and synced, or not at all. An interrupted download goes on where it was.
    public func saveAttachment(
        _ number: UInt64,
        of room: String,
        to path: String,
        progress: @escaping TransferProgress = { _, _ in }
    ) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let ledger = try messenger.resolve(room, store)
            guard
                case .accepted(event: .attachment(let file)) = try store.entry(of: ledger.room, number: number)?.outcome
            else { throw .noAttachment(number: number) }
            let partial = messenger.profile.incoming + "/\(file.blob).age"
            do {
                try Folder.create(messenger.profile.incoming)
                try await messenger.download(file, of: ledger.room, to: partial, progress, account, store)
                guard let digest = SHA256Digest(bytes: Array(file.digest)) else {
                    throw MessengerError.relayAnswer("the message names no digest")
                }
                let identity = try AgeIdentity(file.identity)
                defer { unsafe unlink(partial) }
                try AgeFile.decrypt(
                    partial,
                    to: path,
                    identities: [identity],
                    announced: AgeCiphertext(size: file.size, digest: digest)
                )
            } catch {
                throw MessengerError(error)
            }
        }
    }

    /// The name that an attachment was sent with: without folders, and safe to create.
    public func attachmentName(_ number: UInt64, of room: String) async throws(MessengerError) -> String {
        try await alone { (messenger, store) throws(MessengerError) in
            let ledger = try messenger.resolve(room, store)
            guard
                case .accepted(event: .attachment(let file)) = try store.entry(of: ledger.room, number: number)?.outcome
            else { throw .noAttachment(number: number) }
            let name = String(
                String.UnicodeScalarView(
                    file.name.unicodeScalars.filter { $0 != "/" && $0.properties.generalCategory != .control }
                )
            )
            return name.isEmpty || name.hasPrefix(".") ? "file-\(number)" : name
        }
    }

    /// Brings the relay what it does not have of an attachment's ciphertext.
    func upload(
        _ file: Attachment,
        to room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        let path = staged(file.blob)
        var received = 0
        do throws(MessengerError) {
            received = try await authorized(account, store) { (relay, token) throws(MessengerError) in
                try await relay.blob(file.blob, of: room, token)
            }.received
        } catch .refused(let error) where error.code == .unknownBlob {
            received = 0
        }
        do {
            let source = try Descriptor.open(path, O_RDONLY)
            while received < file.size {
                let offset = received
                let piece = try source.read(upTo: min(Limits.blobPiece, file.size - offset), at: offset, path: path)
                guard !piece.isEmpty else { throw MessengerError.stateDamaged("\(path) is cut") }
                received = try await authorized(account, store) { (relay, token) throws(MessengerError) in
                    try await relay.putPiece(piece, of: file.blob, size: file.size, offset: offset, in: room, token)
                }.received
                guard received > offset else { throw MessengerError.relayAnswer("an upload that does not move") }
                progress?(received, file.size)
            }
        } catch {
            throw MessengerError(error)
        }
    }

    private func download(
        _ file: Attachment,
        of room: RoomID,
        to path: String,
        _ progress: TransferProgress,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws {
        let target = try Descriptor.open(path, O_WRONLY | O_CREAT)
        var received = min(try target.size(path: path), file.size)
        while received < file.size {
            let offset = received
            let count = min(Limits.blobPiece, file.size - offset)
            let piece = try await authorized(account, store) { (relay, token) throws(MessengerError) in
                try await relay.blobContent(file.blob, of: room, offset: offset, count: count, token)
            }
            try target.write(piece.span, at: offset, path: path)
            received += count
            progress(received, file.size)
        }
    }

    /// Where a ciphertext waits for its upload.
    func staged(_ blob: BlobID) -> String { profile.outgoing + "/\(blob).age" }

    /// Drops an item of the outbox, and the ciphertext that waited for it.
    func drop(_ item: OutboxItem, at place: Int64, _ store: ClientStore) throws(MessengerError) {
        try store.removeFromOutbox(place)
        if case .attachment(let file) = item.event { unsafe unlink(staged(file.blob)) }
    }
}
