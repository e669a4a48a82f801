/// How much content a request may have, and what it takes of the budget that all connections share.
extension ServerConnection {
    /// What reads the content of a request, within what the handler allows it.
    func newDecoder(_ head: HTTPRequestHead) throws(HTTPViolation) -> HTTPBodyDecoder {
        let limits = server.limits
        let limit =
            switch head.framing {
            case .length(let length) where length > limits.maxBodyBytes: maximumBody(of: head)
            case .chunked: maximumBody(of: head)
            case .none, .length: limits.maxBodyBytes
            }
        do throws(HTTPViolation) {
            return try HTTPBodyDecoder(
                head.framing,
                limit: limit,
                maxTrailerBytes: limits.maxHeadBytes,
                maxTrailers: limits.maxFields
            )
        } catch {
            offender = head
            throw error
        }
    }

    private func maximumBody(of head: HTTPRequestHead) -> Int {
        server.handler.maximumBody(of: request(head, [])) ?? server.limits.maxBodyBytes
    }

    /// Reads on; what breaks a rule is remembered as this request's.
    func decode(
        _ decoder: inout HTTPBodyDecoder,
        of head: HTTPRequestHead,
        _ input: Span<UInt8>,
        _ position: inout Int
    ) throws(HTTPViolation) -> Bool {
        do throws(HTTPViolation) {
            return try decoder.next(input, at: &position)
        } catch {
            offender = head
            throw error
        }
    }

    /// Takes so much of the budget for content, in the place of what it has.
    ///
    /// - Returns: whether there is so much.
    @discardableResult
    func shareOfBudget(is count: Int) -> Bool {
        guard count != bodyBytes else { return true }
        let before = bodyBytes
        bodyBytes = count
        return server.bufferedBytesChanged(by: count - before, of: peer)
    }
}

extension HTTPHeadParser {
    /// A parser within a server's limits.
    init(_ limits: ServerLimits) {
        self.init(maxHeadBytes: limits.maxHeadBytes, maxFields: limits.maxFields)
    }
}
