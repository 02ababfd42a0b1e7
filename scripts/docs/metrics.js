import { createClusterMetrics } from '../../server/dist/metrics/cluster-metrics.js'
import { createMetrics } from '../../server/dist/metrics/metrics.js'
import { codes, table } from './markdown.js'

// Only the names are read.
const unread = () => ({})
const { registry } = createMetrics(
  { hashing: { stats: unread }, store: { connections: unread }, now: Date.now },
  {},
)
const ofCluster = await createClusterMetrics(new Set()).collect()

/** The metrics of a server. */
export const metrics = table(
  ['metric', 'type', 'labels', 'meaning'],
  [...registry.getMetricsAsArray(), ...ofCluster.getMetricsAsArray()]
    .filter(({ name }) => name.startsWith('usher_'))
    .map(({ name, type, labelNames = [], help }) => [`\`${name}\``, type, codes(labelNames), help]),
)
