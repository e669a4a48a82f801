import MildamClientAPI

/// What a person has been told of the connection to the relay, so that each thing is said once.
struct ConnectionMemory {
    /// Whether the relay can be reached; `nil` before that was known.
    private(set) var isConnected: Bool?
    private var told: String?

    /// What is to be said of how the client is, if anything.
    mutating func news(of status: ClientStatus) -> String? {
        guard !status.isConnected else {
            defer { (isConnected, told) = (true, nil) }
            return isConnected == true ? nil : "connected"
        }
        // Nothing was tried yet.
        guard let fault = status.fault else { return nil }
        // However often it is tried, the same is told once.
        let isNew = isConnected != false || told != fault.code.rawValue
        (isConnected, told) = (false, fault.code.rawValue)
        guard isNew else { return nil }
        return "not connected: \(ConnectionWords.text(of: fault)); trying again"
    }
}
