import { Button } from '@patternfly/react-core';
import { Rows } from '../parts/Rows';
import { StateLabel } from '../parts/StateLabel';
import { useText, type TextFunction } from '../text/text';
import { contributions, useContributions } from './store';
import type { Contribution } from './types';

function reasonOf({ state, message }: Contribution, text: TextFunction): string {
  switch (state) {
    case 'hidden':
      return text('contribution.hidden', { kinds: message });
    case 'skipped':
      return text('contribution.skipped');
    default:
      return message;
  }
}

/** The contributions of the node that serves the page. A contribution that is not shown has the reason. */
export function ContributionRows() {
  const text = useText();
  return (
    <Rows
      label={text('contribution.title')}
      rows={[...useContributions()]}
      columns={[
        { title: text('column.name'), cell: ({ listing }) => listing.name },
        { title: text('contribution.bundle'), cell: ({ listing }) => `${listing.bundle} ${listing.version}` },
        { title: text('contribution.kinds'), cell: ({ listing }) => listing.kinds.join(', ') },
        { title: text('column.state'), cell: ({ state }) => <StateLabel state={state} /> },
        { title: text('column.message'), cell: (contribution) => reasonOf(contribution, text) },
      ]}
      keyOf={({ listing }) => listing.name}
      actions={({ listing, state }) =>
        ['skipped', 'failed'].includes(state) && (
          <Button variant="secondary" onClick={() => contributions.retry(listing)}>
            {text('contribution.load', { name: listing.name })}
          </Button>
        )
      }
    />
  );
}
