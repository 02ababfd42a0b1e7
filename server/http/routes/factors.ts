import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { addTotp } from '../../domain/factors/add-totp.js'
import { removeFactor, setSecondFactor } from '../../domain/factors/change-factors.js'
import { addPasskey, enrolPasskey } from '../../domain/factors/enrol-passkey.js'
import { enrolTotp } from '../../domain/factors/enrol-totp.js'
import { createRecoveryCodes, listFactors, renameFactor } from '../../domain/factors/factors.js'
import { verifySecondFactor } from '../../domain/factors/step.js'
import { beginStepUp, stepUp } from '../../domain/factors/step-up.js'
import { beginPasskeyLogin, loginWithPasskey } from '../../domain/login/passkey.js'
import { serveOperations } from '../serve-operations.js'

export const factorRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.factors,
    rules: {
      verifySecondFactor,
      beginStepUp,
      stepUp,
      listFactors,
      enrolTotp,
      addTotp,
      renameFactor,
      removeFactor,
      setSecondFactor,
      createRecoveryCodes,
    },
  })

export const passkeyRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.passkeys,
    rules: { beginPasskeyLogin, loginWithPasskey, enrolPasskey, addPasskey },
  })
