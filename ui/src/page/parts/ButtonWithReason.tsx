import { Button, Tooltip } from '@patternfly/react-core';

interface Props {
  label: string;
  /** Why it cannot be pressed now; a tooltip that the keyboard reaches tells it. */
  whyNot: string | undefined;
  run: () => void;
}

/** A button that tells why it is disabled. */
export function ButtonWithReason({ label, whyNot, run }: Props) {
  const button = (
    <Button variant="secondary" isAriaDisabled={whyNot !== undefined} onClick={run}>
      {label}
    </Button>
  );
  return whyNot === undefined ? button : <Tooltip content={whyNot}>{button}</Tooltip>;
}
