import { isServerError, type Observation } from './observation.ts'

/** Observations of visits that ended alike: `access_denied`. */
export interface Kind {
  readonly label: string
  readonly seen: readonly Observation[]
}

/** What an observation is like: that of a user who is in, that of a kind of refusal, or neither. */
export type Alike = { readonly as: 'in' } | { readonly as: 'out'; readonly label?: string } | { readonly as: 'unknown' }

/** Compares observations with those of users who are known to be in, and of users who are known to be out. */
export interface Likeness {
  compare(observation: Observation): Alike
  /** Cookies that only users who are in were given. */
  readonly cookies: readonly string[]
  /** Features of each observation of users who are in, and of no other: for people. */
  readonly marks: ReadonlySet<string>
  readonly outs: readonly Kind[]
}

/** So much of what a kind always shows has to be there, by weight. */
const MOST = 0.9
/** So much of the marks of the other side may be there by chance, by weight. */
const LITTLE = 0.25
/** So much of a refusal has to be on a page that has nothing of a yes, by weight. */
const SOME = 0.2

/** Words of refusals, in the languages that sandboxes meet most. */
const ERROR =
  /^says .*(?:error|invalid|fail|denied|refus|reject|expired|mismatch|unable|unexpected|wrong|forbidden|cannot|could|missing|not$|sorry|fehler|ungültig|abgelehnt|nicht|erreur|refusé|impossible|échou|invalide|error|fall[óo]|denegad|errore|negat|erro$|negad|エラー|無効|失敗|できません|错误|失败|无效)/iu

/**
 * Learns to tell who is in from who is out, in both directions: an observation is of a user who is in when it has what those always
 * have, nothing that tells the others, and nothing of its own beyond what those differ in among themselves. Features are weighed by
 * their rarity.
 * @param options.isProbe the page was asked for again: a message on it does not matter, and being sent elsewhere tells that the user is out
 * @returns `undefined` when the two look alike, or when the answer page of users who are in shows nothing of its own
 */
export function learnLikeness(
  ins: readonly Observation[],
  outs: readonly Kind[],
  { isProbe }: { isProbe: boolean },
): Likeness | undefined {
  const everybodyOut = outs.flatMap(({ seen }) => seen)
  const [usual] = ins
  if (!usual || everybodyOut.length === 0) return undefined
  const weigh = createScale([...ins, ...everybodyOut])
  const inKind = kindOf('in', ins, everybodyOut)
  const outKinds = outs.map(({ label, seen }) => kindOf(label, seen, ins))
  const allOut = kindOf('', everybodyOut, ins)
  const hasMarks = inKind.marks.size > 0
  // Pages of other words are told by the very same page, when users who are in are always shown that.
  const isConstant =
    ins.length > 1 && ins.every((one) => isSame(one, usual)) && !everybodyOut.some((one) => isSame(one, usual))
  if (!hasMarks && !(isProbe ? allOut.marks.size > 0 : isConstant)) return undefined

  const share = (features: ReadonlySet<string>, { features: found }: Observation): number =>
    features.size === 0 ? 0 : weigh([...features].filter((one) => found.has(one))) / weigh(features)
  const isAt = ({ always, seen: [first] }: LearnedKind, { end, features }: Observation): boolean =>
    end === first?.end && [...always].every((one) => !isPlace(one) || features.has(one))
  const tolerances = new Map([inKind, allOut, ...outKinds].map((kind) => [kind, weigh(differencesOf(kind.seen))]))
  const noveltyOf = (one: Observation, { seen }: LearnedKind) => novelOf(one, seen)
  const isFamiliar = (one: Observation, kind: LearnedKind, factor: number) =>
    weigh(noveltyOf(one, kind)) <= factor * (tolerances.get(kind) ?? 0)

  function isIn(one: Observation): boolean {
    if (isConstant && !hasMarks) return usual !== undefined && isSame(one, usual)
    if (!isAt(inKind, one) || share(inKind.always, one) < MOST) return false
    if (hasMarks && share(inKind.marks, one) < MOST) return false
    if ([allOut, ...outKinds].some(({ marks }) => share(marks, one) > LITTLE)) return false
    return isFamiliar(one, inKind, 2) && !noveltyOf(one, inKind).some((feature) => ERROR.test(feature))
  }

  function isOut(one: Observation, kind: LearnedKind): boolean {
    if (!isAt(kind, one) || share(kind.always, one) < MOST) return false
    if (hasMarks ? share(inKind.marks, one) > LITTLE : share(kind.marks, one) < MOST) return false
    return isProbe || isFamiliar(one, kind, 2)
  }

  /** Users who are in are shown a page at its own place: this one begins again, is refused, or is sent elsewhere. */
  function isTurnedAway(one: Observation): boolean {
    if (usual?.end !== 'page' || usual.status >= 400) return false
    if (one.end === 'begins again' || (one.status >= 400 && one.status !== 429 && !isServerError(one.status)))
      return true
    const isElsewhere = one.end === 'page' && one.status < 400 && !isAt(inKind, one)
    return isProbe && isElsewhere && share(inKind.marks, one) === 0
  }

  /** Nothing tells that the user is in, and an error or some of what a refusal says tells the contrary: each has its own sentence. */
  const isOtherRefusal = (one: Observation): boolean =>
    isAt(allOut, one) &&
    (hasMarks ? share(inKind.marks, one) === 0 : usual !== undefined && !isSame(one, usual)) &&
    ([allOut, ...outKinds].some(({ marks }) => share(marks, one) >= SOME) ||
      noveltyOf(one, inKind).some((feature) => ERROR.test(feature)))

  function compare(one: Observation): Alike {
    if (isIn(one)) return { as: 'in' }
    const [near, ...others] = outKinds.filter((kind) => isOut(one, kind))
    if (near) return others.length === 0 ? { as: 'out', label: near.label } : { as: 'out' }
    return isOut(one, allOut) || isTurnedAway(one) || isOtherRefusal(one) ? { as: 'out' } : { as: 'unknown' }
  }

  return {
    outs,
    compare,
    marks: hasMarks ? inKind.marks : inKind.always,
    cookies: [...inKind.marks].flatMap((feature) => (feature.startsWith('sets ') ? [feature.slice(5)] : [])),
  }
}

