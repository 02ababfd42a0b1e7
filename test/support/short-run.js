import v8 from 'node:v8'
import './liftoff.js'

// A server of a test ends before V8 has gained what it spends on optimizing: a quarter of the CPU time of a start.
v8.setFlagsFromString('--no-opt')
v8.setFlagsFromString('--max-lazy')
