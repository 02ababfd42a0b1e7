import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import {
  addPasskey,
  addTotp,
  createRecoveryCodes,
  enrolPasskey,
  enrolTotp,
  listFactors,
  removeFactor,
  renameFactor,
  setSecondFactor,
} from '../../domain/factors/factors.js'
import { beginStepUp, stepUp, verifySecondFactor } from '../../domain/factors/step.js'
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
