import { Flex } from '@patternfly/react-core';
import { useState } from 'react';
import type { DeletedVolume, Volume } from '../api/types';
import { BulkDialog } from '../parts/BulkDialog';
import { ButtonWithReason } from '../parts/ButtonWithReason';
import { useText } from '../text/text';
import { purge, undelete, whyNotPurge, whyNotUndelete } from './deletions';

type Kind = 'undelete' | 'purge';

interface Props {
  chosen: DeletedVolume[];
  volumes: Volume[];
}

/** The actions for all chosen deleted volumes. */
export function BulkDeletedVolumes({ chosen, volumes }: Props) {
  const text = useText();
  const [open, setOpen] = useState<{ kind: Kind; items: DeletedVolume[] }>();
  const acts: Record<Kind, (deleted: DeletedVolume) => Promise<unknown>> = {
    undelete: (deleted) => undelete(deleted, text),
    purge,
  };
  const reasonOf: Record<Kind, (deleted: DeletedVolume) => string | undefined> = {
    undelete: (deleted) => whyNotUndelete(deleted, volumes, text),
    purge: (deleted) => whyNotPurge(deleted, text),
  };
  function whyNot(kind: Kind): string | undefined {
    const reasons = chosen.flatMap((deleted) => {
      const reason = reasonOf[kind](deleted);
      return reason === undefined ? [] : [`${deleted.metadata.name}: ${reason}`];
    });
    return chosen.length === 0 ? text('deleted.noneChosen') : reasons.join(' ') || undefined;
  }
  return (
    <>
      <Flex className="holdfast-toolbar" gap={{ default: 'gapSm' }}>
        {(Object.keys(acts) as Kind[]).map((kind) => (
          <ButtonWithReason
            key={kind}
            label={text(`deleted.${kind}Chosen`)}
            whyNot={whyNot(kind)}
            run={() => setOpen({ kind, items: chosen })}
          />
        ))}
      </Flex>
      {open && (
        <BulkDialog
          title={(count) => text(`deleted.${open.kind}ChosenTitle`, { count })}
          submit={text(`deleted.${open.kind}`)}
          items={open.items}
          danger={open.kind === 'purge'}
          confirmed={open.kind === 'purge'}
          act={acts[open.kind]}
          close={() => setOpen(undefined)}
        >
          {open.kind === 'undelete' && <p>{text('deleted.undeleteChosenHelp')}</p>}
        </BulkDialog>
      )}
    </>
  );
}
