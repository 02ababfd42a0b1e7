import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testRevocationRecipe } from './revocation-recipes.js'

/** `shift` of the claims changes the system clock, in seconds. */
const main = `
import sys

system_time = time.time
shift = 0
time.time = lambda: system_time() + shift
revocations = Revocations(sys.argv[1])
for line in sys.stdin:
    claims, kid = json.loads(line)
    shift = claims.get("shift", 0)
    try:
        now = revocations.check(claims, kid)
        print(json.dumps([now.get("tenants"), now.get("tenant_roles")]), flush=True)
    except (Revoked, Stale) as error:
        print(json.dumps(type(error).__name__), flush=True)
`

await testRevocationRecipe({
  language: 'Python',
  file: 'revocations.py',
  isInstalled: spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0,
  shorter: {
    stale: ['STALE_SECONDS = 30', 'STALE_SECONDS = 2'],
    failure: ['random.uniform(0.5, 5)', '0.1'],
    pause: ['MAX_PAUSE_SECONDS = 60', 'MAX_PAUSE_SECONDS = 1'],
  },
  feed: /(?<=FEED = ").*(?=")/,
  async build(folder, code) {
    const file = join(folder, 'recipe.py')
    await writeFile(file, code + main)
    return ['python3', file]
  },
})
