import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import type { Database } from '../../domain/databases/find-database.js'
import { addTotp } from '../../domain/factors/add-totp.js'
import { removeFactor, setSecondFactor } from '../../domain/factors/change-factors.js'
import { enrolTotp } from '../../domain/factors/enrol-totp.js'
import { createRecoveryCodes, listFactors, renameFactor } from '../../domain/factors/factors.js'
import { stepUp } from '../../domain/factors/step-up.js'
import { verifySecondFactor } from '../../domain/factors/verify-second-factor.js'
import { serveOperations } from '../serve-operations.js'

/** Whether the users of a database have second factors. */
const hasFactors = ({ secondFactor }: Database) => secondFactor !== 'off'

export const factorRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.factors,
    rules: {
      verifySecondFactor,
      stepUp,
      listFactors,
      enrolTotp,
      addTotp,
      renameFactor,
      removeFactor,
      setSecondFactor,
      createRecoveryCodes,
    },
    isOn: hasFactors,
  })
