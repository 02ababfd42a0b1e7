import { access } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runUsher } from '../support/command-line.js'
import { createPostgresSettings } from '../support/store.js'

// What distributing does needs a Citus cluster: test/lab/citus.

describe('usher store distribute', () => {
  it('refuses a server without Citus', async () => {
    const { env, remove } = await createPostgresSettings()
    const { code, stderr } = await runUsher(['store', 'distribute'], env)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'usher: the Postgres server has no Citus. If it is installed, run CREATE EXTENSION citus in this database\n',
    })
    await remove()
  })

  it('refuses a store with pending migrations', async () => {
    const { env, remove } = await createPostgresSettings(false)
    const { code, stderr } = await runUsher(['store', 'distribute'], env)
    expect(code).toBe(1)
    expect(stderr).toMatch(/pending migration.*server migrate/i)
    await remove()
  })

  it('refuses the embedded store, and creates none', async () => {
    const DATA_DIR = join(tmpdir(), 'usher-never-made')
    const { code, stderr } = await runUsher(['store', 'distribute'], { DATA_DIR })
    expect(code).toBe(2)
    expect(stderr).toMatch(/DATABASE_URL/)
    await expect(access(DATA_DIR)).rejects.toThrow('ENOENT')
  })
})
