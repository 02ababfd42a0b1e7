import { domainToASCII } from 'node:url'
import { invalidField, validationFailed } from '../problem.js'

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Returns a domain in lower case, as a name of DNS (IDNA).
 *
 * @throws {Problem} `validation_failed` with what is wrong, such as a URL in place of a domain
 */
export function requireDomainName(given: string, path = 'domain') {
  const wrong = (detail: string) => validationFailed([invalidField(path, detail)])
  if (given.includes('*')) throw wrong('must be one domain, without "*". Add each subdomain')
  if (/[:/?#]/.test(given)) throw wrong('must be a domain, not a URL')
  if (given.includes('@')) throw wrong('must be a domain, not an address: the part after the "@"')
  const domain = domainToASCII(given.trim().replace(/\.$/, '')).toLowerCase()
  const labels = domain.split('.')
  if (/^[\d.]+$/.test(domain)) throw wrong('must be a domain, not an IP address')
  // With the name of the record, "_usher.", it has at most the 253 characters of a name.
  if (domain.length > 246 || !labels.every((each) => label.test(each))) throw wrong('must be a domain')
  if (labels.length < 2) throw wrong('must have at least two parts, such as acme.example')
  return domain
}
