/** Dots that browsers and mail clients read as a dot of a host name (UTS 46). */
const dots = /[.\u3002\uFF0E\uFF61]/gu

// A label of one letter does not end a host name, so that "J. R. Smith" and "J.R." are names. Other labels may be symbols,
// such as emoji.
const hostName = /[^\s.]\.(?:\p{L}{2}|xn--)|\d(?:\.\d+){3}/iu
const scheme = /\p{L}[\p{L}\p{N}+.-]{0,30}:\S/u

/**
 * Returns a name that a user has chosen if a mail may show it. Returns undefined if it contains a URL or a dotted host name,
 * which a mail client would turn into a link, in a mail that the reader trusts.
 */
export function harmlessName(name: string | null) {
  if (name === null) return undefined
  // Invisible characters and accents would hide a host name from the patterns. An unassigned character stays, because it may
  // be an emoji of a later version of Unicode.
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(dots, '.')
  return hostName.test(plain) || scheme.test(plain) ? undefined : name
}
