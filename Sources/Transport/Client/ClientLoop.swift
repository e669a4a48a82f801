/// The loop that all clients of the process share.
enum ClientLoop {
    /// Made at first use, never stopped.
    static let shared: Result<EventLoop, TransportError> = {
        do throws(TransportError) {
            let loop = try EventLoop(name: "mildam-client")
            loop.start()
            return .success(loop)
        } catch {
            return .failure(error)
        }
    }()
}
