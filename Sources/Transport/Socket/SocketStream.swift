import Glibc
import MildamSystem

/// A connected socket, with or without TLS, and what is waiting to be sent through it. Lives on its loop's thread.
///
/// It keeps no input buffer, and an output buffer only while something waits in it.
final class SocketStream {
    /// What a try to read came to.
    enum Input {
        /// So many bytes at the start of the buffer.
        case bytes(Int)
        /// Nothing yet; the loop will tell.
        case nothing
        /// The other side has finished sending.
        case end
        case failed(TransportError)
    }

    let reactor: Reactor
    let peer: SocketAddress
    let isSecure: Bool
    /// Neither is here while a step of the handshake is away.
    private var tls: TLSSession?
    private var descriptor: SharedDescriptor? {
        didSet { number = descriptor?.number ?? -1 }
    }
    /// The descriptor's; -1 without one.
    private var number: Int32
    private var id: ChannelID?
    private var output: [UInt8] = []
    private var sent = 0
    /// TLS reads may have to write first (a key update), and the other way round.
    private var readNeedsWrite = false
    private var writeNeedsRead = false

    /// Whether input is wanted. When not, the kernel's buffer fills and the other side has to wait.
    var isReading = true {
        didSet { if isReading != oldValue { updateInterest() } }
    }

    /// Whether it is still being connected; then only becoming writable counts.
    var awaitsConnection = false {
        didSet { if awaitsConnection != oldValue { updateInterest() } }
    }

    init(_ descriptor: consuming Descriptor, peer: SocketAddress, tls: TLSSession?, on reactor: Reactor) {
        self.reactor = reactor
        self.peer = peer
        self.tls = tls
        number = descriptor.number
        self.descriptor = SharedDescriptor(descriptor)
        isSecure = tls != nil
    }

    /// Bytes that wait to be sent.
    var queuedBytes: Int { output.count - sent }

    /// What of them the connection's owner has counted.
    var countedBytes = 0

    /// Whether bytes can travel: at once without TLS, after the handshake with it.
    var isEstablished: Bool { tls?.isEstablished ?? !isSecure }

    var isClosed: Bool { id == nil }

    /// The other side's certificate, after TLS's handshake.
    var certificate: PresentedCertificate? { tls?.certificate() }

    /// Begins to be watched on behalf of `channel`.
    func attach(to channel: any Channel) throws(TransportError) {
        guard let number = descriptorNumber else { throw .closed }
        do {
            id = try reactor.register(channel, number, interest)
        } catch {
            throw .system(error)
        }
    }

    /// Events go to `channel` from here on.
    func transfer(to channel: any Channel) {
        if let id { reactor.transfer(id, to: channel) }
    }

    /// Whether what the other side has begun may come a byte at a time.
    func setStandsBack(_ standsBack: Bool) {
        if let id { reactor.setStandsBack(standsBack, of: id) }
    }

    /// Asks to be told at `moment` (monotonic nanoseconds); `nil`: never.
    func setDeadline(_ moment: UInt64?) {
        if let id { reactor.setDeadline(moment, of: id) }
    }

    /// Asks to be told when `duration` has passed.
    func setDeadline(after duration: Duration) {
        setDeadline(Monotonic.after(duration, from: reactor.now))
    }

    /// Continues the handshake.
    ///
    /// - Returns: whether it is complete.
    func handshake() throws(TransportError) -> Bool {
        guard let tls, !tls.isEstablished else { return true }
        return try conclude(tls.handshake())
    }

    /// Lends session and socket for a step of the handshake. Until they come back nothing is read or sent here, and
    /// nothing is told but that the connection broke; when this is closed meanwhile, the connection ends with the job.
    func lendHandshake(isFirst: Bool) -> HandshakeJob? {
        guard let tls, let descriptor, !tls.isEstablished else { return nil }
        self.tls = nil
        self.descriptor = nil
        updateInterest()
        return HandshakeJob(tls, descriptor, isFirst: isFirst)
    }

    /// Takes back what was lent.
    ///
    /// - Returns: whether the handshake is complete.
    func takeBack(_ job: HandshakeJob) throws(TransportError) -> Bool {
        guard !isClosed, let (session, socket, outcome) = job.end() else { throw .closed }
        tls = session
        descriptor = socket
        return try conclude(outcome)
    }

