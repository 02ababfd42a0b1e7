import type { FinishLoginBody } from '@usher/contract'

/** What a login that may sign up a person takes, however it is proven. */
export type NewUserFields = Omit<FinishLoginBody, 'code' | 'login' | 'digits'>
