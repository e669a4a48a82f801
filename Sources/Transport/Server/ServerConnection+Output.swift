/// How answers leave: one at a time into the queue, from the queue as the client reads, and after the last one a close
/// that destroys nothing on its way.
extension ServerConnection {
    /// The handler's answer to the request that is under way.
    func answer(_ response: HTTPResponse, heldBackFor pause: Duration = .zero) {
        guard case .answering(let head) = phase else { return }
        guard pause == .zero else {
            let connection = LoopBound(self, on: server.loop.thread)
            _ = server.loop.schedule(after: pause) { connection.value.answer(response) }
            return
        }
        let isClosing = head.closesAfterwards || server.isDraining
        send(response, closing: isClosing, confirming: head.isOldVersion, isHead: head.method == .head)
        guard !isProcessing else { return }
        // First what is queued goes: only that may make room for the next.
        settle()
        process()
    }

    /// Answers what cannot be understood or is not allowed, and closes.
    func refuse(_ status: Int, _ head: HTTPRequestHead?, _ fields: [(name: String, value: String)] = []) {
        shareOfBudget(is: 0)
        var response = server.handler.refusal(status, of: head.map { request($0, []) })
        for field in fields { response.fields.append(field.name, field.value) }
        send(response, closing: true, confirming: false, isHead: head?.method == .head)
        if !isProcessing { settle() }
    }

    private func send(_ response: HTTPResponse, closing: Bool, confirming: Bool, isHead: Bool) {
        let date = server.currentDate()
        let encoded = { (response: HTTPResponse) in
            HTTPEncoder.encode(
                response,
                date: date,
                closing: closing,
                confirmKeepAlive: confirming,
                isHead: isHead
            )
        }
        guard let bytes = encoded(response) ?? encoded(HTTPResponse(status: 500)) else { return end() }
        stream.enqueue(bytes)
        answersThisTurn += 1
        if closing {
            pending = []
            phase = .closing
        } else {
            phase = .head(HTTPHeadParser(server.limits))
        }
    }

    /// Sends what is queued, and sets what is waited for next.
    func settle() {
        guard isServing, (try? flush()) != nil, countPending() else { return end() }
        if case .closing = phase {
            stream.isReading = isFinishing
            return stream.queuedBytes == 0 ? beginClosing() : ()
        }
        stream.isReading = !hasPeerFinished && pending.count < Self.maxPending && hasRoom
        if hasPeerFinished, !isAnswering, stream.queuedBytes == 0, pending.isEmpty { end() }
    }

    private func flush() throws(TransportError) {
        let progress = try stream.flush()
        guard server.countQueue(of: stream) else { throw .closed }
        if stream.queuedBytes > 0 {
            if progress > 0 || !isBlocked {
                writeDeadline = Monotonic.after(server.limits.writeTimeout, from: stream.reactor.now)
                stream.setDeadline(writeDeadline)
            }
            isBlocked = true
        } else {
            if progress > 0, isIdle {
                awaitRequest()
            } else if isBlocked, isAnswering {
                stream.setDeadline(nil)
            }
            isBlocked = false
        }
    }

    func awaitRequest() {
        stream.setDeadline(after: server.isDraining ? .zero : server.limits.idleTimeout)
    }

    /// Input that is kept takes of the server's budget, too; that of content is counted as it comes.
    private func countPending() -> Bool {
        if case .body = phase { true } else { shareOfBudget(is: pending.count) }
    }

    /// Everything is sent: says so, and waits for the client to finish, because a socket that is closed with unread
    /// input resets the connection and may destroy the answer on its way (RFC 9112, section 9.6).
    private func beginClosing() {
        guard !isFinishing else { return }
        isFinishing = true
        stream.finishSending()
        guard !hasPeerFinished else { return end() }
        stream.isReading = true
        stream.setDeadline(after: server.limits.closeTimeout)
    }
}
