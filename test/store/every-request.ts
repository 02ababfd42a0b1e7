import { expect, vi } from 'vitest'
import type { TestApi, TestDatabase } from '../support/app.js'
import { type DescribedOperation, everyOperation, type OperationRequest } from '../support/operations.js'
import { createScene, prepareStage, requestTo, type Stage } from '../support/scene.js'
import type { Smtp } from '../support/smtp.js'

/** Sends every request of the tables of operations, each by a user of its own. Fails if an outcome is another one. */
export async function sendEveryRequest(api: TestApi, smtp: Smtp) {
  const stage = await prepareStage(api, smtp)
  const [found, expected]: [object[], object[]] = [[], []]
  for (const described of everyOperation) {
    const { name, operation } = described
    const { changes = [], also = [] } = operation
    found.push({ name, ...(await effectOf(stage, described)) })
    expected.push({ name, outcome: 'success', events: changes.toSorted() })
    for (const request of also) {
      const { problem = 'success' } = request
      found.push({ name, outcome: await outcomeOf(stage, described, request) })
      expected.push({ name, outcome: problem })
    }
    if (takesIdempotencyKey(described)) await sendEachRepeatedly(stage, described)
  }
  expect(found).toEqual(expected)
  await mailsDelivered(api, stage.database)
  return stage
}

/** Returns the outcome of a request, and the types of the events that it causes. */
async function effectOf(stage: Stage, described: DescribedOperation) {
  const request = await requestTo(stage, await createScene(stage), described)
  const earlier = await eventsOf(stage)
  const outcome = nameOf(await stage.api.send(request))
  const events = [...(await eventsOf(stage))].filter(([id]) => !earlier.has(id)).map(([, type]) => type)
  return { outcome, events: events.sort() }
}

/** Returns the types of the events of a database, by id. */
async function eventsOf({ api, database }: Stage) {
  const kept = await api.store.prisma.keptEvent.findMany({ where: { databaseId: database.id } })
  return new Map(kept.map(({ id, payload }) => [id, (payload as { type: string }).type]))
}

const outcomeOf = async (stage: Stage, described: DescribedOperation, request: OperationRequest) =>
  nameOf(await stage.api.send(await requestTo(stage, await createScene(stage), described, request)))

/** Returns the code of a problem, or `success`. */
const nameOf = (response: { statusCode: number; json(): { code: string } }) =>
  response.statusCode < 300 ? 'success' : response.json().code

const takesIdempotencyKey = ({ route: { headers } }: DescribedOperation) =>
  'idempotency-key' in ((headers as { shape?: object } | undefined)?.shape ?? {})

/** Repeats each request of an operation that succeeds. */
async function sendEachRepeatedly(stage: Stage, described: DescribedOperation) {
  const { operation } = described
  const [other = operation, ...more] = (operation.also ?? []).filter(({ problem }) => !problem)
  for (const request of new Set([operation, other, ...more]))
    await sendRepeatedly(stage, described, request, request === other ? operation : other)
}

/** Sends a request twice with an Idempotency-Key, and then another one with this key. */
async function sendRepeatedly(
  stage: Stage,
  described: DescribedOperation,
  request: OperationRequest,
  other: OperationRequest,
) {
  const { name } = described
  const scene = await createScene(stage)
  const first = await requestTo(stage, scene, described, request)
  // The request of one scene is always the same.
  const { payload } = await requestTo(
    stage,
    request === other ? await createScene(stage) : scene,
    described,
    other,
  )
  const headers = { ...first.headers, 'idempotency-key': crypto.randomUUID() }
  const [created, repeated, reused] = [
    await stage.api.send({ ...first, headers }),
    await stage.api.send({ ...first, headers }),
    await stage.api.send({ ...first, headers, ...(payload && { payload }) }),
  ]
  expect({ name, outcome: nameOf(created) }).toEqual({ name, outcome: 'success' })
  // A repeated request returns a new token, and no code or URL with one.
  const bodyOf = ({ body }: typeof created) => ({
    ...JSON.parse(body),
    ...{ token: undefined, code: undefined, url: undefined },
  })
  expect({ name, body: bodyOf(repeated) }).toEqual({ name, body: bodyOf(created) })
  expect({ name, outcome: nameOf(reused) }).toEqual({ name, outcome: 'idempotency_key_reused' })
}

/** Mails of bystanders are due later. */
const farAway = new Date('2090-01-01')

/** Waits until no mail of a database waits to be delivered. */
const mailsDelivered = ({ store }: TestApi, { id: databaseId }: TestDatabase) =>
  vi.waitFor(
    async () =>
      expect(
        await store.prisma.message.count({ where: { databaseId, kind: 'mail', dueAt: { lt: farAway } } }),
      ).toBe(0),
    10_000,
  )
