import { useEffect, useState } from 'react';

const STORED = 'holdfast.dark';
const CLASS = 'pf-v6-theme-dark';

function firstChoice(): boolean {
  const stored = localStorage.getItem(STORED);
  return stored === null ? window.matchMedia('(prefers-color-scheme: dark)').matches : stored === 'true';
}

export function useDark(): [boolean, (dark: boolean) => void] {
  const [dark, setDark] = useState(firstChoice);
  useEffect(() => {
    document.documentElement.classList.toggle(CLASS, dark);
  }, [dark]);
  return [
    dark,
    (next) => {
      localStorage.setItem(STORED, String(next));
      setDark(next);
    },
  ];
}
