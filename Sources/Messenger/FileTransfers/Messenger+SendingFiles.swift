import MildamIdentity

extension RecordKind {
    /// A file on its way to a room, by the id that its message will have.
    static var sendingFile: RecordKind<SendingFile> { RecordKind<SendingFile>(text: "sending file") }
}

/// Files on their way, as the profile keeps them.
extension Messenger {
    /// All of them, in no order.
    func sendingFiles() async throws(MessengerError) -> [SendingFile] {
        try await alone { (_, store) throws(MessengerError) in try store.records(.sendingFile) }
    }

    /// Stores one, in the place of the one with its id.
    func keep(_ file: SendingFile) async throws(MessengerError) {
        try await alone { (_, store) throws(MessengerError) in
            try store.put(file, as: .sendingFile, file.message.bytes)
        }
    }

    /// Removes one, and cuts its key out of the write-ahead log.
    func forget(_ file: SendingFile) async throws(MessengerError) {
        try await alone { (_, store) throws(MessengerError) in
            try store.remove(.sendingFile, file.message.bytes)
            try store.forgetDeleted()
        }
    }
}
