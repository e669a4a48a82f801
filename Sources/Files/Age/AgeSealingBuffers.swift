/// What small files are encrypted in, one after the other: to take that much memory anew for each, and to give it back,
/// costs more than to encrypt one. Used by one thread at a time.
package final class AgeSealingBuffers {
    private var content: [UInt8] = []
    private var sealed: [UInt8] = []

    /// Makes buffers, which get their size with the first file.
    package init() {}

    /// Buffers of exactly these sizes, with any content; they are the taker's until they are given back.
    func take(content contentSize: Int, sealed sealedSize: Int) -> (content: [UInt8], sealed: [UInt8]) {
        defer { (content, sealed) = ([], []) }
        return (
            content.count == contentSize ? content : .buffer(count: contentSize),
            sealed.count == sealedSize ? sealed : .buffer(count: sealedSize)
        )
    }

    /// Takes buffers back.
    func give(content: [UInt8], sealed: [UInt8]) {
        self.content = content
        self.sealed = sealed
    }
}
