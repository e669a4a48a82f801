import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RouteHandler {
    /// Who the relay is, and the accounts that it has.
    static let accounts = [
        RouteHandler(Routes.relay) { $0.describe($1.reply) },
        RouteHandler(Routes.document) { $0.document($1.reply) },
        RouteHandler(Routes.login, .login) { $0.loginParameters($1.names, $1.reply) },
        RouteHandler(Routes.register, .registration) { $0.register($1) },
        RouteHandler(Routes.account, .lookup) { $0.account($1.names, $1.sender, $1.reply) },
        RouteHandler(Routes.bundles, .reading) { service, call throws(APIError) in try service.bundles(call) },
        RouteHandler(Routes.renewDevice, .change) { service, call throws(APIError) in try service.renewDevice(call) },
    ]
}

extension RelayService {
    /// `GET /v1/relay`.
    func describe(_ reply: Answer) {
        let description = RelayDescription(
            relay: parts.secrets.relay,
            version: RelayServer.version,
            registration: parts.registration.mode
        )
        reply.send(.json(description))
    }

    /// `GET /v1/openapi.json`.
    func document(_ reply: Answer) {
        reply.send(.json(bytes: OpenAPIDocument.bytes))
    }

    /// `GET /v1/login/HANDLE`: the same work and kind of answer whether the handle exists or not; the store is not asked.
    func loginParameters(_ handle: Handle, _ reply: Answer) {
        reply.send(
            .json(
                LoginParameters(
                    relay: parts.secrets.relay,
                    salt: Data(parts.secrets.salt(for: handle)),
                    memory: 65_536,
                    passes: 3
                )
            )
        )
    }

