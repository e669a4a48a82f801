import Testing

@testable import MildamTransport

/// Asks as a well-behaved client does, one request after the other, and notes how long each answer takes.
struct HonestClient {
    let endpoint: Endpoint
    var tls = TLSClientConfiguration()

    /// Sends so many requests, every tenth over a new connection.
    ///
    /// - Returns: the times of the answers, sorted. Every request must be answered.
    func ask(_ count: Int) async throws -> [Duration] {
        let target = try #require(HTTPTarget("/honest"))
        var client = try HTTPClient(endpoint, tls: tls)
        var times: [Duration] = []
        for number in 0..<count {
            if number.isMultiple(of: 10) {
                client.close()
                client = try HTTPClient(endpoint, tls: tls)
            }
            let body = Array("question \(number)".utf8)
            let start = ContinuousClock.now
            let response = try await client.send(HTTPClientRequest(.post, target, body: body))
            times.append(ContinuousClock.now - start)
            try #require(response.status == 200 && response.body == body)
            try await Task.sleep(for: .milliseconds(2))
        }
        client.close()
        return times.sorted()
    }
}
