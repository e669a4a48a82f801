/// What a message that has come in part may cost: memory, which all connections share, and time.
extension WebSocketChannel {
    /// To be called when what has arrived is used up.
    func checkMessage() throws(WebSocketViolation) {
        guard takeBudget(decoder.bufferedBytes) else { throw .overloaded }
        guard decoder.isInsideMessage else {
            messageStart = 0
            return
        }
        if messageStart == 0 { messageStart = stream.reactor.now }
        guard !isMessageOverdue else { throw .tooSlow }
    }

    /// Whether the message under way should have ended by now. Asked when bytes come and when silence is pinged, so one
    /// that stands still goes with its connection.
    var isMessageOverdue: Bool {
        guard messageStart != 0, let allowed = settings.messageTimeout else { return false }
        let earned = Duration.seconds(decoder.bufferedBytes / settings.minBytesPerSecond)
        return Monotonic.after(allowed + earned, from: messageStart) < stream.reactor.now
    }

    /// Takes so much of the budget, in the place of what it has.
    ///
    /// - Returns: whether there is so much.
    @discardableResult
    func takeBudget(_ count: Int) -> Bool {
        guard count != budgetBytes else { return true }
        let before = budgetBytes
        budgetBytes = count
        return owner?.bufferedBytesChanged(by: count - before, of: stream.peer) ?? true
    }
}
