import { useEffect, useState } from 'react';

const EVERY_MS = 5000;

/** Returns the current time for ages, updated every 5 s. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
