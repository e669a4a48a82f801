import FoundationEssentials
import MildamTransport

/// What is to be told of a certificate on some day.
enum CertificateDays: Equatable, Sendable {
    case good
    case notYetValid
    /// It ends within fourteen days; one that was made for less than six weeks, in the last third of its time.
    case endsSoon
    case expired

    private static let warning: Int64 = 14 * 86_400

    /// - Parameters:
    ///   - first: the certificate's first moment, in seconds since 1970.
    ///   - last: its last one.
    ///   - now: the present.
    init(from first: Int64, until last: Int64, at now: Int64) {
        self =
            if now < first {
                .notYetValid
            } else if now > last {
                .expired
            } else if last - now < min(Self.warning, (last - first) / 3) {
                .endsSoon
            } else {
                .good
            }
    }

    /// Tells it, with the moment that it is about.
    func tell(of certificate: PresentedCertificate, in log: RelayLog) {
        switch self {
        case .good: break
        case .notYetValid:
            log.error(
                "certificate_not_yet_valid",
                "the certificate is not valid yet, and clients refuse it; look at this machine's clock, or use another",
                .time("from", certificate.notBefore)
            )
        case .endsSoon:
            log.error(
                "certificate_ends_soon",
                "the certificate ends soon; put another in its place, and send SIGHUP",
                .time("until", certificate.notAfter)
            )
        case .expired:
            log.error(
                "certificate_expired",
                "the certificate has expired, and clients refuse it; put another in its place, and send SIGHUP",
                .time("until", certificate.notAfter)
            )
        }
    }
}

extension RelayLog.Field {
    /// "2026-11-21T14:15:01Z".
    fileprivate static func time(_ name: String, _ seconds: Int64) -> Self {
        .text(name, Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601))
    }
}
