import MildamCrypto
import MildamJOSE
import MildamWire

extension FuzzTarget {
    /// Proofs of possession. The first byte says what is done: a proof as it comes, or any claims under a good signature.
    static let dpopProof = FuzzTarget(
        name: "dpop-proof",
        source: .network,
        seeds: {
            [
                [0] + Array(genuine.utf8),
                [1]
                    + Array(
                        #"{"ath":"a","htm":"GET","htu":"https://r.example/v1","iat":200,"jti":"j","nonce":"n"}"#.utf8
                    ),
                [1] + Array(#"{"htm":"GET","htu":"https://r.example/v1","iat":200,"jti":"j"}"#.utf8),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            guard first != 0 else {
                guard let proof = try? DPoPProof(verifying: rest.span) else { return }
                planted(true)
                guard proof.key.publicKey == key.publicKey else { return }
                mustHold(rest.starts(with: Array((signedPart + ".").utf8)), "only what was signed is believed")
                return
            }
            let header = #"{"alg":"ES256","jwk":\#(JSONWebKey(key.publicKey).json),"typ":"dpop+jwt"}"#
            let signed = Base64.url.encode(Array(header.utf8)) + "." + Base64.url.encode(rest)
            let text = signed + "." + Base64.url.encode(sign(signed).rawRepresentation)
            guard let proof = try? DPoPProof(verifying: Array(text.utf8).span) else { return }
            let nonces = DPoPNonces(key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
            let request = DPoPProof.Request(method: "GET", path: "/v1", origins: .these(["https://r.example"]))
            guard (try? proof.check(request, at: 200, nonces: nonces)) != nil else { return }
            mustHold((1...256).contains(proof.identifier.utf8.count), "what is remembered of a proof is short")
        }
    )

    private static let key = must { () throws(CryptoKitError) in
        try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32))
    }

    private static let draft = must { () throws(JOSEError) in
        try DPoPDraft(
            method: "GET",
            url: "https://r.example/v1",
            identifier: "j",
            at: 200,
            key: JSONWebKey(key.publicKey)
        )
    }

    private static let signedPart = draft.signingInput
    private static let genuine = draft.signed(sign(signedPart))

    private static func sign(_ input: String) -> P256.Signing.ECDSASignature {
        must { () throws(CryptoKitError) in try key.signature(for: Array(input.utf8)) }
    }
}
