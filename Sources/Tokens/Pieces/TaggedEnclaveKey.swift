import MildamEnclave
import MildamKeychain

/// An enclave's key that is found by its tag: made where it is first needed, and never replaced by another.
struct TaggedEnclaveKey: Sendable {
    let enclave: any Enclave
    let purpose: EnclaveKeyPurpose
    let tag: String
    let pin: EnclavePIN?
    private let keys: EnclaveKeyStore

    init(_ enclave: any Enclave, _ purpose: EnclaveKeyPurpose, keychain: any Keychain, tag: String, pin: EnclavePIN?) {
        self.enclave = enclave
        self.purpose = purpose
        self.tag = tag
        self.pin = pin
        keys = EnclaveKeyStore(keychain)
    }

    /// The key; makes none.
    func find() throws(EnclaveServiceError) -> EnclaveKeyBlob {
        do throws(EnclaveKeyError) { return try keys.find(tag).blob() } catch { throw .key(error) }
    }

    /// The key, made now if there was none.
    func findOrMake() async throws(EnclaveServiceError) -> EnclaveKeyBlob {
        if let blob = try existing() { return blob }
        let blob: EnclaveKeyBlob
        do throws(EnclaveError) {
            blob = try await enclave.makeKey(purpose, options: EnclaveKeyOptions(pin: pin))
        } catch {
            throw .enclave(error)
        }
        return try keep(blob)
    }

    /// Removes the key for good, if there is one.
    func remove() throws(EnclaveServiceError) {
        do throws(EnclaveKeyError) { try keys.remove(try keys.find(tag)) } catch {
            guard case .noKey = error else { throw .key(error) }
        }
    }

    private func existing() throws(EnclaveServiceError) -> EnclaveKeyBlob? {
        do throws(EnclaveServiceError) { return try find() } catch {
            guard case .key(.noKey) = error else { throw error }
            return nil
        }
    }

    /// Keeps a new key; where another program was faster, its key is the one.
    private func keep(_ blob: EnclaveKeyBlob) throws(EnclaveServiceError) -> EnclaveKeyBlob {
        do throws(EnclaveKeyError) {
            try keys.keep(blob, as: tag)
            return blob
        } catch {
            guard case .nameTaken = error else { throw .key(error) }
            return try find()
        }
    }
}
