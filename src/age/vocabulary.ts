/** What an operator of the service may configure about age signals; everything else is fixed by the specification. */
export interface Vocabulary {
  /** Provenance paths a submitted age signal may name, for example `/veratad/roc`. */
  readonly provenanceAllowlist: readonly string[]
  /** Values of the attribute `platform` of a `digital_credential`. */
  readonly platforms: readonly string[]
}
