import { Component, type ReactNode } from 'react';
import { useText } from '../text/text';

function TroubleText({ message }: { message: string }) {
  const text = useText();
  return <p role="alert">{text('app.failed', { message })}</p>;
}

/** Keeps the rest of the page usable if a view throws an error. */
export class Trouble extends Component<{ children: ReactNode }, { message: string | undefined }> {
  override state: { message: string | undefined } = { message: undefined };

  static getDerivedStateFromError(error: Error): { message: string } {
    return { message: error.message };
  }

  override render(): ReactNode {
    return this.state.message === undefined ? this.props.children : <TroubleText message={this.state.message} />;
  }
}
