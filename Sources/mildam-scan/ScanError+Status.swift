import MildamScan
import MildamTerminal

extension ScanError: EndsWithStatus {
    /// The status of `mildam-scan`.
    public var exitStatus: ExitStatus {
        switch self {
        case .empty: .usage
        case .noCode: .notFound
        case .damaged: .damaged
        case .tooLong, .unknownFormat, .animated, .tooManyPixels: .refused
        }
    }
}
