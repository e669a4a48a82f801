import MildamCrypto
import MildamEnclave
import MildamTerminal

let enclaveTest = ActionCommand(
    ["enclave", "test"],
    summary: "Use a key, and see in software that what it gave is right.",
    discussion: """
        Without NAME, fresh keys agree on a secret and sign, and are forgotten. With NAME, that key does what it is for.
        """,
    operands: [Operand("NAME", help: "The key.", arity: .optional)],
    options: [softwareOption, addressOption, enclaveGroupOption] + SecretOption.pin.options + KeychainOpening.all,
    examples: [.init("mildam enclave test", "Says how long each took.")],
    exitNotes: [.init(.damaged, "what the enclave gave is wrong")]
) { action in
    let answer: TrialAnswer
    if let name = action.invocation.optionalOperand("NAME") {
        guard !action.invocation.flag("software") else {
            throw action.wrong("--software", "left out: a key says itself where it is")
        }
        answer = try await action.trial(ofKept: name)
    } else {
        guard !action.isGiven(.pin) else {
            throw action.wrong(
                action.invocation.written(.pin),
                "together with NAME: fresh keys have a PIN of their own"
            )
        }
        answer = try await action.trialOfFreshKeys()
    }
    return try action.report.answer(answer) { answer.text }
}

extension Action {
    fileprivate func trial(ofKept name: String) async throws -> TrialAnswer {
        let blob = try await enclaveKeys().find(name, group: invocation.value("group")).blob()
        let trial = try await EnclaveTrial(of: blob, in: try enclave(of: blob), pin: try pin(of: blob, name))
        return TrialAnswer(enclave: blob.kind.answer, steps: [.init(trial)])
    }

    fileprivate func trialOfFreshKeys() async throws -> TrialAnswer {
        let choice = try await chosenEnclave()
        if let missing = choice.missingTPM {
            console.complain(shown("mildam: \(missing); software is tested"))
        }
        // Software makes no key without a passphrase. This one is used here and nowhere else.
        let pin = choice.status.kind == .software ? try EnclavePIN(SecretBytes.random(count: 32)) : nil
        var steps: [TrialAnswer.Step] = []
        for purpose in [EnclaveKeyPurpose.keyAgreement, .signing] {
            let clock = ContinuousClock()
            let start = clock.now
            let blob = try await choice.enclave.makeKey(purpose, options: EnclaveKeyOptions(pin: pin))
            steps.append(.init("key for \(purpose.answer)", "made", clock.now - start))
            steps.append(.init(try await EnclaveTrial(of: blob, in: choice.enclave, pin: pin)))
        }
        return TrialAnswer(enclave: choice.status.kind.answer, steps: steps)
    }
}

/// What was done, and how long it took.
private struct TrialAnswer: Encodable {
    struct Step: Encodable {
        var step: String
        var outcome: String
        var milliseconds: Double

        init(_ step: String, _ outcome: String, _ duration: Duration) {
            self.step = step
            self.outcome = outcome
            milliseconds = (duration / .microseconds(10)).rounded() / 100
        }

        init(_ trial: EnclaveTrial) { self.init(trial.purpose.answer, "right", trial.duration) }
    }

    var enclave: String
    var steps: [Step]

    var text: String {
        (["enclave: \(enclave)"] + steps.map { "\($0.step): \($0.outcome), in \($0.milliseconds) ms" }).joined(
            separator: "\n"
        )
    }
}
