import { isDeepStrictEqual } from 'node:util'
import { isServerError, type Observation } from '../drive/observation.ts'

export type Likeness = NonNullable<ReturnType<typeof learnLikeness>>

/** The least share, by weight, of what a kind always shows. */
const MOST = 0.9
/** The largest share, by weight, of the marks of the other side that may be there by chance. */
const LITTLE = 0.25
/** The least share, by weight, of a refusal on a page that has nothing of a yes. */
const SOME = 0.2
/**
 * The least share, by weight, of each page of a kind that all pages of the kind have; below it two
 * pages are alike by chance.
 */
const STEADY = 0.5
/** An observation may differ from its kind by this many times the differences within the kind. */
const FAMILIAR = 2

/** Words of refusals, in the usual languages. */
const ERROR =
  /^says .*(?:error|invalid|fail|denied|refus|reject|expired|mismatch|unable|unexpected|wrong|forbidden|cannot|could|missing|not$|sorry|fehler|ungültig|abgelehnt|nicht|erreur|refusé|impossible|échou|invalide|error|fall[óo]|denegad|errore|negat|erro$|negad|エラー|無効|失敗|できません|错误|失败|无效)/iu

/**
 * Learns to tell users who are in from users who are out, in both directions. An observation is of
 * a user who is in when it has what those always have, nothing that marks the others, and nothing
 * of its own beyond their usual differences. Features are weighed by their rarity.
 * @param options.isProbe the page was requested again: a message on it does not matter, and a
 * redirect elsewhere means that the user is out
 * @returns `undefined` when the two look alike, or when the answer page of users who are in has no
 * features of its own
 */
