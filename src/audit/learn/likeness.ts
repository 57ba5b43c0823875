import { isDeepStrictEqual } from 'node:util'
import { isServerError, type Observation } from '../drive/observation.ts'

/** Tells users who are in from users who are out, by one page. */
export interface Likeness {
  compare(page: Observation): Comparison
  /** Features that all users who are in saw and no other user saw. */
  readonly marks: readonly string[]
  /** Cookies that only users who are in received. */
  readonly cookies: readonly string[]
}

interface Comparison {
  readonly as: 'in' | 'out' | 'unknown'
  /** The kind of refusal that the page resembles, if it resembles one kind only. */
  readonly label?: string
}

/** Observations of users who are out for the same reason. */
interface Refusals {
  readonly label: string
  readonly seen: readonly Observation[]
}

/** What the observations of one kind of user have in common. */
interface Kind extends Refusals {
  /** Features of every observation of the kind. */
  readonly always: readonly string[]
  /** Features of `always` that no observation of the opposite kind has. */
  readonly marks: readonly string[]
  /** Maximum weight of new features that a page of the kind may have. */
  readonly tolerance: number
  /** Whether the observations have so much in common that chance is unlikely. */
  readonly isSteady: boolean
}

interface Model {
  readonly isProbe: boolean
  weigh(features: readonly string[]): number
  readonly yes: Kind
  /** The first observation of `yes`. */
  readonly usualYes: Observation
  /** All users who are out. */
  readonly no: Kind
  readonly refusals: readonly Kind[]
  /** Whether users who are in have features of their own. */
  readonly hasMarks: boolean
  /** Whether all users who are in get the same page, and users who are out never get it. */
  readonly isConstant: boolean
}

/** Minimum share, by weight, of a kind's common features on a page that resembles the kind. */
const MOST = 0.9
/** Maximum share, by weight, of the opposite kind's marks that a page may have by chance. */
const LITTLE = 0.25
/** Minimum share, by weight, of the marks of a refusal on a page without marks of a yes. */
const SOME = 0.2
/** Minimum share, by weight, of common features in each observation of a steady kind. */
const STEADY = 0.5
/** A page may differ from a kind by this factor of the largest difference within the kind. */
const TOLERANCE = 2

/** Words of refusals, in common languages. */
const ERROR =
  /^says .*(?:error|invalid|fail|denied|refus|reject|expired|mismatch|unable|unexpected|wrong|forbidden|cannot|could|missing|not$|sorry|fehler|ungültig|abgelehnt|nicht|erreur|refusé|impossible|échou|invalide|error|fall[óo]|denegad|errore|negat|erro$|negad|エラー|無効|失敗|できません|错误|失败|无效)/iu

/**
 * Learns to tell users who are in from users who are out. A page belongs to a user who is in if the
 * page has all features that such users always see, no marks of refusals, and no more new features
 * than usual. A rare feature has more weight than a frequent feature.
 * @param options.isProbe the page is a probe, not the answer page: messages on the page do not
 * matter, and a redirect elsewhere means that the user is out
 * @returns `undefined` if the pages look alike, or if the answer page of users who are in has no
 * features of its own
 */
export function learnLikeness(
  ins: readonly Observation[],
  outs: readonly Refusals[],
  { isProbe }: { isProbe: boolean },
): Likeness | undefined {
  const model = learnModel(ins, outs, isProbe)
  if (!model) return undefined
  const { yes, no, hasMarks, isConstant } = model
  const isTold = isProbe ? no.marks.length > 0 : isConstant
  if (!hasMarks && !isTold) return undefined
  const cookies = yes.marks.filter((feature) => feature.startsWith('sets '))
  return {
    compare: (page) => compare(page, model),
    marks: hasMarks ? yes.marks : yes.always,
    cookies: cookies.map((feature) => feature.slice('sets '.length)),
  }
}

function learnModel(
  ins: readonly Observation[],
  outs: readonly Refusals[],
  isProbe: boolean,
): Model | undefined {
  const out = outs.flatMap(({ seen }) => seen)
  const [usualYes] = ins
  if (!usualYes || out.length === 0) return undefined
  const weigh = createScale([...ins, ...out])
  const yes = learnKind({ label: 'in', seen: ins }, out, weigh)
  const isOfYes = (page: Observation) => isSame(page, usualYes)
  return {
    isProbe,
    weigh,
    yes,
    usualYes,
    no: learnKind({ label: '', seen: out }, ins, weigh),
    refusals: outs.map((kind) => learnKind(kind, ins, weigh)),
    hasMarks: yes.marks.length > 0,
    isConstant: ins.length > 1 && ins.every(isOfYes) && !out.some(isOfYes),
  }
}

function learnKind(
  { label, seen }: Refusals,
  others: readonly Observation[],
  weigh: Model['weigh'],
): Kind {
  const [first, ...rest] = seen
  const always = [...(first?.features ?? [])].filter((feature) =>
    rest.every(({ features }) => features.has(feature)),
  )
  const differences = seen.map(({ features }, index) =>
    weigh(newIn(features, seen.toSpliced(index, 1))),
  )
  return {
    label,
    seen,
    always,
    marks: newIn(always, others),
    tolerance: TOLERANCE * Math.max(0, ...differences),
    isSteady: seen.every(({ features }) => weigh(always) >= STEADY * weigh([...features])),
  }
}

