import {
  Button, DescriptionList, DescriptionListDescription, DescriptionListGroup, DescriptionListTerm, Modal, ModalBody, ModalFooter, ModalHeader,
} from '@patternfly/react-core';
import { useId, type ReactNode } from 'react';
import { useText } from '../text/text';

/** Terms with their values. */
export function Facts({ facts, horizontal = false }: { facts: [string, ReactNode][]; horizontal?: boolean }) {
  return (
    <DescriptionList isHorizontal={horizontal} isCompact>
      {facts.map(([term, value]) => (
        <DescriptionListGroup key={term}>
          <DescriptionListTerm>{term}</DescriptionListTerm>
          <DescriptionListDescription>{value}</DescriptionListDescription>
        </DescriptionListGroup>
      ))}
    </DescriptionList>
  );
}

/** Shows facts in a dialog without actions. */
export function InfoDialog({ title, facts, close }: { title: string; facts: [string, ReactNode][]; close: () => void }) {
  const text = useText();
  const id = useId();
  return (
    <Modal isOpen variant="medium" onClose={close} aria-labelledby={id}>
      <ModalHeader title={title} labelId={id} />
      <ModalBody>
        <Facts facts={facts} />
      </ModalBody>
      <ModalFooter>
        <Button onClick={close}>{text('form.close')}</Button>
      </ModalFooter>
    </Modal>
  );
}
