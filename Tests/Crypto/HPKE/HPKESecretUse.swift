import Foundation
import TestSupport
import Testing

@testable import MildamCrypto

/// Ways in which HPKE uses secrets, and what it must leave nothing of.
enum HPKESecretUse {
    private static let info = Array("a protocol".utf8)

    /// What stays is public; nothing of a secret may stay with it.
    nonisolated(unsafe) private static var kept: [any Sendable] = []

    /// One message and one export: the private keys, the secret that they were derived from, everything that the key
    /// schedule gives, and the message.
    static func single(_ kem: HPKE.KEM) throws -> [MaskedSecret] {
        let ciphersuite = HPKE.Ciphersuite(kem: kem, kdf: .HKDF_SHA512, aead: .AES_GCM_256)
        let input = SymmetricKey(size: .bits256)
        let recipient = try HPKE.PrivateKey(deriving: input, kem: kem)
        let message = SecretBytes.random(count: 32)
        let psk = SymmetricKey(size: .bits256)
        let presharedKey = try HPKE.PresharedKey(psk, identifier: info)
        let box = try HPKE.seal(
            message.span,
            to: recipient.publicKey,
            ciphersuite: ciphersuite,
            info: info.span,
            presharedKey: presharedKey
        )
        let opened = try HPKE.open(
            box.ciphertext.span,
            encapsulatedKey: box.encapsulatedKey.span,
            with: recipient,
            ciphersuite: ciphersuite,
            info: info.span,
            presharedKey: presharedKey
        )
        let isSame = opened.constantTimeEquals(message)
        #expect(isSame)
        unsafe kept.append(box)
        unsafe kept.append(recipient.publicKey)
        let enc = box.encapsulatedKey
        let exported = try HPKE.receiveExport(
            enc.span,
            with: recipient,
            ciphersuite: ciphersuite,
            info: info.span,
            context: info.span,
            outputByteCount: 64
        )
        let shared = try HPKE.DHKEM.decapsulate(enc.span, by: recipient, authenticatedBy: nil)
        let schedule = try HPKE.KeySchedule(from: enc.span, recipient, ciphersuite, info.span, nil, presharedKey)
        let keys = schedule.messageKeys(.aes256GCM)
        let exporter = schedule.exporterSecret()
        var masked = unsafe [
            input.withUnsafeBytes { unsafe MaskedSecret($0) },
            recipient.withUnsafeBytes { unsafe MaskedSecret($0) },
            psk.withUnsafeBytes { unsafe MaskedSecret($0) },
        ]
        masked.append(Self.masked(message))
        masked.append(Self.masked(exported))
        masked.append(Self.masked(shared))
        masked.append(Self.masked(schedule.secret))
        masked.append(Self.masked(keys.keyAndNonce))
        masked.append(Self.masked(exporter))
        return masked
    }

    /// A sequence of messages, one of which is refused.
    static func sequence() throws -> [MaskedSecret] {
        let ciphersuite = HPKE.Ciphersuite.P384_SHA384_AES_GCM_256
        let (key, own) = (P384.KeyAgreement.PrivateKey(), P384.KeyAgreement.PrivateKey())
        var sender = try HPKE.Sender(
            recipientKey: key.publicKey,
            ciphersuite: ciphersuite,
            info: Data(info),
            authenticatedBy: own
        )
        var recipient = try HPKE.Recipient(
            privateKey: key,
            ciphersuite: ciphersuite,
            info: Data(info),
            encapsulatedKey: sender.encapsulatedKey,
            authenticatedBy: own.publicKey
        )
        let secret = SymmetricKey(size: .bits256)
        let sealed = try unsafe secret.withUnsafeBytes { secret in try unsafe sender.seal(secret) }
        do throws(HPKE.Errors) {
            _ = try recipient.open(sealed, authenticating: info)
            Issue.record("opened")
        } catch { #expect(error == .authenticationFailure) }
        let enc = Array(sender.encapsulatedKey)
        let schedule = try HPKE.KeySchedule(
            from: enc.span,
            key.hpkeKey,
            ciphersuite,
            info.span,
            own.publicKey.hpkeKey,
            nil
        )
        let keys = schedule.messageKeys(.aes256GCM)
        let exporter = schedule.exporterSecret()
        let exported = sender.exportSecret(context: info, outputByteCount: 48)
        return unsafe [
            key.withUnsafeBytes { unsafe MaskedSecret($0) }, own.withUnsafeBytes { unsafe MaskedSecret($0) },
            secret.withUnsafeBytes { unsafe MaskedSecret($0) }, exported.withUnsafeBytes { unsafe MaskedSecret($0) },
            masked(schedule.secret), masked(keys.keyAndNonce), masked(exporter),
        ]
    }

    private static func masked(_ secret: borrowing SecretBytes) -> MaskedSecret {
        unsafe secret.withUnsafeBytes { unsafe MaskedSecret($0) }
    }
}
