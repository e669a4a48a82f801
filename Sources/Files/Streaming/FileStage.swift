import MildamSystem

/// What a thread of its own does to the pieces of a file, one after the other, while their reader and writer goes on.
///
/// It is reached by one thread at a time: by its own until the last piece was handed back, and then by the other.
protocol FileStage: AnyObject, Sendable {
    func process(_ piece: inout FilePiece)
}

extension FileStage {
    /// Takes a file through this stage: pieces are read by the calling thread, worked on by another, and written by the
    /// calling thread, in their order. At most `FileStageThread.pieces` of them are in memory.
    ///
    /// - Parameters:
    ///   - read: fills the piece, and says whether it is the last; it is not called again then.
    ///   - write: gets each piece after this stage.
    func run<Failure: Error>(
        reading read: (inout FilePiece) throws(Failure) -> Void,
        writing write: (inout FilePiece) throws(Failure) -> Void
    ) throws(Failure) {
        let thread = FileStageThread(self)
        defer { thread.end() }
        var unused = [FilePiece](repeating: FilePiece(), count: FileStageThread.pieces)
        var isRead = false
        while true {
            if !isRead, var piece = unused.popLast() {
                try read(&piece)
                isRead = piece.isLast
                thread.give(&piece)
            } else {
                var piece = thread.take()
                try write(&piece)
                if piece.isLast { return }
                unused.append(piece)
            }
        }
    }
}
