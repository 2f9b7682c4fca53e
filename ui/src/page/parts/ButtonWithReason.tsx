import { Button, Tooltip } from '@patternfly/react-core';

interface Props {
  label: string;
  /** Reason why the button is disabled. A tooltip shows it, which the keyboard can reach. */
  whyNot: string | undefined;
  run: () => void;
}

/** A button that shows why it is disabled. */
export function ButtonWithReason({ label, whyNot, run }: Props) {
  const button = (
    <Button variant="secondary" isAriaDisabled={whyNot !== undefined} onClick={run}>
      {label}
    </Button>
  );
  return whyNot === undefined ? button : <Tooltip content={whyNot}>{button}</Tooltip>;
}