    private func conclude(_ outcome: TLSSession.Outcome) throws(TransportError) -> Bool {
        readNeedsWrite = false
        defer { updateInterest() }
        switch outcome {
        case .done: return true
        case .wantsRead: return false
        case .wantsWrite:
            readNeedsWrite = true
            return false
        case .end: throw .closed
        case .failed(let failure): throw .tls(failure)
        }
    }

    /// Whether the other side has finished sending, be what it sent read or not.
    var isFinished: Bool { descriptorNumber.map(Sockets.hasFinished) ?? true }

    /// Reads what fits into `buffer`, from its start.
    func receive(into buffer: inout [UInt8]) -> Input {
        guard let number = descriptorNumber else { return .failed(.closed) }
        if let tls { return receive(through: tls, into: &buffer) }
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, 0) }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothing
            default: return .failed(.closed)
            }
        }
    }

    private func receive(through tls: TLSSession, into buffer: inout [UInt8]) -> Input {
        let needed = readNeedsWrite
        readNeedsWrite = false
        defer { if readNeedsWrite != needed { updateInterest() } }
        switch tls.read(into: &buffer) {
        case .done(let count): return .bytes(count)
        case .wantsRead: return .nothing
        case .wantsWrite:
            readNeedsWrite = true
            return .nothing
        case .end: return .end
        case .failed(let failure): return .failed(.tls(failure))
        }
    }

    /// Puts bytes behind those that wait; `flush` sends them.
    func enqueue(_ bytes: [UInt8]) {
        if output.isEmpty {
            output = bytes
        } else {
            output.append(contentsOf: bytes)
        }
    }

    /// Sends what the kernel takes, and waits for it to take the rest.
    ///
    /// - Returns: how many bytes went.
    @discardableResult
    func flush() throws(TransportError) -> Int {
        let before = sent
        var progress = 0
        writeNeedsRead = false
        while sent < output.count {
            guard let count = try sendSome() else { break }
            sent += count
        }
        progress = sent - before
        if sent == output.count {
            output = []
            sent = 0
        } else if sent > 64 * 1024, sent > output.count / 2 {
            output.removeFirst(sent)
            sent = 0
        }
        updateInterest()
        return progress
    }

    private func sendSome() throws(TransportError) -> Int? {
        guard let number = descriptorNumber else { throw .closed }
        let waiting = output
        let rest = waiting.span.extracting(sent..<waiting.count)
        if let tls {
            switch tls.write(rest) {
            case .done(let count): return count
            case .wantsWrite: return nil
            case .wantsRead:
                writeNeedsRead = true
                return nil
            case .end: throw .closed
            case .failed(let failure): throw .tls(failure)
            }
        }
        while true {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            default: throw .closed
            }
        }
    }

    /// Says that nothing more will be sent; reading goes on.
    func finishSending() {
        guard let number = descriptorNumber else { return }
        tls?.finish()
        shutdown(number, Int32(SHUT_WR))
    }

    /// Says TLS's goodbye, if nothing stands before it, so that the other side sees an end and no cut; `close` follows.
    func sayGoodbye() {
        if queuedBytes == 0 { tls?.finish() }
    }

    /// Throws away what arrives, below TLS.
    ///
    /// - Returns: how many bytes, or `nil` at the end.
    func discardInput(into buffer: inout [UInt8]) -> Int? {
        guard let number = descriptorNumber else { return nil }
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, 0) }
        if count > 0 { return count }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : nil
    }

    /// Forgets what waits to be sent.
    func dropOutput() {
        output = []
        sent = 0
    }

    /// Ends the connection at once.
    func close() {
        if let id { reactor.deregister(id) }
        id = nil
        descriptor = nil
        output = []
        sent = 0
    }

    private var descriptorNumber: Int32? { number >= 0 ? number : nil }

    private var interest: Interest {
        if awaitsConnection { return .write }
        if number < 0 { return [] }
        var interest: Interest = []
        if isReading || writeNeedsRead || !isEstablished { interest.insert(.read) }
        if readNeedsWrite || (isEstablished && queuedBytes > 0 && !writeNeedsRead) { interest.insert(.write) }
        return interest
    }

    private func updateInterest() {
        if let id { reactor.setInterest(interest, of: id) }
    }
}
