const LONGEST_PLAIN = 240;
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

// Same as String.hashCode in Java, which the commands also use for names of snapshots.
function hashCode(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) {
    hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  }
  return hash;
}

/** Returns the name of the resource of a volume's snapshot. */
export function snapshotResource(volume: string, snapshot: string): string {
  const plain = `${volume}.${snapshot}`;
  const name = plain.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
  if (name === plain && NAME.test(name)) {
    return name;
  }
  const start = name.slice(0, LONGEST_PLAIN).replace(/[^a-z0-9]+$/, '').replace(/[^a-z0-9]*\.[^a-z0-9]*/g, '.');
  return `${start}-${(hashCode(plain) >>> 0).toString(16).padStart(8, '0')}`;
}
