import { ApiError, NOT_FOUND, review } from './client';

const READS = new Set(['get', 'list', 'watch']);

interface Rules {
  resourceRules: { verbs: string[] }[];
}

/**
 * Returns whether the signed-in user may change any resource. The result is undefined if the node does not support this
 * request, as nodes of earlier versions during an upgrade.
 */
export async function mayChange(): Promise<boolean | undefined> {
  try {
    const { resourceRules } = await review<Rules>('SelfSubjectRulesReview', {});
    return resourceRules.some(({ verbs }) => verbs.some((verb) => !READS.has(verb)));
  } catch (error) {
    if (error instanceof ApiError && error.code === NOT_FOUND) {
      return undefined;
    }
    throw error;
  }
}
