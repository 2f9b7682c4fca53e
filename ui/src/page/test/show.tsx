import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { configure, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Texts } from '../text/text';

// Build machines can be slow. Only a failing test waits for the whole time.
configure({ asyncUtilTimeout: 20_000 });

/** Renders a part of the page in its usual environment, in English. */
export function show(part: ReactNode): void {
  render(
    <Texts>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>{part}</QueryClientProvider>
    </Texts>,
  );
}
