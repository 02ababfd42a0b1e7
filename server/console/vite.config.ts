import { operatorRightOf, type RouteMetadata } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { operatorContract } from '@usher/contract/operator'
import { defaultClientConditions, defineConfig } from 'vite'

interface Route {
  method: string
  path: string
  metadata: RouteMetadata
}

/** Returns what the console needs of the operations that operators use, by name. */
const describedOperations = (): Record<string, object> =>
  Object.fromEntries(
    [managementContract, operatorContract]
      .flatMap((contract) => Object.values(contract))
      .flatMap((routes) => Object.entries(routes as Record<string, Route>))
      .filter(([, { metadata }]) => operatorRightOf(metadata) || metadata.who === 'anyone')
      .map(([name, { method, path, metadata }]) => [
        name,
        { method, path, role: operatorRightOf(metadata)?.operator, records: metadata.records || undefined },
      ]),
  )

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  define: { DESCRIBED_OPERATIONS: JSON.stringify(describedOperations()) },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { conditions: ['@usher/source', ...defaultClientConditions] },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    license: { fileName: 'licences.md' },
    reportCompressedSize: false,
  },
})
