import { expect } from 'vitest'
import { createWorkspace, deleteWorkspace } from '../../server/domain/management/workspaces.js'
import { it } from '../support/operator.js'

it.for<[existing: string[], typed: string, suggestion: string | undefined]>([
  [['fig'], 'fog', 'fig'],
  [['quinces'], 'quinqet', undefined],
  [['mandarine-juice'], 'mandarine-jalze', 'mandarine-juice'],
  [['pomegranate-juice'], 'pomegranate-beens', undefined],
  [['cherry-cuts', 'cherry-pies'], 'cherry-pits', 'cherry-pies'],
  [['melon-tart', 'melon-pars'], 'melon-tarts', 'melon-tart'],
  [['plum-a', 'plum-b'], 'plum-c', 'plum-a'],
  [['pear-b', 'pear-a'], 'pear-c', 'pear-a'],
  [['guava'], 'gauva', 'guava'],
  [['olive'], 'oipve', undefined],
  [['lemon'], 'lpeon', undefined],
  [['blackberry'], 'blakcbrery', 'blackberry'],
  [['gooseberry'], 'goosbebreyr', undefined],
])(
  'of %j and the typed name %s, the suggestion is %s',
  async ([existing, typed, suggestion], { usher: { store } }) => {
    for (const slug of existing) await createWorkspace(store, slug, new Date())
    await expect(deleteWorkspace(store, typed)).rejects.toMatchObject({ suggestion })
  },
)
