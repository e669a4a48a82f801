import Glibc

/// The contexts of libcrypto that one thread uses again and again: making one costs more than a short message.
///
/// Whoever takes a context uses it up before returning, without suspending, and leaves no key in it. Only the thread
/// itself reaches them, so that the run-time check for overlapping access has nothing to find.
@safe
final class ThreadContexts {
    @exclusivity(unchecked) private var ciphers = [CipherContext?](repeating: nil, count: CipherAlgorithm.count)
    @exclusivity(unchecked) private var digests = [DigestContext?](repeating: nil, count: DigestAlgorithm.count)
    @exclusivity(unchecked) private var authenticators = [MACContext?](repeating: nil, count: DigestAlgorithm.count)

    /// The calling thread's contexts; freed when the thread ends.
    static var current: ThreadContexts {
        if let known = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<ThreadContexts>.fromOpaque(known).takeUnretainedValue()
        }
        let contexts = ThreadContexts()
        guard unsafe pthread_setspecific(key, Unmanaged.passRetained(contexts).toOpaque()) == 0 else {
            fatalError("no memory left for a thread's cipher contexts")
        }
        return contexts
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let made = unsafe pthread_key_create(&key) { contexts in
            guard let contexts = unsafe contexts else { return }
            unsafe Unmanaged<ThreadContexts>.fromOpaque(contexts).release()
        }
        guard made == 0 else { fatalError("this process has no thread-specific key left for cipher contexts") }
        return key
    }()

    /// The thread's context for the cipher, with a key of zeros.
    func cipher(_ algorithm: CipherAlgorithm) -> CipherContext {
        if let context = unsafe ciphers[algorithm.index] { return context }
        let context = CipherContext(algorithm)
        unsafe ciphers[algorithm.index] = context
        return context
    }

    /// The thread's context for the hash, with any content.
    func digest(_ algorithm: DigestAlgorithm) -> DigestContext {
        if let context = unsafe digests[algorithm.index] { return context }
        let context = DigestContext(algorithm)
        unsafe digests[algorithm.index] = context
        return context
    }

    /// The thread's context for HMAC over the hash, with a key of zeros.
    func authenticator(_ algorithm: DigestAlgorithm) -> MACContext {
        if let context = unsafe authenticators[algorithm.index] { return context }
        let context = MACContext(algorithm)
        unsafe authenticators[algorithm.index] = context
        return context
    }
}
