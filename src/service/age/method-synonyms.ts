import { calledHere, partsOf } from '../text/message-parts.ts'
import { METHOD_NAMES, type Method } from './methods.ts'

/**
 * What other services call the methods, in lower case. Words that every method may carry are left
 * out: see `USUAL_WORDS`.
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

/** Words that say that something was verified, and not how. */
const USUAL_WORDS: ReadonlySet<string> = new Set(
  'age based capture check checked estimation estimate match method ownership proof scan scanned scanning upload validated validation verification verified verify'.split(
    ' ',
  ),
)

/**
 * The methods by the letters of their synonyms, so that `creditCard` and `CREDIT-CARD` are found.
 * Made when the first word is looked up.
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

/** Characters of a word that is looked up: no synonym is as long. */
const MAX_WORD = 64

/**
 * The method that other services call `word`: `credit_card`, `passport-scan`, `SSN`; `undefined`
 * for any other word.
 */
function methodCalled(word: string): Method | undefined {
  if (word.length > MAX_WORD) return undefined
  methods ??= methodsByLetters()
  const parts = partsOf(word)
  const letters = parts.join('')
  // Another spelling of a name, which the message asks for.
  if (METHOD_NAMES.some((name) => name.replaceAll('_', '') === letters)) return undefined
  return (
    methods.get(letters) ?? methods.get(parts.filter((part) => !USUAL_WORDS.has(part)).join(''))
  )
}

/**
 * `: credit_card is payment_card_network here`; empty for a word that is no synonym of a method.
 */
export function methodSynonym(word: string): string {
  const method = methodCalled(word)
  return method === undefined ? '' : calledHere(word, method)
}
