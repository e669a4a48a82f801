import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport

@testable import MildamRelay

/// Somebody with one device, who knows the relay's API.
struct Person: Sendable {
    var relay: TestRelay
    let handle: Handle
    let account: AccountID
    var keys: DeviceKeys
    let identity: Curve25519.Signing.PrivateKey
    var bundle: AccountBundle
    let authenticator: Data
    var tokens: SessionTokens

    /// Registers.
    init(_ name: String, on relay: TestRelay) async throws {
        let request = try Person.registration(name, relay: relay.server.relay)
        let answer = try await relay.ask(Routes.register.at(), request.body)
        self.init(request, tokens: try answer.value(), relay: relay)
    }

    /// Somebody whose registration was answered.
    init(_ request: PersonRequest, tokens: SessionTokens, relay: TestRelay) {
        self.relay = relay
        handle = request.body.handle
        account = request.account
        keys = request.keys
        identity = request.identity
        bundle = request.body.bundle
        authenticator = request.body.authenticator
        self.tokens = tokens
    }

    /// A registration with new keys.
    static func registration(
        _ name: String,
        relay: RelayID,
        account: AccountID = .random(),
        keys: DeviceKeys = DeviceKeys(),
        listNumber: UInt64 = 1
    ) throws -> PersonRequest {
        let handle = try Handle(name)
        let identity = Curve25519.Signing.PrivateKey()
        let device = keys.record(relay: relay, account: account, notAfter: 4_000_000_000)
        let bundle = AccountBundle(
            account: Signed(
                AccountRecord(relay: relay, account: account, handle: handle, identityKey: identity.publicKey),
                by: identity
            ),
            list: Signed(
                DeviceList(relay: relay, account: account, number: listNumber, records: [device]),
                by: identity
            ),
            devices: [Signed(device, by: identity)]
        )
        let body = RegisterRequest(
            handle: handle,
            authenticator: SecureRandom.data(count: 32),
            bundle: bundle,
            time: WallClock.system.seconds,
            signature: Data()
        )
        return PersonRequest(account: account, keys: keys, identity: identity, body: body).signed(for: relay)
    }

    var device: DeviceID { keys.device }
    var token: String { tokens.access }
    /// As the relay knows it.
    var sender: Sender { Sender(account: account, device: device, session: tokens.session, expires: 0) }

    func ask(_ method: HTTPMethod, _ target: String, body: [UInt8] = []) async throws -> HTTPResponse {
        try await relay.ask(method, target, token: token, body: body)
    }

    func ask<Body, Answer>(_ place: RouteTarget<Body, Answer>, _ body: some Encodable) async throws -> HTTPResponse {
        try await relay.ask(place, token: token, body)
    }

    // MARK: Login

    func loginRequest(
        time: Int64? = nil,
        keys other: DeviceKeys? = nil,
        authenticator: Data? = nil,
        otp: String? = nil,
        recoveryCode: String? = nil,
        as name: String? = nil,
        on device: DeviceID? = nil,
        boundTo key: Prover? = nil
    ) -> TokenRequest {
        let grant = LoginGrant(
            handle: name.flatMap { try? Handle($0) } ?? handle,
            authenticator: authenticator ?? self.authenticator,
            code: otp,
            recoveryCode: recoveryCode
        )
        var assertion = assertion(.login, [UInt8](grant.authenticator), time, other, key)
        if let device { assertion.device = device }
        return .login(grant, assertion)
    }

    func refreshRequest(
        _ refresh: Data,
        time: Int64? = nil,
        keys other: DeviceKeys? = nil,
        boundTo key: Prover? = nil
    ) -> TokenRequest {
        let token = RefreshToken(session: tokens.session, secret: [UInt8](refresh))
        return .refresh(token, assertion(.refresh, token.secret, time, other, key))
    }

    /// The device's signature over what it presents.
    private func assertion(
        _ purpose: SessionProof.Purpose,
        _ secret: [UInt8],
        _ time: Int64?,
        _ other: DeviceKeys?,
        _ key: Prover?
    ) -> DeviceAssertion {
        let time = time ?? (purpose == .login ? relay.loginTime : relay.now)
        let proof = SessionProof(
            purpose,
            relay: relay.server.relay,
            device: device,
            time: time,
            presenting: secret,
            boundTo: key?.thumbprint ?? ""
        )
        let signature = (other ?? keys).signing.signature(for: proof.signedBytes)
        return DeviceAssertion(device: device, time: time, signature: signature)
    }

    func refresh(_ refresh: Data) async throws -> HTTPResponse {
        try await relay.ask(refreshRequest(refresh))
    }

    // MARK: Rooms

    func state(of room: RoomID) async throws -> RoomState {
        try await ask(.get, Routes.room.at(room).path).value()
    }
}

/// A registration and the private keys behind it.
struct PersonRequest: Sendable {
    let account: AccountID
    let keys: DeviceKeys
    let identity: Curve25519.Signing.PrivateKey
    var body: RegisterRequest

    /// The request with the signature that its other fields need.
    func signed(
        for relay: RelayID,
        _ purpose: SessionProof.Purpose = .register,
        by other: DeviceKeys? = nil,
        boundTo key: Prover? = nil
    ) -> PersonRequest {
        let proof = SessionProof(
            purpose,
            relay: relay,
            device: keys.device,
            time: body.time,
            presenting: [UInt8](body.authenticator),
            boundTo: key?.thumbprint ?? ""
        )
        var signed = self
        signed.body.signature = (other ?? keys).signing.signature(for: proof.signedBytes)
        return signed
    }
}
