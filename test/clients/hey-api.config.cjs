// Validates responses, as clients in other languages do when they parse one.
module.exports = {
  plugins: [
    '@hey-api/client-fetch',
    '@hey-api/typescript',
    'zod',
    { name: '@hey-api/sdk', auth: true, validator: { response: 'zod' } },
  ],
}
