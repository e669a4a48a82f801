import Glibc
import MildamClientAPI
import MildamClientCore
import MildamContent
import MildamCrypto
import MildamFiles
import MildamIdentity
import MildamRelayAPI
import MildamSystem

/// Saving: fetched into the profile, held against what its message says, and decrypted to where it is wanted.
extension FileTransfers {
    /// Begins to save a message's file.
    ///
    /// - Parameters:
    ///   - path: an absolute one; of a folder, where it ends with a slash.
    ///   - replacing: whether to take the place of what is there.
    /// - Returns: the id by which it is asked for what comes of it, and the path at which it will be.
    /// - Throws: `bad-line`; `no-file` where the message brings none; `file-exists`; `no-such-room`; `not-readable`.
    func save(
        _ number: UInt64,
        of room: RoomID,
        to path: String,
        replacing: Bool
    ) async throws(RoomFault) -> (id: MessageID, path: String) {
        try FileTransfers.require(absolute: path)
        return try save(try await attachment(number, of: room), in: number, of: room, to: path, replacing: replacing)
    }

    /// Begins to save a file that lies at the relay, and that a message of this number brings.
    ///
    /// - Throws: `bad-line`; `file-exists`.
    func save(
        _ file: AttachedFile,
        in number: UInt64,
        of room: RoomID,
        to path: String,
        replacing: Bool
    ) throws(RoomFault) -> (id: MessageID, path: String) {
        try FileTransfers.require(absolute: path)
        let isFolder = path.utf8.last == UInt8(ascii: "/")
        let target = isFolder ? path + (AttachmentName.safe(file.filename) ?? "file-\(number)") : path
        guard replacing || !WholeFile.isTaken(target) else { throw RoomFault("file-exists") }
        let id = MessageID.random()
        saves.insert(id)
        ledger.note(.moving(done: 0, of: file.size), of: id)
        // Two that save the same file do so one after the other.
        let former = saving[file.blob]
        let task = Task { [weak self] in
            if let former { await former.value }
            await self?.fetch(file, of: room, as: id, to: target, replacing)
        }
        (saving[file.blob], tasks[id]) = (task, task)
        return (id, target)
    }

    private static func require(absolute path: String) throws(RoomFault) {
        guard path.utf8.first == UInt8(ascii: "/") else { throw .badField("to") }
    }

    /// How often a message is looked for that was not read yet: a client that has just begun reads it in a moment.
    private static let looks = 15

    /// The file that a message brings.
    private func attachment(_ number: UInt64, of room: RoomID) async throws(RoomFault) -> AttachedFile {
        for look in 1...FileTransfers.looks {
            // Beside a message, its number may have a gap before it.
            let entries = try await rooms.entries(of: room, .from(number, count: 8))
            for entry in entries where entry.number == number {
                guard case .content(let bytes) = entry.kind, let content = try? MimiContent(encoded: bytes),
                    case .attachment(let file) = content.kind
                else { continue }
                return file
            }
            guard entries.isEmpty, look < FileTransfers.looks else { break }
            do { try await Task.sleep(for: .milliseconds(200)) } catch { break }
        }
        throw RoomFault("no-file", ["number": "\(number)"])
    }

    private func fetch(
        _ file: AttachedFile,
        of room: RoomID,
        as id: MessageID,
        to target: String,
        _ replacing: Bool
    ) async {
        var outcome = WishOutcome.done()
        do throws(TransferFault) {
            try await bringOnceThereIsRoom(file, of: room, as: id, to: target, replacing)
        } catch {
            outcome = isStopped ? .unknown : .failed(code: error.code)
        }
        if saving[file.blob] == tasks[id] { saving[file.blob] = nil }
        tasks[id] = nil
        saves.remove(id)
        ledger.note(outcome, of: id)
    }

    /// Brings it, and waits while the disk has no room for it.
    private func bringOnceThereIsRoom(
        _ file: AttachedFile,
        of room: RoomID,
        as id: MessageID,
        to target: String,
        _ replacing: Bool
    ) async throws(TransferFault) {
        var pause = Backoff(longest: 8)
        while true {
            do throws(TransferFault) {
                return try await bring(file, of: room, as: id, to: target, replacing)
            } catch {
                guard error == .full, !Task.isCancelled else { throw error }
            }
            ledger.note(.waiting(code: TransferFault.full.code), of: id)
            let seconds = pause.next()
            do { try await Task.sleep(for: .seconds(seconds)) } catch { throw .cancelled }
        }
    }

    private func bring(
        _ file: AttachedFile,
        of room: RoomID,
        as id: MessageID,
        to target: String,
        _ replacing: Bool
    ) async throws(TransferFault) {
        guard file.size <= UInt64(Limits.blob), let digest = SHA256Digest(bytes: file.digest) else { throw .damaged }
        let size = AgeFile.size(ofContent: Int(file.size))
        guard size <= Limits.blob else { throw .damaged }
        do throws(SystemError) { try Folder.create(incoming) } catch { throw TransferFault(error) }
        let partial = incoming + "/\(file.blob).age"
        try await download(file, of: room, as: id, size, to: partial)
        let identity: AgeX25519Identity
        do throws(AgeError) {
            identity = try AgeX25519Identity(rawRepresentation: file.identity)
        } catch {
            throw TransferFault(error)
        }
        let announced = AgeCiphertext(size: size, digest: digest)
        let ran = await FileThread.run { stop -> Result<Int, AgeError> in
            do throws(AgeError) {
                return .success(
                    try AgeFile.decrypt(
                        partial,
                        to: target,
                        identities: [identity],
                        announced: announced,
                        replacing: replacing,
                        monitor: FileMonitor(isCancelled: { stop.withLock { $0 } })
                    )
                )
            } catch {
                return .failure(error)
            }
        }
        switch ran {
        case .success?: StagedFile.remove(partial)
        // Where the target cannot be written, what was fetched is as good as before.
        case .failure(.io(let error))?: throw TransferFault(error)
        case .failure(.cancelled)?: throw .cancelled
        case .failure(let error)?:
            StagedFile.remove(partial)
            throw TransferFault(error)
        case nil: throw .final(code: "errno-\(EAGAIN)")
        }
    }

    /// Fetches its ciphertext; where the connection breaks, a few times.
    private func download(
        _ file: AttachedFile,
        of room: RoomID,
        as id: MessageID,
        _ size: Int,
        to partial: String
    ) async throws(TransferFault) {
        let exchange = BlobExchange(door: door, room: room, blob: file.blob, size: size)
        var pause = Backoff(longest: 2)
        var attempts = 3
        while true {
            attempts -= 1
            let fault: TransferFault
            do throws(MessengerError) {
                return try await exchange.download(to: partial) { [weak self] over in
                    await self?.note(over, of: size, file, as: id)
                }
            } catch {
                fault = TransferFault(error)
            }
            guard case .passing = fault, fault != .full, attempts > 0, !Task.isCancelled else { throw fault }
            let seconds = pause.next()
            do { try await Task.sleep(for: .seconds(seconds)) } catch { throw .cancelled }
        }
    }

    private func note(_ over: Int, of size: Int, _ file: AttachedFile, as id: MessageID) {
        // Both are at most 2³², and the second of them is less.
        ledger.note(.moving(done: UInt64(over) * file.size / UInt64(size), of: file.size), of: id)
    }
}
