import { Dropdown, DropdownItem, DropdownList, MenuToggle } from '@patternfly/react-core';
import EllipsisVIcon from '@patternfly/react-icons/dist/esm/icons/ellipsis-v-icon';
import { useState } from 'react';

export interface Action {
  label: string;
  run: () => void;
  danger?: boolean;
  /** Reason why the action is not possible now. */
  disabled?: string | undefined;
}

/** The menu of one row. */
export function Actions({ label, actions }: { label: string; actions: Action[] }) {
  const [open, setOpen] = useState(false);
  return (
    <Dropdown
      isOpen={open}
      onOpenChange={setOpen}
      onSelect={() => setOpen(false)}
      popperProps={{ position: 'right' }}
      toggle={(toggle) => (
        <MenuToggle ref={toggle} variant="plain" aria-label={label} isExpanded={open} onClick={() => setOpen(!open)} icon={<EllipsisVIcon />} />
      )}
    >
      <DropdownList>
        {actions.map((action) => (
          <DropdownItem
            key={action.label}
            onClick={action.run}
            isDanger={action.danger ?? false}
            isAriaDisabled={action.disabled !== undefined}
            description={action.disabled}
          >
            {action.label}
          </DropdownItem>
        ))}
      </DropdownList>
    </Dropdown>
  );
}
