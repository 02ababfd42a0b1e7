/** How far the clocks of two servers may differ, in seconds (RFC 8725 asks for little). */
export const clockSkewSeconds = 30
