import v8 from 'node:v8'

// V8 would optimize PGlite's WebAssembly for longer than a test runs it: half of the CPU time of a first start.
v8.setFlagsFromString('--liftoff-only')
// Validating functions that are never called takes a tenth of a second.
v8.setFlagsFromString('--wasm-lazy-validation')