export function learnLikeness(
  ins: readonly Observation[],
  outs: readonly { readonly label: string; readonly seen: readonly Observation[] }[],
  { isProbe }: { isProbe: boolean },
) {
  const out = outs.flatMap(({ seen }) => seen)
  const [usual] = ins
  if (!usual || out.length === 0) return undefined
  const weigh = createScale([...ins, ...out])
  const share = (features: readonly string[], one: Observation) =>
    features.length === 0
      ? 0
      : weigh(features.filter((feature) => one.features.has(feature))) / weigh(features)

  function learn({ label, seen }: (typeof outs)[number], others: readonly Observation[]) {
    const [first, ...rest] = seen
    const always = [...(first?.features ?? [])].filter((one) =>
      rest.every(({ features }) => features.has(one)),
    )
    const marks = newIn(always, others)
    const differ = seen.map(({ features }, index) =>
      weigh(newIn(features, seen.toSpliced(index, 1))),
    )
    const tolerance = FAMILIAR * Math.max(0, ...differ)
    const isAt = ({ end, features }: Observation) =>
      end === first?.end && always.every((feature) => !isPlace(feature) || features.has(feature))
    return {
      label,
      always,
      marks,
      isAt,
      isSteady: seen.every(({ features }) => weigh(always) >= STEADY * weigh([...features])),
      marked: (one: Observation) => share(marks, one),
      isUsual: (one: Observation) => isAt(one) && share(always, one) >= MOST,
      isFamiliar: ({ features }: Observation) => weigh(newIn(features, seen)) <= tolerance,
    }
  }

  const yes = learn({ label: 'in', seen: ins }, out)
  const no = learn({ label: '', seen: out }, ins)
  const noes = outs.map((kind) => learn(kind, ins))
  const isSteady = [yes, ...noes].every((kind) => kind.isSteady)
  const hasMarks = yes.marks.length > 0
  // If users who are in always get one page, any other page is told from it.
  const isConstant =
    ins.length > 1 &&
    ins.every((one) => isSame(one, usual)) &&
    !out.some((one) => isSame(one, usual))
  if (!hasMarks && !(isProbe ? no.marks.length > 0 : isConstant)) return undefined

  // Two visits of one kind may show the same news by chance; visits of all kinds hardly do.
  const markedOut = (one: Observation) =>
    Math.max(...[no, ...(isProbe ? [] : noes)].map(({ marked }) => marked(one)))
  const isError = ({ features }: Observation) =>
    newIn(features, ins).some((feature) => ERROR.test(feature))
  // A title that users who are out get too may be one of several, as in an experiment.
  const places = yes.always.filter(
    (one) => isPlace(one) && (!one.startsWith('titled ') || yes.marks.includes(one)),
  )
  const isThere = ({ end, features }: Observation) =>
    end === usual.end && places.every((one) => features.has(one))
  const isIn = (one: Observation): boolean => {
    if (isConstant && !hasMarks) return isSame(one, usual)
    const isMarked = !hasMarks || yes.marked(one) >= MOST
    // Content besides the marks, such as news and prices, may differ at each request.
    const hasYes = isProbe && hasMarks ? isThere(one) : yes.isUsual(one) && yes.isFamiliar(one)
    return (
      isMarked && hasYes && markedOut(one) <= LITTLE && ((isProbe && hasMarks) || !isError(one))
    )
  }
  const isOut = (one: Observation, kind: typeof no): boolean =>
    kind.isUsual(one) &&
    (hasMarks ? yes.marked(one) <= LITTLE : kind.marked(one) >= MOST) &&
    (isProbe || kind.isFamiliar(one))
  /**
   * Users who are in get a page at its own place: this one begins again, is refused, or is sent
   * elsewhere.
   */
  const isTurnedAway = (one: Observation): boolean => {
    const { end, status } = one
    if (usual.end !== 'page' || usual.status >= 400) return false
    if (end === 'stopped' || (status >= 400 && status !== 429 && !isServerError(status)))
      return true
    return isProbe && end === 'page' && status < 400 && !yes.isAt(one) && yes.marked(one) === 0
  }
  /**
   * Nothing tells that the user is in, while an error or a part of a refusal tells the contrary;
   * each has its own sentence.
   */
  const isOtherRefusal = (one: Observation): boolean =>
    no.isAt(one) &&
    (hasMarks ? yes.marked(one) === 0 : !isSame(one, usual)) &&
    (markedOut(one) >= SOME || isError(one))

  return {
    /**
     * With a label when the observation resembles only that kind of refusal, and pages of one kind
     * are alike.
     */
    compare(one: Observation): { readonly as: 'in' | 'out' | 'unknown'; readonly label?: string } {
      if (isIn(one)) return { as: 'in' }
      const [near, ...others] = noes.filter((kind) => isOut(one, kind))
      if (near && others.length === 0 && isSteady) return { as: 'out', label: near.label }
      return near || isOut(one, no) || isTurnedAway(one) || isOtherRefusal(one)
        ? { as: 'out' }
        : { as: 'unknown' }
    },
    /** Features that all observations of users who are in have, and no other: for people. */
    marks: hasMarks ? yes.marks : yes.always,
    /** Cookies that only users who are in received. */
    cookies: yes.marks.flatMap((feature) =>
      feature.startsWith('sets ') ? [feature.slice(5)] : [],
    ),
  }
}

const isSame = (one: Observation, other: Observation): boolean =>
  one.end === other.end &&
  one.text === other.text &&
  isDeepStrictEqual(one.features, other.features)

const newIn = (features: Iterable<string>, others: readonly Observation[]): readonly string[] =>
  [...features].filter((one) => !others.some((other) => other.features.has(one)))

const isPlace = (feature: string): boolean => /^(?:status|at|titled) /.test(feature)

/** Weighs features: a rare feature says more than a frequent one. */
function createScale(seen: readonly Observation[]) {
  const weightOf = (feature: string) =>
    Math.log(
      1 + seen.length / Math.max(1, seen.filter(({ features }) => features.has(feature)).length),
    )
  return (features: readonly string[]) => features.reduce((sum, one) => sum + weightOf(one), 0)
}
