import { Alert } from '@patternfly/react-core';

/** The API's message about a refusal. */
export function Failure({ error }: { error: Error | undefined | null }) {
  return error ? <Alert variant="danger" isInline title={error.message} component="p" /> : null;
}
