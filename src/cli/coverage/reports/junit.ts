import { type JUnitCase, renderJUnit } from '../../../files/reports/junit.ts'
import { type Coverage, type CoverageItem, DIMENSIONS } from '../../../sandbox/coverage/coverage.ts'
import { nameOfSide } from '../../../sandbox/coverage/gaps.ts'
import type { Minimum } from '../minimums.ts'

/** JUnit XML: a testsuite for each dimension, a testcase for each side. A gap fails where a minimum is missed, and is skipped elsewhere. */
export const renderCoverageJUnit = ({ dimensions }: Coverage, missed: readonly Minimum[]): string =>
  renderJUnit(
    DIMENSIONS.map((name) => {
      const isMissed = missed.some(({ dimension }) => dimension === name)
      return { name, cases: dimensions[name].items.flatMap((item) => casesOf(item, { name, isMissed })) }
    }),
  )

const casesOf = (item: CoverageItem, { name, isMissed }: { name: string; isMissed: boolean }): JUnitCase[] =>
  Object.entries(item.sides).map(([side, { count, closes }]) => {
    const about = item.claims === undefined ? '' : ` of ${item.claims}`
    const facts = { name: `${nameOfSide(item, side)}${about}`, classname: name, seconds: 0 }
    if (count > 0) return { ...facts, status: 'passed' }
    return { ...facts, status: isMissed ? 'failed' : 'skipped', detail: closes }
  })
