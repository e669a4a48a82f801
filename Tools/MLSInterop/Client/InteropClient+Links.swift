import MildamMLS

/// Calls that make groups of others.
extension InteropClient {
    /// What a member needs once a ReInit was committed.
    func reInitialize(_ member: Member) throws -> [String: Any] {
        guard case .reInitialized(let reInit)? = member.group.ending else { throw InteropError.message("commit") }
        let bundle = try bundle(reInit.cipherSuite, member.identity)
        let number = number()
        reInitializations[number] = ReInitialization(old: member, bundle: bundle)
        return [
            "reinit_id": number, "key_package": base64(.keyPackage(bundle.keyPackage)),
            "epoch_authenticator": base64(member.group.epochAuthenticator),
        ]
    }

    private func reInitialization(_ request: Fields) throws -> ReInitialization {
        let number: UInt32 = try request.number("reinit_id")
        guard let found = reInitializations[number] else { throw InteropError.state(number) }
        return found
    }

    func reInitWelcome(_ request: Fields) throws -> [String: Any] {
        let one = try reInitialization(request)
        let linked = try LinkedGroup(
            reInitializing: one.old.group,
            with: one.bundle,
            request.list("key_package").map(keyPackage),
            sendsTree: !request.flag("external_tree"),
            forcesPath: request.flag("force_path"),
            environment: .trial(one.old.presharedKeys, grease)
        )
        return made(linked, one.old, request)
    }

    func handleReInitWelcome(_ request: Fields) throws -> [String: Any] {
        let one = try reInitialization(request)
        let group = try Group(
            joining: welcome(request),
            with: one.bundle,
            ratchetTree: ratchetTree(request),
            madeOf: one.old.group,
            environment: .trial(one.old.presharedKeys, grease),
            isKnown: { _ in false }
        )
        return joined(group, one.old.framing, one.old.identity)
    }

    func createBranch(_ request: Fields) throws -> [String: Any] {
        let member = try member(request)
        let bundle = try bundle(member.group.publicGroup.context.cipherSuite, member.identity)
        let linked = try LinkedGroup(
            branching: member.group,
            GroupID(request.bytes("group_id")),
            with: bundle,
            request.list("key_packages").map(keyPackage),
            extensions: extensions(request),
            sendsTree: !request.flag("external_tree"),
            forcesPath: request.flag("force_path"),
            environment: .trial(member.presharedKeys, grease)
        )
        return made(linked, member, request)
    }

    func handleBranch(_ request: Fields) throws -> [String: Any] {
        let (member, transaction) = try (member(request), transaction(request))
        let group = try Group(
            joining: welcome(request),
            with: transaction.bundle,
            ratchetTree: ratchetTree(request),
            madeOf: member.group,
            environment: .trial(transaction.presharedKeys, grease),
            isKnown: { _ in false }
        )
        return joined(group, member.framing, member.identity)
    }

    private func made(_ linked: LinkedGroup, _ member: Member, _ request: Fields) -> [String: Any] {
        var answer = joined(linked.group, member.framing, member.identity)
        if let welcome = linked.welcome { answer["welcome"] = base64(welcome) }
        if request.flag("external_tree") { answer["ratchet_tree"] = base64(linked.group.ratchetTree) }
        return answer
    }
}
