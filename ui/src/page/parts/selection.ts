/** Returns a selection in which one entry is added or removed. */
export function toggled(selection: ReadonlySet<string>, entry: string, on: boolean): ReadonlySet<string> {
  const next = new Set(selection);
  if (on) {
    next.add(entry);
  } else {
    next.delete(entry);
  }
  return next;
}
