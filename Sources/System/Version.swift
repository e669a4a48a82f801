/// Which Mildam this is.
public enum Version {
    /// The version, by semver.org.
    public static let text = "0.1.0"
    /// The day it was made, as manuals show it.
    public static let date = "2026-11-21"
}
