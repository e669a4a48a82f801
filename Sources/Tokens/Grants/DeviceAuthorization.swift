import MildamKeychain
import MildamWire

/// What a server gave a device that has no browser: a code to be shown to a person, who signs in elsewhere (RFC 8628,
/// section 3.2).
public struct DeviceAuthorization: Sendable {
    /// What the person types in: 1 to 64 characters that can be shown.
    public let userCode: String
    /// Where: any browser's address.
    public let verification: ServerURL
    /// The same with the code in it, for a QR code; `nil` where the server gave none.
    public let verificationComplete: ServerURL?
    /// For how many seconds the codes are good: 1 to 86,400.
    public let lifetime: Int64
    /// How many seconds lie between two questions, at least: 1 to 300.
    public let interval: Int64
    let deviceCode: SecretValue

    /// Reads an answer.
    ///
    /// `verification_url`, which some servers wrote before there was a standard, is taken for `verification_uri`. An
    /// interval of 0 becomes 1, so that nobody asks without a pause.
    ///
    /// - Throws: `AnswerDefect`.
    public init(json: Span<UInt8>) throws(AnswerDefect) {
        let fields = try AnswerFields(json, limit: TokenResponse.maximumSize)
        guard let deviceCode = try fields.secret("device_code", limit: TokenResponse.maximumTokenSize) else {
            throw .missing(field: "device_code")
        }
        guard let userCode = try fields.text("user_code", limit: 64) else { throw .missing(field: "user_code") }
        guard !userCode.isEmpty, userCode.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalid(field: "user_code")
        }
        let name = fields.has("verification_uri") ? "verification_uri" : "verification_url"
        guard let verification = try fields.url(name) else { throw .missing(field: "verification_uri") }
        guard let lifetime = try fields.seconds("expires_in", ceiling: 86_400) else {
            throw .missing(field: "expires_in")
        }
        guard lifetime > 0 else { throw .invalid(field: "expires_in") }
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verification = verification
        verificationComplete = try fields.url("verification_uri_complete")
        self.lifetime = lifetime
        interval = max(1, try fields.seconds("interval", ceiling: 300) ?? 5)
    }
}

extension TokenEndpoint {
    /// Asks for a device code.
    ///
    /// - Throws: `unsupported` where the server has no endpoint for it; as ``tokens(by:)``.
    public func beginDeviceSignIn(scope: String? = nil) async throws(TokenError) -> DeviceAuthorization {
        guard let url = server.deviceAuthorization else { throw .unsupported }
        let answer = try await post(to: url, isForTokens: false) { form in
            // A client that says who it is in a field says it here, too (RFC 8628, section 3.1).
            if client.field != nil { form.add("client_id", client.id) }
            if let scope { form.add("scope", scope) }
        }
        guard answer.status == 200 else { throw TokenEndpoint.error(answer) }
        do throws(AnswerDefect) {
            return try answer.body.withSpan { (text) throws(AnswerDefect) in try DeviceAuthorization(json: text) }
        } catch {
            throw .malformed(error)
        }
    }

    /// Waits until the person has decided (RFC 8628, section 3.5).
    ///
    /// Between two questions lies the interval; each `slow_down` makes it five seconds longer, and each question without an
    /// answer twice as long, up to five minutes.
    ///
    /// - Throws: `refused(.accessDenied)`; `timedOut` when the code ran out; `cancelled`; as ``tokens(by:)``.
    public func finishDeviceSignIn(_ device: DeviceAuthorization) async throws(TokenError) -> GrantedTokens {
        let end = clock.sinceBoot() + device.lifetime * 1000
        var interval = device.interval
        while true {
            await clock.sleep(.seconds(interval))
            guard !Task.isCancelled else { throw .cancelled }
            guard clock.sinceBoot() < end else { throw .timedOut }
            do throws(TokenError) { return try await tokens(by: .deviceCode(device.deviceCode)) } catch {
                interval = try TokenEndpoint.interval(after: error, interval)
            }
        }
    }

    private static func interval(after error: TokenError, _ interval: Int64) throws(TokenError) -> Int64 {
        switch error {
        case .refused(.authorizationPending): return interval
        case .refused(.slowDown): return min(interval + 5, 300)
        case .refused(.expiredToken): throw .timedOut
        case .exchange, .failed: return min(interval * 2, 300)
        default: throw error
        }
    }
}