const isSame = (one: Observation, { end, features }: Observation): boolean =>
  one.end === end && one.features.size === features.size && [...features].every((feature) => one.features.has(feature))

/** What an observation has and none of the others. */
const novelOf = (one: Observation, others: readonly Observation[]): readonly string[] =>
  [...one.features].filter((feature) => !isText(feature) && !others.some(({ features }) => features.has(feature)))

/** What the most different of some observations has, and none of the others. */
const differencesOf = (seen: readonly Observation[]): readonly string[] =>
  seen
    .map((one) =>
      novelOf(
        one,
        seen.filter((other) => other !== one),
      ),
    )
    .reduce((most, novel) => (novel.length > most.length ? novel : most), [])

interface LearnedKind extends Kind {
  /** What each of its observations has. */
  readonly always: ReadonlySet<string>
  /** And none of the others. */
  readonly marks: ReadonlySet<string>
}

function kindOf(label: string, seen: readonly Observation[], others: readonly Observation[]): LearnedKind {
  const [first, ...rest] = seen
  const shown = [...(first?.features ?? [])].filter((one) => !isText(one))
  const always = shown.filter((one) => rest.every(({ features }) => features.has(one)))
  const marks = always.filter((one) => !others.some(({ features }) => features.has(one)))
  return { label, seen, always: new Set(always), marks: new Set(marks) }
}

/** The whole text tells pages of the same words apart; for all others their words say enough. */
const isText = (feature: string): boolean => feature.startsWith('text ')

const isPlace = (feature: string): boolean => /^(?:status|at|titled) /.test(feature)

/** Weighs features: what few observations have says more than what many have. */
function createScale(seen: readonly Observation[]): (features: Iterable<string>) => number {
  const counts = new Map<string, number>()
  for (const { features } of seen) for (const one of features) counts.set(one, (counts.get(one) ?? 0) + 1)
  const weightOf = (feature: string) => Math.log(1 + seen.length / (counts.get(feature) ?? 1))
  return (features) => [...features].reduce((sum, one) => sum + weightOf(one), 0)
}
