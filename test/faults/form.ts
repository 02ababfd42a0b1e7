import { vi } from 'vitest'
import { formOf } from '../support/form.js'

/** The long form is `npm run test:faults`. */
export const { isLong, times, report: print } = formOf('FAULTS')
if (isLong) vi.setConfig({ testTimeout: 1_200_000 })
