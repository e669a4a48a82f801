import MildamClientAPI
import MildamMessenger

extension Action {
    /// Has the profile's client give the relay what others need to bring this account into rooms. Where that cannot be now, it is
    /// done when the client runs next.
    func becomeInvitable() async {
        guard let link = try? await client() else { return }
        _ = try? await link.ask(.refresh(seconds: 5))
    }
}
