import Glibc
import MildamClientAPI
import MildamClientCore
import MildamContent
import MildamFiles
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import MildamSystem

/// Sending: encrypted, uploaded, said. What lies on the disk of one step, the next goes on from.
extension FileTransfers {
    /// Takes a file on that is to be sent.
    ///
    /// - Parameters:
    ///   - path: an absolute one; what lies there now.
    ///   - text: what its sender says of it.
    ///   - id: what its message is to have; with one that was taken on already nothing happens.
    /// - Returns: the id that its message will have.
    /// - Throws: `bad-line`; `file-not-readable`, `file-too-large`, `too-many-files`, `too-many-unsent-files`, before
    ///   anything was done;
    ///   `not-stored`.
    func send(
        _ path: String,
        saying text: String,
        to room: RoomID,
        as id: MessageID = .random()
    ) async throws(RoomFault) -> MessageID {
        guard path.utf8.first == UInt8(ascii: "/") else { throw .badField("path") }
        guard sending[id] == nil, ledger[id] == nil else { return id }
        guard waiting < FileTransfers.maximum else {
            throw RoomFault("too-many-files", ["most": "\(FileTransfers.maximum)"])
        }
        guard sending.count < FileTransfers.mostKept else {
            throw RoomFault("too-many-unsent-files", ["most": "\(FileTransfers.mostKept)"])
        }
        let source: OpenSource
        do throws(SystemError) { source = try OpenSource(path) } catch {
            throw RoomFault("file-not-readable", ["errno": "\(error.code)"])
        }
        if let size = source.mark?.size, size > Limits.blob || AgeFile.size(ofContent: size) > Limits.blob {
            throw RoomFault(TransferFault.tooLarge.code, ["most": "\(Limits.blob)"])
        }
        let now = UInt64(clamping: messenger.clock.milliseconds)
        let file = SendingFile(source, saying: text, in: room, at: now, as: id)
        do throws(MessengerError) { try await messenger.keep(file) } catch { throw .notStored(error) }
        sending[file.message] = file
        start(file, from: source)
        return file.message
    }

    /// Has a file go on its way.
    func start(_ file: SendingFile, from source: OpenSource?) {
        ledger.note(.moving(done: 0, of: file.size), of: file.message)
        tasks[file.message] = Task { [weak self] in await self?.carry(file.message, from: source) }
        tell(.moved(file.room))
    }

    /// Goes on until its message is said, or it fails for good.
    private func carry(_ id: MessageID, from source: OpenSource?) async {
        defer { tasks[id] = nil }
        var pause = Backoff(longest: 8)
        var source = source
        while let file = sending[id], !Task.isCancelled {
            do throws(TransferFault) {
                if try await wasSaid(file) { continue }
                try await stage(file, from: source)
                source = nil
                try await upload(id)
                try await say(id)
            } catch {
                guard !Task.isCancelled, let now = sending[id] else { return }
                // What was no file on a disk cannot be read again.
                guard case .passing(let code) = error, now.mark != nil || now.staged != nil else {
                    return await fail(id, error)
                }
                source = nil
                ledger.note(.waiting(code: code), of: id)
                tell(.moved(file.room))
                let seconds = pause.next()
                do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
            }
        }
        await awaitSaid(id)
    }

    /// Has its ciphertext in the profile.
    private func stage(_ file: SendingFile, from source: OpenSource?) async throws(TransferFault) {
        if let made = file.staged, WholeFile.size(staged(file)) == made.size { return }
        var next = file
        next.blob = .random()
        let path = staged(next)
        let opened = if let source { source } else { try file.reopened() }
        do throws(SystemError) { try Folder.create(outgoing) } catch { throw TransferFault(error) }
        let identity = try file.identity()
        let ran = await FileThread.run { stop -> Result<StagedFile, TransferFault> in
            do throws(TransferFault) {
                return .success(try StagedFile(opened, for: identity, to: path, unless: stop))
            } catch {
                return .failure(error)
            }
        }
        guard let ran else { throw .passing(code: "errno-\(EAGAIN)") }
        next.staged = try ran.get()
        do throws(TransferFault) { try await keep(next) } catch {
            // Nobody knows of it.
            StagedFile.remove(path)
            throw error
        }
        // Given up meanwhile, it is nobody's.
        if sending[file.message] == nil { StagedFile.remove(path) }
    }

    /// Brings it to the relay.
    private func upload(_ id: MessageID) async throws(TransferFault) {
        guard let file = sending[id], let made = file.staged else { throw .cancelled }
        try await requireRoom(file.room)
        let exchange = BlobExchange(door: door, room: file.room, blob: file.blob, size: made.size)
        do throws(MessengerError) {
            try await exchange.upload(staged(file)) { [weak self] over in await self?.note(over, of: id) }
        } catch {
            throw TransferFault(error)
        }
    }

    private func note(_ over: Int, of id: MessageID) {
        guard let file = sending[id], let made = file.staged else { return }
        // Both are at most 2³², and the second of them is less.
        ledger.note(.moving(done: UInt64(over) * made.contentSize / UInt64(made.size), of: made.contentSize), of: id)
        tell(.moved(file.room))
    }

    /// Waits with what the relay would refuse while it does not know of the room.
    private func requireRoom(_ room: RoomID) async throws(TransferFault) {
        guard let found = await rooms.rooms().first(where: { $0.room == room }) else {
            throw .final(code: RoomFault.noSuchRoom(room).code)
        }
        switch found.standing {
        case .beginning: throw .passing(code: "room-is-beginning")
        case .member: return
        case .requested, .invited, .left, .removed: throw .final(code: "no-member")
        }
    }

