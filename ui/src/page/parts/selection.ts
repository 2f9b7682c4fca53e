/** Returns a selection with or without one more entry. */
export function toggled(selection: ReadonlySet<string>, entry: string, on: boolean): ReadonlySet<string> {
  const next = new Set(selection);
  if (on) {
    next.add(entry);
  } else {
    next.delete(entry);
  }
  return next;
}
