/** The number that `value` is to be multiplied by to give 1 modulo `modulus`; the two have no common divisor. */
export function modularInverse(value: bigint, modulus: bigint): bigint {
  let [remainder, next] = [modulus, ((value % modulus) + modulus) % modulus]
  let [coefficient, nextCoefficient] = [0n, 1n]
  while (next !== 0n) {
    const quotient = remainder / next
    ;[remainder, next] = [next, remainder - quotient * next]
    ;[coefficient, nextCoefficient] = [nextCoefficient, coefficient - quotient * nextCoefficient]
  }
  return ((coefficient % modulus) + modulus) % modulus
}
