import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem

/// Reads and writes blobs on a thread of their own, so that a slow disk holds up neither the loop nor the rooms.
final class BlobService: Sendable {
    private let files: BlobFiles
    private let queue: ReadQueue
    private let log: RelayLog
    private let disk: DiskWatch
    /// Blobs with a piece on its way to the disk: a second one for the same place must not write beside it.
    private let underWay = Lock<Set<BlobName>>([])

    init(files: BlobFiles, queue: ReadQueue, log: RelayLog, disk: DiskWatch) {
        self.files = files
        self.queue = queue
        self.log = log
        self.disk = disk
    }

    /// Brings a piece to the disk; it counts once `commits` has recorded it as well, and then `answer` is called.
    func write(
        _ piece: BlobPiece,
        _ bytes: [UInt8],
        by sender: AccountID,
        for turn: Turn,
        commits: CommitQueue,
        then answer: @escaping @Sendable (Result<BlobState, APIError>) -> Void
    ) {
        let name = BlobName(room: piece.room, blob: piece.blob)
        guard underWay.withLock({ $0.insert(name).inserted }) else {
            return answer(.failure(APIError(.unavailable, "another piece of this blob is being written")))
        }
        let finish: @Sendable (Result<BlobState, APIError>) -> Void = { [self] result in
            _ = underWay.withLock { $0.remove(name) }
            answer(result)
        }
        queue.perform(for: turn, weight: bytes.count) { [self] reader throws(StorageError) in
            try judge(piece, by: sender, reader).flatMap { _ in store(piece, bytes) }
        } then: { result in
            switch result {
            case .failure(let refusal): finish(.failure(refusal))
            case .success:
                commits.perform(RecordPiece(piece: piece, sender: sender), for: Turn(sender)) { [self] result in
                    guard case .failure(let refusal) = result, refusal.code != .internalError else {
                        return finish(result)
                    }
                    discard(piece) { finish(result) }
                }
            }
        }
    }

    /// A piece was not recorded: unless an earlier one was, its file is nobody's.
    ///
    /// Where the disk failed, nobody can say what is recorded; the next start sees.
    private func discard(_ piece: BlobPiece, then done: @escaping @Sendable () -> Void) {
        queue.perform(for: .relay) { [files] reader throws(StorageError) in
            if try reader.blob(BlobName(room: piece.room, blob: piece.blob)) == nil {
                files.remove([piece.blob], in: piece.room)
            }
            return .success(())
        } then: { _ in
            done()
        }
    }

    /// Removes the files of which nothing is recorded: what a crash left between a file and its record, or between the
    /// end of a record and that of its file.
    func removeRemains() {
        queue.perform(for: .relay) { [files] reader throws(StorageError) in
            try files.removeAll { (blob, room) throws(StorageError) in
                try reader.blob(BlobName(room: room, blob: blob)) == nil
            }
            return .success(())
        } then: { _ in
        }
    }

    /// How far a blob is, for a member.
    func state(
        of blob: BlobID,
        in room: RoomID,
        for turn: Turn,
        _ account: AccountID,
        then answer: @escaping @Sendable (Result<BlobState, APIError>) -> Void
    ) {
        queue.perform(
            for: turn,
            { reader throws(StorageError) in try Self.state(of: blob, in: room, for: account, reader) },
            then: answer
        )
    }

    /// A range of a whole blob, for a member; shorter where the blob ends.
    func read(
        _ blob: BlobID,
        in room: RoomID,
        offset: Int,
        count: Int,
        for turn: Turn,
        _ account: AccountID,
        then answer: @escaping @Sendable (Result<[UInt8], APIError>) -> Void
    ) {
        queue.perform(
            for: turn,
            { [files, log] reader throws(StorageError) in
                switch try Self.state(of: blob, in: room, for: account, reader) {
                case .failure(let refusal):
                    return .failure(refusal)
                case .success(let state):
                    guard state.isWhole else { return .failure(Self.unknown) }
                    guard offset < state.size else {
                        return .failure(APIError(.badRequest, "offset is beyond the end"))
                    }
                    let wanted = min(count, state.size - offset)
                    guard let bytes = try? files.read(blob, in: room, offset: offset, count: wanted),
                        bytes.count == wanted
                    else {
                        log.error("blob_lost", "a blob's file is missing or short")
                        return .failure(APIError(.internalError, "the relay could not read the blob"))
                    }
                    return .success(bytes)
                }
            },
            then: answer
        )
    }

    /// Removes the files of blobs that are no longer recorded, but for those that have begun anew.
    func remove(_ blobs: [BlobID], in room: RoomID) {
        queue.perform(for: .relay) { [files, underWay] reader throws(StorageError) in
            for blob in blobs {
                let name = BlobName(room: room, blob: blob)
                let isUnderWay = underWay.withLock { $0.contains(name) }
                guard !isUnderWay, try reader.blob(name) == nil else { continue }
                files.remove([blob], in: room)
            }
            return .success(())
        } then: { _ in
        }
    }

    /// Finishes what is under way. Called once.
    func stop() {
        queue.stop()
    }

    private static let unknown = APIError(.unknownBlob, "there is no such blob, or not all of it yet")

    private static func state(
        of blob: BlobID,
        in room: RoomID,
        for account: AccountID,
        _ reader: any RelayReads
    ) throws(StorageError) -> Result<BlobState, APIError> {
        let found = try reader.blob(BlobName(room: room, blob: blob), for: account)
        return found.result.flatMap { found in
            guard let known = found.blob, known.isReadable(by: account, since: found.since) else {
                return .failure(unknown)
            }
            return .success(known.state)
        }
    }

    private func judge(
        _ piece: BlobPiece,
        by sender: AccountID,
        _ reader: any RelayReads
    ) throws(StorageError) -> Result<BlobState, APIError> {
        let found = try reader.blob(BlobName(room: piece.room, blob: piece.blob), for: sender)
        return found.result.flatMap { BlobRules.judge(piece, by: sender, against: $0.blob) }
    }

    private func store(_ piece: BlobPiece, _ bytes: [UInt8]) -> Result<Void, APIError> {
        do throws(SystemError) {
            return .success(try files.write(piece, bytes))
        } catch  where error.isOutOfSpace {
            if piece.offset == 0 { files.remove([piece.blob], in: piece.room) }
            log.error("disk_full", "the disk is full")
            disk.noteRefusal()
            return .failure(APIError(.storageFull, "the relay's disk is full; nothing was stored"))
        } catch {
            if piece.offset == 0 { files.remove([piece.blob], in: piece.room) }
            log.error("blob_not_written", "cannot write a blob", .number("errno", error.code))
            return .failure(APIError(.internalError, "the relay could not store the piece"))
        }
    }
}
