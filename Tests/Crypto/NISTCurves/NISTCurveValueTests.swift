import Foundation
import MildamCrypto
import Testing

/// Values printed in the standards.
@Suite("RFC 5903, section 8, and RFC 6979, appendix A.2")
struct NISTCurveValueTests {
    /// Two private keys, their public keys, and what they agree on: the names are the RFC's.
    private struct Agreement {
        let i, gix, giy, r, grx, gry, girx: String

        func check<Curve: NISTCurve>(_: Curve.Type) throws {
            let initiator = try ECDH<Curve>.PrivateKey(rawRepresentation: bytes(i))
            let responder = try ECDH<Curve>.PrivateKey(rawRepresentation: bytes(r))
            #expect(try initiator.publicKey.rawRepresentation == Data(bytes(gix + giy)))
            #expect(try responder.publicKey.rawRepresentation == Data(bytes(grx + gry)))
            let secret = try initiator.sharedSecretFromKeyAgreement(with: responder.publicKey)
            #expect(try constantTimeEquals(secret, bytes(girx)))
            #expect(try secret == responder.sharedSecretFromKeyAgreement(with: initiator.publicKey))
        }
    }

    @Test("RFC 5903, section 8.2") func agreementOnP384() throws {
        try Agreement(
            i: "099f3c7034d4a2c699884d73a375a67f7624ef7c6b3c0f160647b67414dce655e35b538041e649ee3faef896783ab194",
            gix: "667842d7d180ac2cde6f74f37551f55755c7645c20ef73e31634fe72b4c55ee6de3ac808acb4bdb4c88732aee95f41aa",
            giy: "9482ed1fc0eeb9cafc4984625ccfc23f65032149e0e144ada024181535a0f38eeb9fcff3c2c947dae69b4c634573a81c",
            r: "41cb0779b4bdb85d47846725fbec3c9430fab46cc8dc5060855cc9bda0aa2942e0308312916b8ed2960e4bd55a7448fc",
            grx: "e558dbef53eecde3d3fccfc1aea08a89a987475d12fd950d83cfa41732bc509d0d1ac43a0336def96fda41d0774a3571",
            gry: "dcfbec7aacf3196472169e838430367f66eebe3c6e70c416dd5f0c68759dd1fff83fa40142209dff5eaad96db9e6386c",
            girx: "11187331c279962d93d604243fd592cb9d0a926f422e47187521287e7156c5c4d603135569b9e9d09cf5d4a270f59746"
        ).check(P384.self)
    }

    @Test("RFC 5903, section 8.3") func agreementOnP521() throws {
        try Agreement(
            i: "0037ade9319a89f4dabdb3ef411aaccca5123c61acab57b5393dce47608172a095aa"
                + "85a30fe1c2952c6771d937ba9777f5957b2639bab072462f68c27a57382d4a52",
            gix: "0015417e84dbf28c0ad3c278713349dc7df153c897a1891bd98bab4357c9ecbee1e3"
                + "bf42e00b8e380aeae57c2d107564941885942af5a7f4601723c4195d176ced3e",
            giy: "017cae20b6641d2eeb695786d8c946146239d099e18e1d5a514c739d7cb4a10ad8a7"
                + "88015ac405d7799dc75e7b7d5b6cf2261a6a7f1507438bf01beb6ca3926f9582",
            r: "0145ba99a847af43793fdd0e872e7cdfa16be30fdc780f97bccc3f078380201e9c67"
                + "7d600b343757a3bdbf2a3163e4c2f869cca7458aa4a4effc311f5cb151685eb9",
            grx: "00d0b3975ac4b799f5bea16d5e13e9af971d5e9b984c9f39728b5e5739735a219b97"
                + "c356436adc6e95bb0352f6be64a6c2912d4ef2d0433ced2b6171640012d9460f",
            gry: "015c68226383956e3bd066e797b623c27ce0eac2f551a10c2c724d9852077b87220b"
                + "6536c5c408a1d2aebb8e86d678ae49cb57091f4732296579ab44fcd17f0fc56a",
            girx: "01144c7d79ae6956bc8edb8e7c787c4521cb086fa64407f97894e5e6b2d79b04d142"
                + "7e73ca4baa240a34786859810c06b3c715a3a8cc3151f2bee417996d19f3ddea"
        ).check(P521.self)
    }

    /// A private key, its public key, and its signature of "sample" with the curve's own hash.
    private struct Signature {
        let x, ux, uy, r, s: String

        func check<Curve: NISTCurve>(_: Curve.Type) throws {
            let key = try ECDSA<Curve>.PrivateKey(rawRepresentation: bytes(x))
            #expect(try key.publicKey.rawRepresentation == Data(bytes(ux + uy)))
            let signature = try ECDSA<Curve>.ECDSASignature(rawRepresentation: bytes(r + s))
            #expect(key.publicKey.isValidSignature(signature, for: Data("sample".utf8)))
            #expect(!key.publicKey.isValidSignature(signature, for: Data("simple".utf8)))
        }
    }

    @Test("RFC 6979, appendix A.2.6") func signatureOnP384() throws {
        try Signature(
            x: "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
            ux: "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13",
            uy: "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720",
            r: "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46",
            s: "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8"
        ).check(P384.self)
    }

    @Test("RFC 6979, appendix A.2.7") func signatureOnP521() throws {
        try Signature(
            x: "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa8"
                + "96eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538",
            ux: "01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd3711"
                + "23d46e45db6b5d5370a7f20fb633155d38ffa16d2bd761dcac474b9a2f5023a4",
            uy: "00493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f746a28a0"
                + "db25741b5b34a828008b22acc23f924faafbd4d33f81ea66956dfeaa2bfdfcf5",
            r: "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e"
                + "25a1ee9017b5d450606add152b534931d7d4e8455cc91f9b15bf05ec36e377fa",
            s: "00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b68af2826"
                + "23eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a"
        ).check(P521.self)
    }
}
