import { calledHere, partsOf } from '../text/message-parts.ts'
import { METHOD_NAMES, type Method } from './methods.ts'

/**
 * Words that other services use for the methods, in lower case. Words that fit any method are left
 * out; see `USUAL_WORDS`.
 */
const SYNONYMS: Readonly<Record<Method, string>> = {
  email_age_estimation: 'email mail e_mail email_address',
  facial_age_estimation:
    'selfie video_selfie face facial_scan facial_check facial_verification face_id face_estimation face_age face_recognition facial_recognition facial_analysis biometric biometrics liveness photo webcam',
  national_id_number:
    'ssn social_security social_security_number national_id national_identity national_number national_identity_number nin id_number identity_number personal_number personal_code personnummer tax_id tax_number cpf curp aadhaar bsn nric pesel my_number resident_registration_number',
  digital_credential:
    'mdl mdoc mobile_id mobile_document mobile_license mobile_licence mobile_driving_license mobile_driving_licence mobile_drivers_license mobile_drivers_licence mobile_driver_license mobile_driver_licence wallet id_wallet digital_wallet identity_wallet apple_wallet google_wallet samsung_wallet eudi eudi_wallet eudiw eid eidas digital_id digital_identity digital_identity_wallet credential verifiable_credential vc sd_jwt sd_jwt_vc openid4vp oid4vp',
  id_doc_scan:
    'id_scan id_check id_verification id_capture id_card id_doc id_document identity_card identity_document identity_doc doc document documents photo_id government_id gov_id government_document passport nfc_passport biometric_passport driving_license driving_licence drivers_license drivers_licence driver_license driver_licence driver_s_license driver_s_licence residence_permit ocr',
  payment_card_network:
    'card cards credit debit credit_card debit_card bank_card payment payment_card card_network card_payment visa mastercard',
}

/** Words that say that a verification took place but not by which method. */
const USUAL_WORDS: ReadonlySet<string> = new Set(
  'age based capture check checked estimation estimate match method ownership proof scan scanned scanning upload validated validation verification verified verify'.split(
    ' ',
  ),
)

/**
 * Maps the letters of each synonym to its method, so that `creditCard` and `CREDIT-CARD` are found.
 * Created on first use.
 */
let methods: ReadonlyMap<string, Method> | undefined

function methodsByLetters(): ReadonlyMap<string, Method> {
  const found = new Map<string, Method>()
  for (const method of METHOD_NAMES) {
    for (const synonym of SYNONYMS[method].split(' '))
      found.set(synonym.replaceAll('_', ''), method)
  }
  return found
}

/** Longest word that is looked up, in characters; every synonym is shorter. */
const MAX_WORD = 64

/**
 * The method that other services call `word`, such as `credit_card`, `passport-scan` or `SSN`;
 * `undefined` for any other word.
 */
function methodCalled(word: string): Method | undefined {
  if (word.length > MAX_WORD) return undefined
  methods ??= methodsByLetters()
  const parts = partsOf(word)
  const letters = parts.join('')
  // A misspelt name of a method is not a synonym: the message suggests the right spelling.
  if (METHOD_NAMES.some((name) => name.replaceAll('_', '') === letters)) return undefined
  return (
    methods.get(letters) ?? methods.get(parts.filter((part) => !USUAL_WORDS.has(part)).join(''))
  )
}

/**
 * Translates the name that another service uses for a method.
 * @returns an empty text if `word` is not a synonym
 * @example
 * ```ts
 * methodSynonym('credit_card') // ': credit_card is payment_card_network here'
 * ```
 */
export function methodSynonym(word: string): string {
  const method = methodCalled(word)
  return method === undefined ? '' : calledHere(word, method)
}
