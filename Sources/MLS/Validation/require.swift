#if MUTANTS
import Glibc

/// In a build with mutants: the one rule that is not looked at in this run.
private let mutant = unsafe getenv("MILDAM_MUTANT").flatMap { unsafe String(validatingCString: $0) }
#endif

/// Refuses what breaks a rule.
///
/// Built with `-D MUTANTS`, the rule that `MILDAM_MUTANT` names is let pass: then a test has to fail.
func require(_ rule: ValidationRule, _ holds: @autoclosure () throws(MLSError) -> Bool) throws(MLSError) {
    let holds = try holds()
    #if MUTANTS
    if rule.rawValue == mutant { return }
    #endif
    guard holds else { throw .invalid(rule) }
}
