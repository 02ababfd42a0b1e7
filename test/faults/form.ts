import { vi } from 'vitest'

/** The long form is `npm run test:faults`, the short one a part of `npm test`. */
// biome-ignore lint/style/noProcessEnv: says which of the two
export const isLong = process.env.FAULTS === 'long'
if (isLong) vi.setConfig({ testTimeout: 1_200_000 })

/** How often something is done in the short form and in the long one. */
export const times = (short: number, long: number) => (isLong ? long : short)
