import { Button, Form, Title } from '@patternfly/react-core';
import { useEffect, useState, type FormEvent } from 'react';
import { hasProvider, signIn, signInAtProvider, type Session } from '../api/session';
import { useText } from '../text/text';
import { TextField } from './Dialog';
import { Failure } from './Failure';

/** Signs in with a pasted token or through the identity provider of the cluster. */
export function SignInForm({ failure, done }: { failure: Error | undefined; done: (session: Session) => void }) {
  const text = useText();
  const [token, setToken] = useState('');
  const [error, setError] = useState(failure);
  const [provider, setProvider] = useState(false);

  useEffect(() => {
    // Without an answer, the user can still sign in with a token.
    hasProvider().then(setProvider, () => undefined);
  }, []);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    try {
      done(await signIn({ token }));
    } catch (refusal) {
      setError(refusal as Error);
    }
  }

  return (
    <main className="holdfast-sign-in">
      <Title headingLevel="h1">{text('signIn.title')}</Title>
      <p className="holdfast-toolbar">{text('signIn.help', { command: 'holdfast page' })}</p>
      <Form onSubmit={(event) => void submit(event)}>
        <Failure error={error} />
        <TextField label={text('signIn.token')} type="password" value={token} change={setToken} required />
        <Button type="submit" isDisabled={token === ''}>
          {text('signIn.submit')}
        </Button>
        {provider && (
          <Button variant="secondary" onClick={() => void signInAtProvider().catch(setError)}>
            {text('signIn.provider')}
          </Button>
        )}
      </Form>
    </main>
  );
}
