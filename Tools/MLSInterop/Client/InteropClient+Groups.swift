import MildamCrypto
import MildamMLS
import MildamWire

/// Calls that make groups, join them, and use them.
extension InteropClient {
    func createGroup(_ request: Fields) throws -> [String: Any] {
        let identity = try request.bytes("identity")
        let bundle = try bundle(suite(request), identity)
        let group = try Group(
            creating: GroupID(request.bytes("group_id")),
            with: bundle,
            environment: .trial([:], grease)
        )
        return ["state_id": keep(Member(group: group, framing: framing(request), identity: identity))]
    }

    func createKeyPackage(_ request: Fields) throws -> [String: Any] {
        let identity = try request.bytes("identity")
        let bundle = try bundle(suite(request), identity)
        return opened(bundle, identity) {
            $0["key_package"] = base64(.keyPackage(bundle.keyPackage))
        }
    }

    /// A transaction of a key package, whose private keys the bridge gets to see.
    private func opened(
        _ bundle: KeyPackageBundle,
        _ identity: [UInt8],
        _ add: (inout [String: Any]) -> Void
    ) -> [String: Any] {
        let number = number()
        transactions[number] = Transaction(bundle: bundle, identity: identity)
        let exposed = bundle.exposedPrivateKeys
        var answer: [String: Any] = [
            "transaction_id": number, "init_priv": base64(exposed.initKey),
            "encryption_priv": base64(exposed.encryptionKey), "signature_priv": base64(exposed.signatureKey),
        ]
        add(&answer)
        return answer
    }

    func joinGroup(_ request: Fields) throws -> [String: Any] {
        let transaction = try transaction(request)
        let group = try Group(
            joining: welcome(request),
            with: transaction.bundle,
            ratchetTree: ratchetTree(request),
            environment: .trial(transaction.presharedKeys, grease),
            isKnown: { _ in false }
        )
        return joined(group, framing(request), transaction.identity)
    }

    func joined(_ group: Group, _ framing: Group.Framing, _ identity: [UInt8]) -> [String: Any] {
        [
            "state_id": keep(Member(group: group, framing: framing, identity: identity)),
            "epoch_authenticator": base64(group.epochAuthenticator),
        ]
    }

    func externalJoin(_ request: Fields) throws -> [String: Any] {
        let (info, identity) = try (info(request), request.bytes("identity"))
        let environment = GroupEnvironment.trial(
            try request.objects("psks").reduce(into: [:]) {
                $0[try $1.bytes("psk_id")] = SymmetricKey(data: try $1.bytes("psk_secret"))
            },
            grease
        )
        let group = try PublicGroup(info, ratchetTree: ratchetTree(request), environment: environment)
        let old = group.members.first { $0.leaf.credential == .basic(identity: identity) }
        let bundle = try bundle(group.context.cipherSuite, identity)
        let join = try ExternalJoin(
            info,
            ratchetTree: ratchetTree(request),
            with: bundle,
            replacing: request.flag("remove_prior") ? old?.index : nil,
            presharedKeys: request.objects("psks").map {
                group.presharedKeyID(.external(id: try $0.bytes("psk_id")))
            },
            environment: environment
        )
        var answer = joined(join.group, framing(request), identity)
        answer["commit"] = base64(join.commit)
        return answer
    }

    func groupInfo(_ request: Fields) throws -> [String: Any] {
        let group = try member(request).group
        let isApart = request.flag("external_tree")
        var answer: [String: Any] = ["group_info": base64(.groupInfo(try group.groupInfo(sendsTree: !isApart)))]
        if isApart { answer["ratchet_tree"] = base64(group.ratchetTree) }
        return answer
    }

    func export(_ request: Fields) throws -> [String: Any] {
        let secret = try member(request).group.export(
            label: request.text("label"),
            context: request.bytes("context"),
            outputByteCount: request.number("key_length")
        )
        return ["exported_secret": base64(secret.exposed)]
    }

    func protect(_ request: Fields) throws -> [String: Any] {
        var member = try member(request)
        let message = try member.group.protect(
            request.bytes("plaintext"),
            authenticatedData: request.bytes("authenticated_data")
        )
        members[try request.number("state_id")] = member
        return ["ciphertext": base64(message)]
    }

    func unprotect(_ request: Fields) throws -> [String: Any] {
        var member = try member(request)
        let message = try MLSMessage(wireBytes: request.bytes("ciphertext"))
        guard case .application(let heard) = try member.group.process(message) else {
            throw InteropError.message("ciphertext")
        }
        members[try request.number("state_id")] = member
        return ["authenticated_data": base64(heard.authenticatedData), "plaintext": base64(heard.data)]
    }

    func newMemberAddProposal(_ request: Fields) throws -> [String: Any] {
        let (info, identity) = try (info(request), request.bytes("identity"))
        let bundle = try bundle(info.groupContext.cipherSuite, identity)
        let message = try ExternalProposal.addition(
            of: bundle,
            to: info.groupContext.groupID,
            epoch: info.groupContext.epoch
        )
        return opened(bundle, identity) { $0["proposal"] = base64(message) }
    }
}
