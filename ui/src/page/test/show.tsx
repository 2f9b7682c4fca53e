import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { configure, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Texts } from '../text/text';

// Machines that build are slow: only a test that fails waits that long.
configure({ asyncUtilTimeout: 20_000 });

/** Renders a part of the page as the page does, in English. */
export function show(part: ReactNode): void {
  render(
    <Texts>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>{part}</QueryClientProvider>
    </Texts>,
  );
}
