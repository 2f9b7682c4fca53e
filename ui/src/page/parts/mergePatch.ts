// JSON merge patches (RFC 7396), which separate the changes of a user from changes of other clients.

export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [field: string]: Json;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (isObject(a) && isObject(b)) {
    const fields = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...fields].every((field) => equal(a[field], b[field]));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, index) => equal(each, b[index]));
  }
  return a === b;
}

/** Returns the patch that changes the first value into the second one. A removed field is null in the patch. */
export function patchBetween(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const before = from[field];
    const after = to[field];
    if (equal(before, after)) {
      continue;
    }
    if (isObject(before) && isObject(after)) {
      patch[field] = patchBetween(before, after);
    } else {
      patch[field] = after ?? null;
    }
  }
  return patch;
}

/** Returns a copy of a value with a patch applied. */
export function patched(value: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...value };
  for (const [field, change] of Object.entries(patch)) {
    if (change === null) {
      delete result[field];
    } else if (isObject(change)) {
      const before = result[field];
      result[field] = patched(isObject(before) ? before : {}, change);
    } else {
      result[field] = change;
    }
  }
  return result;
}

export interface FieldChange {
  path: string;
  before: Json | undefined;
  after: Json;
}

/** Lists the fields that a patch changes, with their values before and after. Null means that the field is removed. */
export function changedFields(from: JsonObject, patch: JsonObject, prefix = ''): FieldChange[] {
  return Object.entries(patch).flatMap(([field, after]) => {
    const path = prefix ? `${prefix}.${field}` : field;
    const before = from[field];
    return isObject(after) && isObject(before) ? changedFields(before, after, path) : [{ path, before, after }];
  });
}

export interface Collision {
  path: string;
  theirs: Json;
  yours: Json;
}

/** Lists the fields that two patches of one value change to different values. */
export function collisions(theirs: JsonObject, yours: JsonObject, prefix = ''): Collision[] {
  return Object.entries(yours).flatMap(([field, mine]) => {
    const path = prefix ? `${prefix}.${field}` : field;
    const other = theirs[field];
    if (other === undefined || equal(other, mine)) {
      return [];
    }
    return isObject(other) && isObject(mine) ? collisions(other, mine, path) : [{ path, theirs: other, yours: mine }];
  });
}