    /// Hands its message over to the rooms. From then on it is theirs, and nothing of the file is left here.
    private func say(_ id: MessageID) async throws(TransferFault) {
        guard var file = sending[id], let made = file.staged else { throw .cancelled }
        guard let part = try? file.attached(made).part else { throw .damaged }
        let overview = await rooms.rooms().first { $0.room == file.room }
        file.saidAfter = file.saidAfter ?? overview?.last ?? 0
        try await keep(file)
        // What the rooms have cannot be given up here.
        guard sending.removeValue(forKey: id) != nil else { throw .cancelled }
        ledger.note(.waiting(), of: id)
        do throws(RoomFault) {
            try await rooms.wish(.say(part, inReplyTo: nil, blobs: [file.blob]), in: file.room, as: id)
        } catch {
            sending[id] = file
            let isGone = error.code == RoomFault.noSuchRoom(file.room).code
            throw isGone ? .final(code: error.code) : .passing(code: error.code)
        }
        await remove(file)
    }

    /// Whether its message was said before an interruption; what is left of it goes then.
    private func wasSaid(_ file: SendingFile) async throws(TransferFault) -> Bool {
        guard let last = file.saidAfter,
            let number = try await number(of: file.message, in: file.room, after: last)
        else { return false }
        ledger.note(.done(number: number), of: file.message)
        await remove(file)
        return true
    }

    /// The number that its message has, if it has one.
    private func number(of id: MessageID, in room: RoomID, after last: UInt64) async throws(TransferFault) -> UInt64? {
        let count = 500
        var next = last + 1
        while true {
            let entries: [ShownEntry]
            do throws(RoomFault) {
                entries = try await rooms.entries(of: room, .from(next, count: count))
            } catch {
                throw .passing(code: error.code)
            }
            if let found = entries.first(where: { $0.id == id }) { return found.number }
            guard entries.count == count, let end = entries.last?.number else { return nil }
            next = max(end, next + 1)
        }
    }

    /// Follows a message that the rooms have, to its end.
    private func awaitSaid(_ id: MessageID) async {
        guard ledger[id]?.isEnd == false, sending[id] == nil else { return }
        switch await rooms.outcome(of: id) {
        case .done(let number): ledger.note(.done(number: number), of: id)
        case .failed(let code): ledger.note(.failed(code: code), of: id)
        case .unknown: ledger.note(.unknown, of: id)
        // The client ends, and the message goes on the next time.
        case .waiting: return
        }
    }

    /// Nothing of it is needed any more.
    private func remove(_ file: SendingFile) async {
        sending[file.message] = nil
        StagedFile.remove(staged(file))
        // Where it stays, it is found to be said the next time.
        try? await messenger.forget(file)
        tell(.moved(file.room))
    }

    /// It is not sent: its item says why, until it is given up.
    private func fail(_ id: MessageID, _ fault: TransferFault) async {
        guard var file = sending[id] else { return }
        file.failure = fault.code
        file.staged = nil
        sending[id] = file
        StagedFile.remove(staged(file))
        try? await keep(file)
        ledger.note(.failed(code: fault.code), of: id)
        tell(.moved(file.room))
    }

    /// Stores how far it is, unless it was given up.
    private func keep(_ file: SendingFile) async throws(TransferFault) {
        guard sending[file.message] != nil else { throw .cancelled }
        do throws(MessengerError) {
            try await messenger.keep(file)
        } catch {
            throw .passing(code: RoomFault.notStored(error).code)
        }
        if sending[file.message] == nil {
            try? await messenger.forget(file)
        } else {
            sending[file.message] = file
        }
    }

    // MARK: How it is drawn

    /// The files for a room that are on their way, or could not be sent, in the order in which they were named.
    func items(of room: RoomID, by author: RoomItem.Person?) -> [RoomItem] {
        sending.values.filter { $0.room == room }.sorted { ($0.wished, $0.message) < ($1.wished, $1.message) }
            .map { file in item(file, by: author) }
    }

    /// All that its sender says of a file on its way, or that could not be sent.
    func text(of message: MessageID, in room: RoomID) -> String? {
        guard let file = sending[message], file.room == room else { return nil }
        return file.text
    }

    private func item(_ file: SendingFile, by author: RoomItem.Person?) -> RoomItem {
        var item = RoomItem(key: file.message, at: file.wished, author: author, kind: .file, state: .waiting)
        item.file = RoomItem.File(
            name: RoomItem.beginning(of: file.name, bytes: LineLimits.name),
            size: file.size
        )
        if !file.text.isEmpty {
            item.text = RoomItem.beginning(of: file.text, bytes: LineLimits.itemText)
            if file.text.utf8.count > LineLimits.itemText { item.cut = file.text.utf8.count }
        }
        if let failure = file.failure {
            item.state = .failed(code: failure)
        } else if case .moving(let done, let size)? = ledger[file.message] {
            item.state = .sending(done: done, of: size)
        } else if case .waiting(let code)? = ledger[file.message] {
            item.code = code
        }
        return item
    }
}

extension SendingFile {
    /// Whom it is encrypted to.
    fileprivate func identity() throws(TransferFault) -> AgeX25519Identity {
        do throws(AgeError) {
            return try AgeX25519Identity(rawRepresentation: secret)
        } catch {
            throw TransferFault(error)
        }
    }

    /// What its message says of it.
    fileprivate func attached(_ made: StagedFile) throws(ContentDefect) -> AttachedFile {
        try AttachedFile(
            blob: blob,
            identity: secret,
            digest: Array(made.digest),
            size: made.contentSize,
            contentType: made.contentType,
            filename: name,
            text: text
        )
    }
}
