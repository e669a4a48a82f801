/// Why a function of the `SecKey…` kind gave nothing: a status, and a reason in words.
public final class CFError: Error, Hashable, Sendable, CustomStringConvertible {
    private let status: OSStatus
    private let reason: String

    init(_ refusal: Refusal) {
        status = refusal.status
        reason = refusal.reason
    }

    /// Whether both have the same status and reason.
    public static func == (left: CFError, right: CFError) -> Bool {
        left.status == right.status && left.reason == right.reason
    }

    /// Feeds status and reason to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(reason)
    }

    /// The reason and the status. It holds nothing secret.
    public var description: String { "\(reason) (OSStatus \(status))" }

    fileprivate var code: CFIndex { CFIndex(status) }
    fileprivate var text: CFString { reason }
}

/// The domain of every error here.
public let kCFErrorDomainOSStatus: CFString = "NSOSStatusErrorDomain"
/// The key of an error's reason in its dictionary.
public let kCFErrorLocalizedDescriptionKey: CFString = "NSLocalizedDescription"

/// The status.
public func CFErrorGetCode(_ error: CFError) -> CFIndex { error.code }

/// `kCFErrorDomainOSStatus`, which is Foundation's `NSOSStatusErrorDomain`.
public func CFErrorGetDomain(_ error: CFError) -> CFString { kCFErrorDomainOSStatus }

/// The reason in words.
public func CFErrorCopyDescription(_ error: CFError) -> CFString { error.text }

/// The reason in words, under `kCFErrorLocalizedDescriptionKey`.
public func CFErrorCopyUserInfo(_ error: CFError) -> CFDictionary {
    [kCFErrorLocalizedDescriptionKey: error.text]
}