    /// `GET /v1/accounts/HANDLE`, for those who have an account themselves.
    func account(_ handle: Handle, _ sender: Sender, _ reply: Answer) {
        parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
            guard let bundle = try reader.bundle(of: handle) else {
                return .failure(APIError(.unknownAccount, "there is no such account"))
            }
            return .success(.json(bytes: bundle))
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `POST /v1/bundles`. Each account counts as if it were asked for alone.
    func bundles(_ call: Call<Sender, NoNames, Void, AccountQuery>) throws(APIError) {
        let (sender, turn, reply) = (call.sender, call.turn, call.reply)
        try withBody(of: call, for: turn) { [parts] body throws(APIError) in
            let accounts = body.accounts
            guard (1...Limits.queriedAccounts).contains(accounts.count), Set(accounts).count == accounts.count else {
                throw APIError(.badRequest, "accounts are not 1 to \(Limits.queriedAccounts), each once")
            }
            if accounts.count > 1 { try parts.gate.admit(.reading, .account(sender.account), cost: accounts.count - 1) }
            parts.reads.perform(for: turn) { reader throws(StorageError) in
                .success(.json(bytes: PageText.of(try reader.records(of: accounts))))
            } then: {
                reply.send(HTTPResponse($0))
            }
        }
    }

    /// `POST /v1/accounts`.
    func register(_ call: Call<Void, NoNames, Void, RegisterRequest>) {
        let turn = turn(of: call.request, call.reply)
        withKey(of: call.request, for: turn) { [self] shown in
            do throws(APIError) {
                try register(call, boundTo: try shown.get(), turn)
            } catch {
                call.reply.send(response(to: error))
            }
        }
    }

    private func register(
        _ call: Call<Void, NoNames, Void, RegisterRequest>,
        boundTo thumbprint: String?,
        _ turn: Turn
    ) throws(APIError) {
        let (length, reply) = (call.request.body.count, call.reply)
        let network = parts.secrets.network(of: parts.gate.address(of: call.request))
        try withBody(of: call, for: turn) { [parts] body throws(APIError) in
            guard body.authenticator.count == SaltedVerifier.authenticatorSize else {
                throw APIError(.badRequest, "authenticator is not 32 bytes")
            }
            guard body.signature.count == 64 else { throw APIError(.badRequest, "signature is not 64 bytes") }
            let invitation = try parts.registration.invitation(of: body)
            parts.checks.perform(for: turn, weight: length) {
                Result { () throws(APIError) in
                    try Registration(
                        verifying: body,
                        boundTo: thumbprint ?? "",
                        relay: parts.secrets.relay,
                        at: parts.clock.seconds
                    )
                }
            } then: { (result: Result<Registration, APIError>) in
                switch result {
                case .success(let registration):
                    // Whoever was invited counts for no network.
                    Self.store(
                        registration,
                        by: invitation,
                        boundTo: thumbprint,
                        from: invitation == nil ? network : nil,
                        parts,
                        turn,
                        reply
                    )
                case .failure(let error): reply.send(.error(error))
                }
            }
        }
    }

    /// `PUT /v1/accounts/HANDLE/devices`.
    func renewDevice(_ call: Call<Sender, Handle, Void, RenewDeviceRequest>) throws(APIError) {
        let (handle, sender, turn, reply) = (call.names, call.sender, call.turn, call.reply)
        let length = call.request.body.count
        let address = sender.address
        try withBody(of: call, for: turn) { [parts] body throws(APIError) in
            guard body.signature.count == 64, body.earlierSignature.count == 64 else {
                throw APIError(.badRequest, "a signature is not 64 bytes")
            }
            parts.check(for: turn, weight: length) { reader throws(StorageError) in
                guard let stored = try reader.bundle(of: address.account) else {
                    return .failure(APIError(.unknownAccount, "there is no such account"))
                }
                return .success(stored)
            } _: { (stored: [UInt8]) in
                Result { () throws(APIError) in
                    try DeviceRenewal(
                        verifying: body,
                        by: address,
                        of: handle,
                        against: stored,
                        relay: parts.secrets.relay,
                        at: parts.clock.seconds
                    )
                }
            } then: { (result: Result<DeviceRenewal, APIError>) in
                switch result {
                case .success(let renewal): Self.store(renewal, parts, turn, reply)
                case .failure(let error): reply.send(.error(error))
                }
            }
        }
    }

    private static func store(_ renewal: DeviceRenewal, _ parts: RelayParts, _ turn: Turn, _ reply: Answer) {
        parts.commits.perform(RenewDevice(renewal: renewal), for: turn) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }

    private static func store(
        _ registration: Registration,
        by invitation: [UInt8]?,
        boundTo thumbprint: String?,
        from network: NetworkID?,
        _ parts: RelayParts,
        _ turn: Turn,
        _ reply: Answer
    ) {
        let refresh = SecureRandom.bytes(count: 32)
        let family = RefreshFamily(session: .random(), first: refresh, at: parts.clock.seconds)
        let address = MailboxAddress(account: registration.account, device: registration.device.device)
        let operation = Register(
            registration: registration,
            family: family,
            thumbprint: thumbprint,
            tombstone: parts.secrets.tombstone(of: registration.handle),
            network: network,
            invitation: invitation
        )
        parts.commits.perform(operation, for: turn) { result in
            let tokens = result.flatMap {
                parts.tokens.issue(for: address, session: family.session, refresh: refresh, boundTo: thumbprint)
            }
            reply.send(HTTPResponse(tokens.map { .json($0, status: 201) }))
        }
    }
}

extension Registration {
    /// Checks everything in the request that can be checked without the store.
    ///
    /// - Parameter thumbprint: of the key that the first session is to be bound to; empty for none.
    /// - Throws: `bad_identity`; `wrong_credentials` when it is not the bundle's own device that asks, now.
    init(
        verifying request: RegisterRequest,
        boundTo thumbprint: String,
        relay: RelayID,
        at now: Int64
    ) throws(APIError) {
        // Before any signature is looked at: each costs the same, whether it is one or a thousand times the same.
        guard request.bundle.devices.count == 1, request.bundle.earlier.isEmpty else {
            throw APIError(.badIdentity, "a new account has one device")
        }
        let account: VerifiedAccount
        do {
            account = try request.bundle.verified(for: request.handle, on: relay, pin: nil, at: now)
        } catch {
            throw APIError(.badIdentity, "\(error)")
        }
        guard account.list.number == 1, account.devices.count == 1, let device = account.devices.values.first else {
            throw APIError(.badIdentity, "a new account has device list 1, with one device")
        }
        try LoginCheck.check(request, by: device, boundTo: thumbprint, relay: relay, at: now)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bundle = try? encoder.encode(request.bundle) else {
            throw APIError(.badIdentity, "the bundle cannot be kept")
        }
        self.init(
            handle: request.handle,
            account: account.record.account,
            device: device,
            bundle: [UInt8](bundle),
            authenticator: request.authenticator,
            verifier: SaltedVerifier(of: request.authenticator)
        )
    }
}
