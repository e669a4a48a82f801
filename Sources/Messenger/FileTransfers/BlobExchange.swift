import Glibc
import MildamFiles
import MildamIdentity
import MildamRelayAPI
import MildamSystem

/// The way of a ciphertext to the relay and back, piece by piece: what is there already is not sent again.
struct BlobExchange: Sendable {
    let door: RelayDoor
    let room: RoomID
    let blob: BlobID
    /// The ciphertext's size in bytes.
    let size: Int

    /// Told how many bytes are over.
    typealias Progress = @Sendable (Int) async -> Void

    /// Brings the relay what it does not have yet.
    ///
    /// - Throws: `relayAnswer` for a state that cannot be.
    func upload(_ path: String, progress: Progress) async throws(MessengerError) {
        let source = try BlobExchange.open(path, O_RDONLY)
        var over = try await present()
        while over < size {
            await progress(over)
            guard !Task.isCancelled else { throw .transport(.cancelled) }
            let offset = over
            let piece = try BlobExchange.read(source, min(Limits.blobPiece, size - offset), at: offset, path)
            let state = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.putPiece(piece, of: blob, size: size, offset: offset, in: room, access)
            }
            over = try received(state)
            guard over > offset else { throw .relayAnswer("an upload that does not move") }
        }
        await progress(over)
    }

    /// Fetches what a file does not have yet.
    ///
    /// - Throws: `refused` with `unknownBlob` where the relay does not have all of it; `file` where it is of another
    ///   size than its message says.
    func download(to path: String, progress: Progress) async throws(MessengerError) {
        let present = try await state()
        guard present.blob == blob, present.size == size else { throw .file(.differentCiphertext) }
        guard present.isWhole else { throw .refused(APIError(.unknownBlob, "the relay has a part of the file only")) }
        let target = try BlobExchange.open(path, O_RDWR | O_CREAT)
        var over = try BlobExchange.length(of: target, path)
        while over < size {
            await progress(over)
            guard !Task.isCancelled else { throw .transport(.cancelled) }
            let (offset, count) = (over, min(Limits.blobPiece, size - over))
            let piece = try await door.ask { (relay, access) throws(MessengerError) in
                try await relay.blobContent(blob, of: room, offset: offset, count: count, access)
            }
            try BlobExchange.write(piece, to: target, at: offset, path)
            over += count
        }
        await progress(size)
    }

    /// How many bytes the relay has of an upload; none where it does not know of it.
    private func present() async throws(MessengerError) -> Int {
        do throws(MessengerError) {
            return try received(try await state())
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .unknownBlob else { throw error }
            return 0
        }
    }

    private func state() async throws(MessengerError) -> BlobState {
        try await door.ask { (relay, access) throws(MessengerError) in try await relay.blob(blob, of: room, access) }
    }

    /// How much the relay has, if its answer can be right.
    private func received(_ state: BlobState) throws(MessengerError) -> Int {
        guard state.blob == blob, state.size == size, (0...size).contains(state.received) else {
            throw .relayAnswer("the state of an upload")
        }
        return state.received
    }

    // MARK: The file here

    private static func open(_ path: String, _ flags: Int32) throws(MessengerError) -> Descriptor {
        do throws(SystemError) { return try Descriptor.open(path, flags) } catch { throw .system(error) }
    }

    private static func length(of file: borrowing Descriptor, _ path: String) throws(MessengerError) -> Int {
        do throws(SystemError) { return try file.size(path: path) } catch { throw .system(error) }
    }

    private static func read(
        _ file: borrowing Descriptor,
        _ count: Int,
        at offset: Int,
        _ path: String
    ) throws(MessengerError) -> [UInt8] {
        let piece: [UInt8]
        do throws(SystemError) {
            piece = try file.read(upTo: count, at: offset, path: path)
        } catch {
            throw .system(error)
        }
        guard piece.count == count else { throw .stateDamaged("\(path) is cut") }
        return piece
    }

    private static func write(
        _ piece: [UInt8],
        to file: borrowing Descriptor,
        at offset: Int,
        _ path: String
    ) throws(MessengerError) {
        do throws(SystemError) { try file.write(piece.span, at: offset, path: path) } catch { throw .system(error) }
    }
}
