import type { PrismaClient } from './generated/client.js'

type Adapter = NonNullable<ConstructorParameters<typeof PrismaClient>[0]['adapter']>

/** Returns a function that creates Prisma's client when it is first called, and one that closes it. */
export function lazyPrisma(createAdapter: () => Promise<Adapter>) {
  let client: Promise<PrismaClient> | undefined
  const create = async () => {
    const [{ PrismaClient }, adapter] = [await import('./generated/client.js'), await createAdapter()]
    return new PrismaClient({ adapter, errorFormat: 'minimal' })
  }
  return {
    loadPrisma() {
      client ??= create()
      return client
    },
    async disconnect() {
      await (await client)?.$disconnect()
    },
  }
}
