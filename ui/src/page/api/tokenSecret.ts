// Access tokens are generated in the browser, so that the API receives only the hash.

const PREFIX = 'hf_';
const BYTES = 32;
const CRC_POLYNOMIAL = 0xedb88320;

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? (crc >>> 1) ^ CRC_POLYNOMIAL : crc >>> 1;
    }
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Returns the text of a token: the prefix, 32 random bytes, and a checksum that reveals typing errors. */
export function tokenText(random: Uint8Array): string {
  const body = btoa(String.fromCharCode(...random))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
  return PREFIX + body + crc32(body).toString(16).padStart(8, '0');
}

export function newToken(): string {
  return tokenText(crypto.getRandomValues(new Uint8Array(BYTES)));
}

/** Returns the SHA-256 as hexadecimal digits. The API stores only this value of a token. */
export async function hashOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
