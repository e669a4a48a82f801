extension FuzzTarget {
    /// Every target.
    static let all: [FuzzTarget] = [
        .httpHead, .httpBody, .webSocketFrame, .jsonBodies, .jsonAnswers, .keyEnvelope, .messageBox, .identityRecords,
        .ageHeader, .ageArmor, .ageKeyFile, .sshKey, .rnCryptorFile, .textCodecs, .jws, .dpopProof, .terminalKeys,
        .eciesPacket, .ecKeyFile, .enclaveBlob, .otpauth, .otpMigration, .otpImports, .scanImage, .certificate,
        .keychainCSV, .keychainBitwarden, .keychainKeePass, .keychainBundle, .keyringAnswer, .itemBlob,
        .agentProtocol, .tokenAnswers, .tokenRecord, .mlsMessage, .mlsKeyPackage, .mlsWelcome, .mlsGroupInfo,
        .mlsRatchetTree, .mlsStoredState, .mlsSnapshot, .damagedDatabase, .vaultNames, .cbor, .mimiContent, .roomRules,
        .groupBodies, .clientLines,
    ]
}
