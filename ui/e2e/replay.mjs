// Repeats by hand, in another session, what a session sent to change something.
import assert from 'node:assert/strict';

const LIMIT_MS = 20_000;
const SAFE = ['GET', 'HEAD', 'OPTIONS'];
// Watches and questions about rights are sent with a body and change nothing; a session begins and ends by its own path.
const CHANGES_NOTHING = [/\/v1\/watch$/, /\/selfsubject(access|rules)reviews$/, /\/page\/v1\/session$/];

/** Returns a list that receives each request of a browser context that may change something. */
export function recordWrites(context) {
  const writes = [];
  context.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!SAFE.includes(request.method()) && !CHANGES_NOTHING.some((pattern) => pattern.test(pathname))) {
      writes.push({
        method: request.method(),
        address: pathname + search,
        type: request.headers()['content-type'],
        // Playwright does not give a form with a file; a refusal precedes its content.
        body: request.postData() ?? undefined,
      });
    }
  });
  return writes;
}

/** Sends writes by the session of a page, and requires that its rights refuse each of them. */
export async function expectRefusals(page, writes) {
  const answers = await page.evaluate(
    (requests) =>
      Promise.all(
        requests.map(async ({ method, address, type, body }) => {
          const headers = { 'X-Holdfast-Page': '1', ...(type && { 'Content-Type': type }) };
          const answer = await fetch(address, { method, headers, body });
          return { code: answer.status, text: await answer.text() };
        }),
      ),
    writes,
  );
  const admitted = answers.flatMap(({ code, text }, index) => {
    const { method, address } = writes[index];
    return code === 403 && / may not /.test(text) ? [] : [`${method} ${address}: ${code} ${text.slice(0, 200)}`];
  });
  assert.ok(admitted.length === 0, `writes that the rights did not refuse: ${admitted.join('; ')}`);
}

/** Returns an address with its parameters in a fixed order. */
function comparable(address) {
  const { pathname, searchParams } = new URL(address, 'https://node');
  searchParams.sort();
  return `${pathname}?${searchParams}`;
}

/** Returns the addresses of refused requests in the audit log, each as often as it was refused. */
function refusedAddresses(log, user) {
  return JSON.parse(log)
    .items.filter(({ user: sender, responseStatus }) => sender.username === user && responseStatus?.code === 403)
    .map(({ requestURI }) => comparable(requestURI));
}

/** Waits until the audit log, which a function reads, has a line for each refused write of a user. */
export async function expectLines(writes, user, readLog, limit = LIMIT_MS) {
  const end = Date.now() + limit;
  for (;;) {
    const lines = refusedAddresses(readLog(), user);
    const missing = writes.filter(({ address }) => {
      const index = lines.indexOf(comparable(address));
      lines.splice(index, index < 0 ? 0 : 1);
      return index < 0;
    });
    if (missing.length === 0) {
      return;
    }
    const words = missing.map(({ method, address }) => `${method} ${address}`);
    assert.ok(Date.now() < end, `refusals without an audit line: ${words.join(', ')}`);
  }
}
