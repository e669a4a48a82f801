import MildamCrypto

/// Opens pieces of a file. Of a piece with a chunk that does not open, the chunks before it are handed on.
final class AgeOpeningWorker: FlowWorker {
    private let source: PieceSource
    private let target: AgePieceTarget
    private var opener: ChaChaPoly.Opener
    private var sealed: [UInt8]
    private var content: [UInt8]
    private let chunks: Int
    private var piece = PieceSource.Piece(count: 0, isLast: false, position: 0)
    private var firstChunk = 0
    /// Bytes of content that may go out.
    private var opened = 0
    private var failure: AgeError?

    init(
        _ pieces: AgePiece,
        _ source: PieceSource,
        _ target: AgePieceTarget,
        _ opener: consuming ChaChaPoly.Opener
    ) {
        chunks = pieces.chunks
        sealed = .buffer(count: pieces.sealedSize + 1)
        content = .buffer(count: pieces.size)
        self.source = source
        self.target = target
        self.opener = opener
    }

    func take(_ number: Int) throws(AgeError) -> Bool {
        guard let next = try source.take(into: &sealed) else { return false }
        piece = next
        firstChunk = number * chunks
        return true
    }

    func work() {
        opened = 0
        do throws(AgeError) {
            let chunks = AgePiece.chunkCount(of: piece.count, by: AgePayload.sealedChunkSize)
            for chunk in 0..<chunks {
                if piece.isLast, chunk == chunks - 1 { try openLast(chunk) } else { try open(chunk) }
            }
        } catch {
            failure = error
        }
    }

    func handOn() throws(AgeError) {
        let bytes = content
        try target.write(bytes.span.extracting(..<opened), of: piece)
        if let failure { throw failure }
    }

    private func open(_ chunk: Int) throws(AgeError) {
        if try opens(chunk, isLast: false) { return }
        throw try opens(chunk, isLast: true) ? .trailingData : .damaged(chunk: firstChunk + chunk)
    }

    private func openLast(_ chunk: Int) throws(AgeError) {
        let size = AgePiece.range(of: chunk, by: AgePayload.sealedChunkSize, in: piece.count).count
        guard size >= AgePayload.tagSize else { throw .truncated }
        // Only a file without content ends with an empty chunk: otherwise one content would have two forms.
        guard size > AgePayload.tagSize || firstChunk + chunk == 0 else { throw .damaged(chunk: firstChunk + chunk) }
        if try opens(chunk, isLast: true) { return }
        guard size == AgePayload.sealedChunkSize, try opens(chunk, isLast: false) else {
            throw .damaged(chunk: firstChunk + chunk)
        }
        throw .truncated
    }

    private func opens(_ chunk: Int, isLast: Bool) throws(AgeError) -> Bool {
        let range = AgePiece.range(of: chunk, by: AgePayload.sealedChunkSize, in: piece.count)
        let nonce = try AgePayload.nonce(chunk: firstChunk + chunk, isLast: isLast)
        let end = opened + range.count - AgePayload.tagSize
        // A span of a property would keep the others from being changed.
        let bytes = sealed
        let input = bytes.span.extracting(range)
        let failure: CryptoKitError? = unsafe content.withUnsafeMutableBytes { memory in
            var output = unsafe MutableSpan<UInt8>(_unsafeBytes: memory[opened..<end])
            do throws(CryptoKitError) {
                try opener.open(input, nonce: nonce, into: &output)
                return nil
            } catch {
                return error
            }
        }
        switch failure {
        case nil:
            opened = end
            return true
        case .authenticationFailure: return false
        case .some(let error): throw .cryptography(error)
        }
    }
}