function compare(page: Observation, model: Model): Comparison {
  const { yes, no, refusals } = model
  if (resemblesYes(page, model)) return { as: 'in' }
  const [near, ...others] = refusals.filter((kind) => resemblesRefusal(page, kind, model))
  const isSteady = [yes, ...refusals].every((kind) => kind.isSteady)
  if (near && others.length === 0 && isSteady) return { as: 'out', label: near.label }
  const isOut =
    near !== undefined ||
    resemblesRefusal(page, no, model) ||
    isTurnedAway(page, model) ||
    isOtherRefusal(page, model)
  return { as: isOut ? 'out' : 'unknown' }
}

function resemblesYes(page: Observation, model: Model): boolean {
  const { isProbe, yes, usualYes, hasMarks, isConstant } = model
  if (isConstant && !hasMarks) return isSame(page, usualYes)
  if (hasMarks && shareOfMarks(page, yes, model) < MOST) return false
  if (shareOfRefusal(page, model) > LITTLE) return false
  // The other content of a probe, such as news and prices, may differ at each request.
  if (isProbe && hasMarks) return isAtPageOfYes(page, model)
  const isUsual = hasCommonFeatures(page, yes, model) && hasOnlyUsualDifferences(page, yes, model)
  return isUsual && !saysError(page, model)
}

function resemblesRefusal(page: Observation, kind: Kind, model: Model): boolean {
  const { isProbe, yes, hasMarks } = model
  if (!hasCommonFeatures(page, kind, model)) return false
  const isMarked = hasMarks
    ? shareOfMarks(page, yes, model) <= LITTLE
    : shareOfMarks(page, kind, model) >= MOST
  return isMarked && (isProbe || hasOnlyUsualDifferences(page, kind, model))
}

/** Whether the app begins a flow again, refuses, or redirects elsewhere, where a yes is a page. */
function isTurnedAway(page: Observation, model: Model): boolean {
  const { isProbe, yes, usualYes } = model
  const { end, status } = page
  if (usualYes.end !== 'page' || usualYes.status >= 400) return false
  if (end === 'stopped') return true
  if (status >= 400) return status !== 429 && !isServerError(status)
  const isElsewhere = isProbe && end === 'page' && !isAtPageOf(page, yes)
  return isElsewhere && shareOfMarks(page, yes, model) === 0
}

/**
 * Whether a page without any mark of a yes has an error, or a part of the marks of a refusal. An
 * app may word each refusal differently.
 */
function isOtherRefusal(page: Observation, model: Model): boolean {
  const { yes, usualYes, no, hasMarks } = model
  if (!isAtPageOf(page, no)) return false
  const isNoYes = hasMarks ? shareOfMarks(page, yes, model) === 0 : !isSame(page, usualYes)
  return isNoYes && (shareOfRefusal(page, model) >= SOME || saysError(page, model))
}

/** The share, by weight, of a kind's marks that a page has. */
const shareOfMarks = (page: Observation, { marks }: Kind, model: Model): number =>
  shareOf(marks, page, model)

/**
 * The largest share of refusal marks on a page. On the answer page, the marks of each kind of
 * refusal count too. On a probe, only the marks that all kinds share count: two observations of one
 * kind may show the same news by chance.
 */
const shareOfRefusal = (page: Observation, model: Model): number =>
  Math.max(
    ...[model.no, ...(model.isProbe ? [] : model.refusals)].map((kind) =>
      shareOfMarks(page, kind, model),
    ),
  )

/** Whether a page has the address, status and title of a kind, and most of its common features. */
const hasCommonFeatures = (page: Observation, kind: Kind, model: Model): boolean =>
  isAtPageOf(page, kind) && shareOf(kind.always, page, model) >= MOST

const hasOnlyUsualDifferences = (
  { features }: Observation,
  { seen, tolerance }: Kind,
  { weigh }: Model,
): boolean => weigh(newIn(features, seen)) <= tolerance

const shareOf = (features: readonly string[], page: Observation, { weigh }: Model): number =>
  features.length === 0
    ? 0
    : weigh(features.filter((feature) => page.features.has(feature))) / weigh(features)

/** Whether a page has the address, status and title that all pages of a kind have. */
const isAtPageOf = ({ end, features }: Observation, { always, seen }: Kind): boolean =>
  end === seen[0]?.end &&
  always.every((feature) => !identifiesPage(feature) || features.has(feature))

/** Like `isAtPageOf`, for a yes. A title that users who are out also get may vary. */
const isAtPageOfYes = ({ end, features }: Observation, { yes, usualYes }: Model): boolean =>
  end === usualYes.end &&
  yes.always
    .filter(identifiesPage)
    .filter((feature) => !feature.startsWith('titled ') || yes.marks.includes(feature))
    .every((feature) => features.has(feature))

/** Whether a page has an error that no page of a yes has. */
const saysError = ({ features }: Observation, { yes }: Model): boolean =>
  newIn(features, yes.seen).some((feature) => ERROR.test(feature))

const isSame = (one: Observation, other: Observation): boolean =>
  one.end === other.end &&
  one.text === other.text &&
  isDeepStrictEqual(one.features, other.features)

const newIn = (features: Iterable<string>, others: readonly Observation[]): readonly string[] =>
  [...features].filter((one) => !others.some((other) => other.features.has(one)))

const identifiesPage = (feature: string): boolean => /^(?:status|at|titled) /.test(feature)

/** Weighs features: a rare feature has more weight than a frequent feature. */
function createScale(seen: readonly Observation[]): Model['weigh'] {
  const weightOf = (feature: string) =>
    Math.log(
      1 + seen.length / Math.max(1, seen.filter(({ features }) => features.has(feature)).length),
    )
  return (features) => features.reduce((sum, feature) => sum + weightOf(feature), 0)
}
