extension EnclaveError {
    /// What a code means where nothing more is known. Lockout and wrong PINs are explained where they are met.
    init(_ code: ResponseCode, at address: TPMAddress) {
        self =
            switch code.meaning {
            case .slotsTaken: .slotsTaken
            case .forgedAnswer: .forgedAnswer
            case .noAnswer: .absent(address: address.description, .noAnswer)
            case .unsupported: .unsupported("what is asked, by the TPM at \(address)")
            case .memoryFull: .unsupported("one more counter, by the TPM at \(address)")
            case .wrongAuthorization, .lockedOut, .nothingThere, .indexTaken, .other: .tpm(code: code.raw)
            }
    }
}
