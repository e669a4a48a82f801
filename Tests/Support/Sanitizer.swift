import Foundation

/// The sanitizer that `Scripts/prove-tests` built these tests with.
public enum Sanitizer {
    /// Whether there is one.
    public static let isOn = ProcessInfo.processInfo.environment["MILDAM_SANITIZE"] != nil
}
