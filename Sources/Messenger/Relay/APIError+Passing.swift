import MildamRelayAPI

extension APIError {
    /// Whether the relay could not say what became of the request: it may have been carried out, or be later.
    var mayPass: Bool { [.unavailable, .internalError, .rateLimited].contains(code) }
}
