/// The relay's routes, each a value.
///
/// Where two routes have one path, they differ in method. Where a path has a word and another a name in braces in the same
/// place, the word goes first.
public enum Routes {
    /// What the account's owner alone may do is refused with.
    static let ownerRefusals: [APIErrorCode] = [.wrongCredentials, .secondFactorRequired, .wrongCode, .storageFull]
}
