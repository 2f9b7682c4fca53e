import { send } from './client';

const RULES = '../apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
const READS = new Set(['get', 'list', 'watch']);

interface Rules {
  status: { resourceRules: { verbs: string[] }[] };
}

/** Returns whether the signed-in user may change any resource. */
export async function mayChange(): Promise<boolean> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: {} };
  const response = await send(RULES, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { status } = (await response.json()) as Rules;
  return status.resourceRules.some((rule) => rule.verbs.some((verb) => !READS.has(verb)));
}
