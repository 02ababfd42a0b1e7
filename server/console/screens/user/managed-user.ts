import type { DataOf } from '../../api.js'

export type ManagedUser = DataOf<'getUser'>
