// Users of a real OpenID Connect provider sign in to the page, and use the API, of a real node.
// oidc.mjs ADDRESS DIRECTORY HOLDFAST DATA: the command of the node, and its data.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { openStory } from './story.mjs';

const [oneTimeAddress, directory, holdfast, data] = process.argv.slice(2);
const { context, page, button, goTo, step, run, expect, allow } = await openStory(oneTimeAddress, directory);
const origin = new URL(oneTimeAddress).origin;
const BINDING = { role: 'view', users: [], groups: ['oidc:storage'] };

function command(...words) {
  return execFileSync(holdfast, [...words, '--data', data], { encoding: 'utf8' });
}

/** Starts a provider that admits every name and puts it into the group storage. */
async function startProvider() {
  const server = createServer((request, response) => listener(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'holdfast', token_endpoint_auth_method: 'none', redirect_uris: [`${origin}/page/v1/oidc/callback`] }],
    claims: { openid: ['sub'], groups: ['groups'] },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, groups: ['storage'] }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid groups');
      await grant.save();
      return grant;
    },
  });
  const tokens = [];
  provider.on('grant.success', ({ body }) => tokens.push(body.id_token));
  const listener = provider.callback();
  return { issuer, tokens, stop: () => server.close() };
}

const provider = await startProvider();
allow(provider.issuer);
// The page of the provider, not ours, asks for a font of another server, and for an icon that it lacks.
const FONTS = 'https://fonts.googleapis.com';
allow(FONTS);
await context.route(`${FONTS}/**`, (route) => route.abort());
expect(/net::ERR_FAILED|status of 404/);

/** Returns the code of a read with a token of the provider, and the message of a refusal. */
function readWith(token) {
  return page.evaluate(async (bearer) => {
    const headers = { Authorization: `Bearer ${bearer}` };
    const response = await fetch('../apis/holdfast.dev/v1/volumes', { headers, credentials: 'omit', cache: 'no-store' });
    return { code: response.status, message: (await response.json()).message };
  }, token);
}

function codeOf(method, path, body) {
  return page.evaluate(
    async ([verb, address, content]) => {
      const headers = { 'Content-Type': 'application/json', 'X-Holdfast-Page': '1' };
      return (await fetch(`../apis/holdfast.dev/v1/${address}`, { method: verb, headers, body: content, cache: 'no-store' })).status;
    },
    [method, path, body && JSON.stringify({ apiVersion: 'holdfast.dev/v1', ...body })],
  );
}

async function eventually(what, check) {
  const end = Date.now() + 20_000;
  while (!(await check())) {
    assert.ok(Date.now() < end, what);
    await page.waitForTimeout(200);
  }
}

await run(async () => {
  await step('an administrator names the provider and gives a group the role view', async () => {
    await page.goto(oneTimeAddress);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    command('setting', 'set', 'oidc-client-id', 'holdfast');
    command('setting', 'set', 'oidc-issuer', provider.issuer);
    assert.equal(await codeOf('POST', 'accessbindings', { kind: 'AccessBinding', metadata: { name: 'storage' }, spec: BINDING }), 201);
    await button('Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await eventually('the node uses the provider', async () =>
      page.evaluate(async () => (await (await fetch('v1/oidc', { cache: 'no-store' })).json()).configured),
    );
    await page.reload();
  });

  await step('a user signs in at the provider and comes back signed in', async () => {
    await button('Sign in at the identity provider').click();
    await page.getByPlaceholder('Enter any login').fill('alice');
    await page.getByPlaceholder('and password').fill('secret');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const { search, pathname } = new URL(page.url());
    assert.deepEqual([pathname, search], ['/page/', '']);
    const cookie = (await context.cookies(origin)).find(({ name }) => name === '__Host-holdfast');
    assert.ok(cookie?.httpOnly && cookie.secure && cookie.sameSite === 'Strict');
  });

  await step('the user has the rights of the group, and no others', async () => {
    await goTo('volumes');
    await eventually('the user reads', async () => (await codeOf('GET', 'volumes')) === 200);
    const volume = { kind: 'Volume', metadata: { name: 'refused' }, spec: { size: '16Mi' } };
    assert.equal(await codeOf('POST', 'volumes', volume), 403);
    assert.equal(await codeOf('GET', 'accesstokens'), 403);
  });

  await step('a token of the provider is a credential of the API; a changed one is refused with its reason', async () => {
    const [token] = provider.tokens;
    assert.equal((await readWith(token)).code, 200);
    const [header, , signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
    const changed = (change) => `${header}.${Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')}.${signature}`;
    for (const [change, reason] of [
      [{ sub: 'root' }, /the signature of the token is wrong/],
      [{ iss: 'https://evil.example' }, /was issued by "https:\/\/evil.example"/],
    ]) {
      const { code, message } = await readWith(changed(change));
      assert.equal(code, 401);
      assert.match(message, reason);
    }
  });

  await step('a callback that did not begin in this browser is refused', async () => {
    const answer = await page.evaluate(async () => {
      const response = await fetch('v1/oidc/callback?code=a&state=b');
      return [response.status, await response.text()];
    });
    assert.equal(answer[0], 403);
    assert.match(answer[1], /did not begin in this browser/);
  });

  await step('the audit log has the sign-in and the refusals', async () => {
    await eventually('the lines are written', async () => {
      const lines = command('audit', '-o', 'json');
      return ['oidc:alice', 'the signature of the token is wrong', 'did not begin in this browser'].every((text) => lines.includes(text));
    });
  });

  await step('sessions of the provider end when the cluster no longer uses it', async () => {
    expect(/status of 401/);
    command('setting', 'unset', 'oidc-issuer');
    await eventually('the session ends', async () => (await codeOf('GET', 'volumes')) === 401);
    assert.equal((await readWith(provider.tokens[0])).code, 401);
  });
});
provider.stop();
