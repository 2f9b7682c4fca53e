// Frame of each part of a contribution. If the part fails, the rest of the page stays usable.
import { Alert, Button } from '@patternfly/react-core';
import { Component, type ReactNode } from 'react';
import type { Text } from '../../../sdk';
import { useText, type Language } from '../text/text';
import { ContributionProvider } from './context';
import type { Contribution, Listing, Part } from './types';

export function titleOf(title: Text, language: Language): string {
  return typeof title === 'string' ? title : (title[language] ?? title.en);
}

interface FailedProps {
  listing: Listing;
  message: string;
  retry: () => void;
}

function Failed({ listing, message, retry }: FailedProps) {
  const text = useText();
  const { name, bundle } = listing;
  return (
    <Alert
      variant="danger"
      isInline
      component="p"
      title={text('contribution.failed', { name, bundle, message })}
      actionLinks={
        <Button variant="link" isInline onClick={retry}>
          {text('contribution.again')}
        </Button>
      }
    />
  );
}

/** A failure in a table cell: the same text without a frame. */
function FailedCell({ listing, message }: FailedProps) {
  const text = useText();
  return <span className="holdfast-failed">{text('contribution.failed', { name: listing.name, bundle: listing.bundle, message })}</span>;
}

interface BoundaryProps {
  listing: Listing;
  failed: (props: FailedProps) => ReactNode;
  children: ReactNode;
}

/** Catches errors that a component of a contribution throws. */
class Boundary extends Component<BoundaryProps, { message: string | undefined }> {
  override state: { message: string | undefined } = { message: undefined };

  static getDerivedStateFromError(error: unknown): { message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    const { listing, failed: Shown, children } = this.props;
    return message === undefined ? children : <Shown listing={listing} message={message} retry={() => this.setState({ message: undefined })} />;
  }
}

/** A component of a contribution. It may use the hooks of the SDK. */
export function Area({ listing, inCell = false, children }: { listing: Listing; inCell?: boolean; children: ReactNode }) {
  return (
    <ContributionProvider value={listing}>
      <Boundary key={listing.revision} listing={listing} failed={inCell ? FailedCell : Failed}>
        {children}
      </Boundary>
    </ContributionProvider>
  );
}

export function partsOf<P>(all: readonly Contribution[], select: (contribution: Contribution) => readonly P[]): Part<P>[] {
  return all.flatMap((contribution) => select(contribution).map((part) => ({ part, listing: contribution.listing })));
}

export function keyOf({ part, listing }: Part<{ id: string }>): string {
  return `${listing.name}/${part.id}`;
}
