import FoundationEssentials

extension HPKE {
    /// What sender and recipient keep of an encapsulation (RFC 9180, section 5). It cannot be copied, so that no nonce is
    /// used twice.
    struct Context: ~Copyable {
        private let ciphersuite: Ciphersuite
        /// `nil` when the ciphersuite only exports.
        private let keys: MessageKeys?
        private let exporterSecret: SymmetricKey
        /// The number of the next message.
        var sequenceNumber: UInt64 = 0

        init(_ schedule: borrowing KeySchedule) {
            ciphersuite = schedule.ciphersuite
            exporterSecret = SymmetricKey(schedule.exporterSecret())
            if let algorithm = schedule.ciphersuite.aead.algorithm {
                keys = schedule.messageKeys(algorithm)
            } else {
                keys = nil
            }
        }

        /// Seals the next message.
        mutating func seal(
            _ message: UnsafeRawBufferPointer,
            authenticating header: UnsafeRawBufferPointer
        ) throws(Errors) -> Data {
            let sealed: Data
            switch keys {
            case .none: throw .exportOnlyMode
            case .some(let keys):
                try checkNumber()
                let number = sequenceNumber
                do throws(CryptoKitError) {
                    sealed = try unsafe Data.filled(message.count + CipherContext.tagSize) { sealed in
                        unsafe keys.seal(message, number, authenticating: header, to: sealed)
                            ? nil : LibCrypto.lastError()
                    }
                } catch {
                    throw .cryptography(error)
                }
            }
            sequenceNumber += 1
            return sealed
        }

        /// Opens the next message. After one that was refused the same number is expected again.
        mutating func open(
            _ sealed: UnsafeRawBufferPointer,
            authenticating header: UnsafeRawBufferPointer
        ) throws(Errors) -> Data {
            let message: Data
            switch keys {
            case .none: throw .exportOnlyMode
            case .some(let keys):
                try checkNumber()
                let number = sequenceNumber
                let size = sealed.count - CipherContext.tagSize
                guard size >= 0 else { throw .ciphertextTooShort }
                do throws(CryptoKitError) {
                    message = try unsafe Data.filled(size) { message in
                        unsafe keys.open(sealed, number, authenticating: header, to: message)
                            ? nil : .authenticationFailure
                    }
                } catch {
                    throw .authenticationFailure
                }
            }
            sequenceNumber += 1
            return message
        }

        /// A secret that both sides can export (RFC 9180, section 5.3).
        borrowing func exportSecret(_ context: UnsafeRawBufferPointer, _ outputByteCount: Int) -> SymmetricKey {
            unsafe exporterSecret.withUnsafeBytes { exporter in
                unsafe SymmetricKey(ciphersuite.export(exporter, context, outputByteCount))
            }
        }

        /// The RFC lets a number be shorter than the nonce, as long as it does not begin anew.
        private borrowing func checkNumber() throws(Errors) {
            guard sequenceNumber < .max else { throw .outOfRangeSequenceNumber }
        }
    }
}
