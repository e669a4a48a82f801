import Foundation
import MildamCrypto
import Testing

@Suite("Values printed in RFC 7748 and RFC 8032: Curve448")
struct Curve448ValueTests {
    @Test("RFC 7748, section 6.2") func x448() throws {
        let alice = try Curve448.KeyAgreement.PrivateKey(
            rawRepresentation: bytes(
                "9a8f4925d1519f5775cf46b04b5800d4ee9ee8bae8bc5565d498c28d"
                    + "d9c9baf574a9419744897391006382a6f127ab1d9ac2d8c0a598726b"
            )
        )
        let bob = try Curve448.KeyAgreement.PrivateKey(
            rawRepresentation: bytes(
                "1c306a7ac2a0e2e0990b294470cba339e6453772b075811d8fad0d1d"
                    + "6927c120bb5ee8972b0d3e21374c9c921b09d1b0366f10b65173992d"
            )
        )
        let points = try [
            bytes(
                "9b08f7cc31b7e3e67d22d5aea121074a273bd2b83de09c63faa73d2c"
                    + "22c5d9bbc836647241d953d40c5b12da88120d53177f80e532c41fa0"
            ),
            bytes(
                "3eb7a829b0cd20f5bcfc0b599b6feccf6da4627107bdb0d4f345b430"
                    + "27d8b972fc3e34fb4232a13ca706dcb57aec3dae07bdc1c67bf33609"
            ),
        ]
        #expect([alice, bob].map { Array($0.publicKey.rawRepresentation) } == points)
        let expected = try bytes(
            "07fff4181ac6cc95ec1c16a94a0f74d12da232ce40a77552281d282b"
                + "b60c0b56fd2464c335543936521c24403085d59a449a5037514a879d"
        )
        let secret = try alice.sharedSecretFromKeyAgreement(with: bob.publicKey)
        #expect(constantTimeEquals(secret, expected))
        #expect(try secret == bob.sharedSecretFromKeyAgreement(with: alice.publicKey))
    }

    @Test("RFC 7748, section 5.2: a thousand turns") func iterated() throws {
        var (scalar, coordinate) = (Data([5] + Data(count: 55)), Data([5] + Data(count: 55)))
        var results: [Int: Data] = [:]
        for turn in 1...1000 {
            let own = try Curve448.KeyAgreement.PrivateKey(rawRepresentation: scalar)
            let other = try Curve448.KeyAgreement.PublicKey(rawRepresentation: coordinate)
            coordinate = scalar
            scalar = try unsafe own.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { unsafe Data($0) }
            results[turn] = scalar
        }
        #expect(
            try results[1]
                == Data(
                    bytes(
                        "3f482c8a9f19b01e6c46ee9711d9dc14fd4bf67af30765c2ae2b846a"
                            + "4d23a8cd0db897086239492caf350b51f833868b9bc2b3bca9cf4113"
                    )
                )
        )
        #expect(
            try results[1000]
                == Data(
                    bytes(
                        "aa3b4749d55b9daf1e5b00288826c467274ce3ebbdd5c17b975e09d4"
                            + "af6c67cf10d087202db88286e2b79fceea3ec353ef54faa26e219f38"
                    )
                )
        )
    }

    /// Secret key, public key, message and signature.
    static let signatures = [
        [
            "6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3"
                + "528c8a3fcc2f044e39a3fc5b94492f8f032e7549a20098f95b",
            "5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778"
                + "edf124769b46c7061bd6783df1e50f6cd1fa1abeafe8256180",
            "",
            "533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f"
                + "2b233f034f628281f2fd7a22ddd47d7828c59bd0a21bfd3980ff0d2028d4b18a"
                + "9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4db"
                + "b61149f05a7363268c71d95808ff2e652600",
        ],
        [
            "c4eab05d357007c632f3dbb48489924d552b08fe0c353a0d4a1f00acda2c463a"
                + "fbea67c5e8d2877c5e3bc397a659949ef8021e954e0a12274e",
            "43ba28f430cdff456ae531545f7ecd0ac834a55d9358c0372bfa0c6c6798c086"
                + "6aea01eb00742802b8438ea4cb82169c235160627b4c3a9480",
            "03",
            "26b8f91727bd62897af15e41eb43c377efb9c610d48f2335cb0bd0087810f435"
                + "2541b143c4b981b7e18f62de8ccdf633fc1bf037ab7cd779805e0dbcc0aae1cb"
                + "cee1afb2e027df36bc04dcecbf154336c19f0af7e0a6472905e799f1953d2a0f"
                + "f3348ab21aa4adafd1d234441cf807c03a00",
        ],
    ]

    @Test("RFC 8032, section 7.4", arguments: signatures) func ed448(values: [String]) throws {
        let values = try values.map { try bytes($0) }
        let key = try Curve448.Signing.PrivateKey(rawRepresentation: values[0])
        #expect(Array(key.publicKey.rawRepresentation) == values[1])
        #expect(Array(key.signature(for: values[2])) == values[3])
        let publicKey = try Curve448.Signing.PublicKey(rawRepresentation: values[1])
        #expect(publicKey == key.publicKey && publicKey.isValidSignature(values[3], for: values[2]))
    }
}
