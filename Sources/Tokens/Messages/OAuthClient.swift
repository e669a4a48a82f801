import MildamCrypto
import MildamKeychain
import MildamWire

/// A client as the server knows it.
public struct OAuthClient: Sendable {
    /// How it proves who it is (RFC 6749, section 2.3).
    public enum Authentication: Sendable {
        /// It does not: a public client.
        case none
        /// By its secret in the `Authorization` field.
        case basic(SecretValue)
        /// By its secret in the form.
        case post(SecretValue)
    }

    /// Its name at the server.
    public let id: String
    /// How it proves who it is.
    public let authentication: Authentication

    /// A client.
    public init(id: String, authentication: Authentication = .none) {
        self.id = id
        self.authentication = authentication
    }

    /// Adds to a form what tells who asks.
    func identify(in form: inout FormBody) {
        switch authentication {
        case .none: form.add("client_id", id)
        case .basic: return
        case .post(let secret):
            form.add("client_id", id)
            form.add("client_secret", secret)
        }
    }

    /// The `Authorization` field: id and secret, each form-encoded first (RFC 6749, section 2.3.1).
    var field: OutgoingRequest.Field? {
        guard case .basic(let secret) = authentication else { return nil }
        var pair = SecretBuilder(capacity: 256)
        pair.append(FormBody.encoded(id) + ":")
        FormBody.encode(secret, into: &pair)
        var text: [UInt8] = []
        // As one piece: what an array outgrows is not wiped.
        text.reserveCapacity(pair.count * 4 / 3 + 16)
        defer { text.wipe() }
        text.append(contentsOf: "Basic ".utf8)
        Base64.standard.encode(pair.span, into: &text)
        return OutgoingRequest.Field("Authorization", SecretValue(copying: text.span))
    }
}
