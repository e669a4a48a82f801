import FoundationEssentials
import MildamIdentity
import MildamWire

/// The body of `POST /v1/token`, a form (RFC 6749, section 3.2). The request also carries a proof of possession (RFC 9449),
/// of the key that the session is bound to.
public enum TokenRequest: Sendable, Equatable {
    /// Begins a session.
    case login(LoginGrant, DeviceAssertion)
    /// Goes on with a session (RFC 6749, section 6).
    case refresh(RefreshToken, DeviceAssertion)

    /// The names of the fields.
    private enum Field {
        static let grantType = "grant_type"
        static let handle = "handle"
        static let authenticator = "authenticator"
        static let code = "code"
        static let recoveryCode = "recovery_code"
        static let refreshToken = "refresh_token"
        static let assertionType = "client_assertion_type"
        static let assertion = "client_assertion"
    }

    /// The `grant_type` of a refresh.
    public static let refreshGrantType = "refresh_token"

    /// The form.
    public var form: FormFields {
        switch self {
        case .login(let grant, let assertion):
            var form = FormFields([
                (Field.grantType, LoginGrant.type), (Field.handle, grant.handle.text),
                (Field.authenticator, Base64.url.encode(grant.authenticator)),
            ])
            form[Field.code] = grant.code
            form[Field.recoveryCode] = grant.recoveryCode
            return Self.with(assertion, form)
        case .refresh(let token, let assertion):
            return Self.with(
                assertion,
                FormFields([(Field.grantType, Self.refreshGrantType), (Field.refreshToken, token.text)])
            )
        }
    }

    private static func with(_ assertion: DeviceAssertion, _ form: FormFields) -> FormFields {
        var form = form
        form[Field.assertionType] = DeviceAssertion.type
        form[Field.assertion] = assertion.text
        return form
    }

    /// Reads a form. Fields that are not known are passed over (RFC 6749, section 3.2).
    ///
    /// - Throws: `bad_request`; `unsupported_grant_type`; `session_ended` for what is no refresh token of a relay's.
    public init(_ form: FormFields) throws(APIError) {
        // Byte by byte: whoever sends it may be nobody, and to compare long texts as Unicode has it takes long.
        guard let type = form[Field.grantType]?.utf8 else { throw APIError(.badRequest, "grant_type is missing") }
        if type.elementsEqual(LoginGrant.type.utf8) {
            guard let handle = form[Field.handle].flatMap({ try? Handle($0) }),
                let authenticator = form[Field.authenticator].flatMap({ try? Base64.url.decode($0) }),
                authenticator.count == LoginGrant.authenticatorSize
            else { throw APIError(.badRequest, "handle or authenticator is missing, or is none") }
            let grant = LoginGrant(
                handle: handle,
                authenticator: Data(authenticator),
                code: form[Field.code],
                recoveryCode: form[Field.recoveryCode]
            )
            self = .login(grant, try Self.assertion(form))
        } else if type.elementsEqual(Self.refreshGrantType.utf8) {
            guard let token = form[Field.refreshToken] else {
                throw APIError(.badRequest, "refresh_token is missing")
            }
            // What is no token of ours is answered like one that has run out.
            guard let token = try? RefreshToken(text: token) else {
                throw APIError(.sessionEnded, "the session has ended; log in again")
            }
            self = .refresh(token, try Self.assertion(form))
        } else {
            throw APIError(.unsupportedGrant, "this relay knows a login and refresh_token")
        }
    }

    private static func assertion(_ form: FormFields) throws(APIError) -> DeviceAssertion {
        guard form[Field.assertionType]?.utf8.elementsEqual(DeviceAssertion.type.utf8) == true,
            let assertion = form[Field.assertion].flatMap({ try? DeviceAssertion(text: $0) })
        else { throw APIError(.badRequest, "the device's assertion is missing, or is none") }
        return assertion
    }
}

/// What somebody shows who logs in.
public struct LoginGrant: Sendable, Equatable {
    /// The `grant_type`: an extension grant (RFC 6749, section 4.5). A password never reaches the relay.
    public static let type = "urn:mildam:params:oauth:grant-type:login"
    /// How many bytes an authenticator has.
    public static let authenticatorSize = 32

    /// The handle.
    public var handle: Handle
    /// The authenticator, 32 bytes.
    public var authenticator: Data
    /// The code of the second factor.
    public var code: String?
    /// A recovery code, in the second factor's place.
    public var recoveryCode: String?

    /// Makes a grant.
    public init(handle: Handle, authenticator: Data, code: String? = nil, recoveryCode: String? = nil) {
        self.handle = handle
        self.authenticator = authenticator
        self.code = code
        self.recoveryCode = recoveryCode
    }
}

extension LoginGrant: CustomStringConvertible, CustomReflectable {
    /// The handle alone.
    public var description: String { "LoginGrant(\(handle))" }

    /// The handle alone.
    public var customMirror: Mirror { Mirror(self, children: ["handle": handle]) }
}
