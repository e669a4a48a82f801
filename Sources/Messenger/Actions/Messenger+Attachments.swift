import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamGroupKey
import MildamIdentity
import MildamProfile
import MildamRelayAPI
import MildamSystem

/// How far a transfer is: bytes done, and bytes in all.
public typealias TransferProgress = @Sendable (_ done: Int, _ total: Int) -> Void

extension Messenger {
    /// Sends a file: encrypted on this machine to a fresh identity, uploaded in pieces, and told of in a message.
    ///
    /// The ciphertext lies in the profile until the relay has all of it, so that an interrupted upload goes on.
    ///
    /// - Throws: `system` with `EFBIG` for a file that no relay takes, before anything is encrypted.
    public func sendFile(
        _ path: String,
        to room: String,
        progress: @escaping TransferProgress = { _, _ in }
    ) async throws(MessengerError) -> SentMessage {
        try await alone { (messenger, store) throws(MessengerError) in
            let ledger = try messenger.resolve(room, store)
            let blob = BlobID.random()
            let identity = AgeX25519Identity()
            let ciphertext: AgeCiphertext
            let type: String
            do {
                try messenger.requireFit(path, Descriptor.open(path, O_RDONLY).size(path: path))
                try Folder.create(messenger.profile.outgoing)
                try messenger.sweep(store)
                type = ContentType.glimpsed(in: try FileSource(path).beginning(ContentType.signatureSize))
                ciphertext = try AgeFile.encrypt(
                    path,
                    to: messenger.staged(blob),
                    recipients: [identity.recipient],
                    digesting: true
                )
                guard ciphertext.size <= Limits.blob else {
                    unsafe unlink(messenger.staged(blob))
                    throw messenger.tooLarge(path)
                }
            } catch {
                throw MessengerError(error)
            }
            let file = Attachment(
                blob: blob,
                identity: identity.secretText,
                size: ciphertext.size,
                digest: Data(ciphertext.digest.map(Array.init) ?? []),
                name: path.split(separator: "/").last.map(String.init) ?? "file",
                type: type
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
    ///
    /// - Parameter replacing: whether to take the place of what is at the path; otherwise it throws `file` with
    ///   `EEXIST`, whenever that came there.
    public func saveAttachment(
        _ number: UInt64,
        of room: String,
        to path: String,
        replacing: Bool = false,
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
                try messenger.sweep(store, keeping: "\(file.blob).age")
                try await messenger.download(file, of: ledger.room, to: partial, progress, account, store)
                guard let digest = SHA256Digest(bytes: Array(file.digest)) else {
                    throw MessengerError.relayAnswer("the message names no digest")
                }
                let identity = try AgeX25519Identity(file.identity)
                defer { unsafe unlink(partial) }
                try AgeFile.decrypt(
                    partial,
                    to: path,
                    identities: [identity],
                    announced: AgeCiphertext(size: file.size, digest: digest),
                    replacing: replacing
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
            return AttachmentName.safe(file.name) ?? "file-\(number)"
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
            let state = try await authorized(account, store) { (relay, access) throws(MessengerError) in
                try await relay.blob(file.blob, of: room, access)
            }
            received = try state.received(of: file)
        } catch .refused(let error) where error.code == .unknownBlob {
            received = 0
        }
        do {
            let source = try Descriptor.open(path, O_RDONLY)
            while received < file.size {
                let offset = received
                let piece = try source.read(upTo: min(Limits.blobPiece, file.size - offset), at: offset, path: path)
                guard !piece.isEmpty else { throw MessengerError.stateDamaged("\(path) is cut") }
                let state = try await authorized(account, store) { (relay, access) throws(MessengerError) in
                    try await relay.putPiece(piece, of: file.blob, size: file.size, offset: offset, in: room, access)
                }
                received = try state.received(of: file)
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
            let piece = try await authorized(account, store) { (relay, access) throws(MessengerError) in
                try await relay.blobContent(file.blob, of: room, offset: offset, count: count, access)
            }
            try target.write(piece.span, at: offset, path: path)
            received += count
            progress(received, file.size)
        }
    }

    private func requireFit(_ path: String, _ count: Int) throws(SystemError) {
        guard count <= Limits.blob, AgeFile.size(ofContent: count) <= Limits.blob else { throw tooLarge(path) }
    }

    private func tooLarge(_ path: String) -> SystemError {
        SystemError("send", "\(path), which is over the \(Limits.blob) bytes that a relay takes", code: EFBIG)
    }

    /// How long an interrupted download waits to be gone on with, in seconds: a week.
    private static let patience: Int64 = 7 * 86_400

    /// Removes ciphertexts that nobody needs any more: staged ones that no item of the outbox waits for, as a killed
    /// program leaves them, and downloads that nobody went on with.
    ///
    /// The profile is locked, so none of them is being written.
    ///
    /// - Parameter name: a download that is about to go on, however old it is.
    private func sweep(_ store: ClientStore, keeping name: String? = nil) throws(MessengerError) {
        let waiting = try store.outbox().compactMap { place -> String? in
            if case .attachment(let file) = place.item.event { "\(file.blob).age" } else { nil }
        }
        for found in Folder.names(in: profile.outgoing) where !waiting.contains(found) {
            unsafe unlink(profile.outgoing + "/" + found)
        }
        for found in Folder.names(in: profile.incoming) where found != name {
            var status = stat()
            let path = profile.incoming + "/" + found
            guard unsafe stat(path, &status) == 0,
                Int64(status.st_mtim.tv_sec) < clock.seconds - Messenger.patience
            else { continue }
            unsafe unlink(path)
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

extension BlobState {
    /// How much of an attachment the relay has, if its answer can be right.
    fileprivate func received(of file: Attachment) throws(MessengerError) -> Int {
        guard blob == file.blob, size == file.size, (0...max(0, file.size)).contains(received) else {
            throw .relayAnswer("the state of an upload")
        }
        return received
    }
}
