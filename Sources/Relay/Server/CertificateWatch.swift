import MildamSystem
import MildamTransport

/// Tells what there is to tell of the relay's certificate: when it is read, and then once a day, since it may run out while
/// the relay runs.
final class CertificateWatch: Sendable {
    private let http: HTTPServer
    private let clock: WallClock
    private let log: RelayLog
    private let pause: Duration
    private let loop: EventLoop

    /// - Parameter pause: how long after one look the next one comes.
    init(of http: HTTPServer, _ clock: WallClock, _ log: RelayLog, every pause: Duration, on loop: EventLoop) {
        self.http = http
        self.clock = clock
        self.log = log
        self.pause = pause
        self.loop = loop
    }

    /// Begins; it goes on for as long as somebody keeps it.
    func start() {
        look()
        _ = loop.schedule(after: pause) { [weak self] in self?.start() }
    }

    /// Looks at the certificate that is shown now. One that is out of date is shown all the same: connections that are open
    /// go on, and clients that know the key by itself look at no date.
    func look() {
        guard let certificate = http.certificate else { return }
        CertificateDays(from: certificate.notBefore, until: certificate.notAfter, at: clock.seconds)
            .tell(of: certificate, in: log)
    }
}
