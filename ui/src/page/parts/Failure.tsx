import { Alert } from '@patternfly/react-core';

/** What the API says of a refusal. */
export function Failure({ error }: { error: Error | undefined | null }) {
  return error ? <Alert variant="danger" isInline title={error.message} component="p" /> : null;
}
