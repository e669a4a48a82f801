import Glibc
import MildamSystem

/// Looks names up. `getaddrinfo` blocks, so each lookup has a thread of its own for as long as it takes.
enum Resolver {
    /// Calls back on the loop with at least one address.
    static func resolve(
        _ endpoint: Endpoint,
        on loop: EventLoop,
        _ done: @escaping @Sendable (Result<[SocketAddress], TransportError>) -> Void
    ) {
        if let address = SocketAddress(ip: endpoint.host, port: endpoint.port) {
            return loop.execute { done(.success([address])) }
        }
        let isStarted = Thread.detach(named: "mildam-resolver") {
            let result = lookUp(endpoint)
            loop.execute { done(result) }
        }
        if !isStarted {
            loop.execute { done(.failure(.unreachable(endpoint.host, reason: "no thread to look it up"))) }
        }
    }

    private static func lookUp(_ endpoint: Endpoint) -> Result<[SocketAddress], TransportError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(endpoint.host, nil, &hints, &list)
        guard code == 0 else {
            let reason = unsafe gai_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
            return .failure(.unreachable(endpoint.host, reason: reason))
        }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            var storage = sockaddr_storage()
            let length = unsafe min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
            if let source = unsafe entry.ai_addr {
                unsafe withUnsafeMutableBytes(of: &storage) { target in
                    unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: source, count: length))
                }
            }
            if let address = SocketAddress(storage) {
                found.append(SocketAddress(bytes: address.ip, port: endpoint.port))
            }
            unsafe next = entry.ai_next
        }
        guard !found.isEmpty else { return .failure(.unreachable(endpoint.host, reason: "it has no address")) }
        return .success(found)
    }
}
